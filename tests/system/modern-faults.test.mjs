// Failures around 2026-07-28 requests: misbehaving servers, and clients that disconnect.
import assert from 'node:assert/strict';
import { remoteFor, text } from './fixture/remote-script.mjs';
import { ALONE, stageOfOne } from './fixture/witness-stage.mjs';
import { test } from './lib/concurrently.mjs';
import { gatewayWith } from './lib/config.mjs';
import { fixture, gatewayFor } from './lib/gateway.mjs';
import { rawConnection } from './lib/http.mjs';
import { ALL, Caller, envelope, fieldsOf, MODERN, modernRequest, textOf } from './lib/modern.mjs';
import { SEED } from './lib/random.mjs';
import { post, postBytes } from './lib/session.mjs';
import { assertBack, baseLine, DEBUG, MIB } from './lib/state.mjs';
import { until } from './lib/until.mjs';

const LEASE_TIME = ['--lease-time', '1'];
const call = (name, args = {}) => modernRequest('call', 'tools/call', { name, arguments: args }, envelope(ALL));

const BAD_HABITS = ['twice', 'strangers', 'speaks-early', 'late=300', 'complains=99999', 'long-line=99999'];
for (const habit of [`garbage=${SEED}`, ...BAD_HABITS])
  test(`a server that has the habit ${habit} is served`, async (t) => {
    const gateway = await gatewayFor(t, fixture('hostile', habit));
    const caller = new Caller(gateway.url, { can: ALL });
    const messages = Array.from({ length: 10 }, (_, index) => `message ${index}`);
    const answers = await Promise.all(messages.map((message) => caller.call('echo', { message })));
    assert.deepEqual(answers.map(textOf), messages);
    assert.equal(gateway.children().length, 1);
  });

for (const habit of ['exits-at-once', 'exits-on-initialize', 'refuses', 'unknown-version', 'breaks-off'])
  test(`a server that has the habit ${habit} is an error for who calls: -32603`, async (t) => {
    const gateway = await gatewayFor(t, fixture('hostile', habit));
    const caller = new Caller(gateway.url);
    for (const method of ['server/discover', 'tools/list']) {
      const { id, error } = await caller.ask(method);
      assert.equal(error?.code, -32603, JSON.stringify(error));
      assert.ok(id.startsWith(method));
    }
  });

// The server answers `server/discover` from the second time on.
const wakingUp = () => {
  const found = { resultType: 'complete', supportedVersions: [MODERN], capabilities: { tools: {} } };
  let asked = 0;
  return {
    'server/discover': (exchange) => (asked++ ? exchange.result(found) : exchange.status(503)),
    'tools/list': (exchange) => exchange.result({ resultType: 'complete', tools: [], ttlMs: 0, cacheScope: 'private' }),
    'tools/call': (exchange) => exchange.result(text(exchange.headers['mcp-protocol-version'])),
  };
};

async function callTo(t, on) {
  const remote = await remoteFor(t, { on });
  const gateway = await gatewayWith(t, { mcpServers: { far: { url: remote.url } } });
  return { gateway, answer: await new Caller(gateway.at('/servers/far/mcp')).call('echo', { message: 'x' }) };
}

test('a remote server that answers 503 once is asked again what it speaks when it has no sessions', async (t) => {
  const body = (id) => JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } });
  const initialize = (exchange) => exchange.status(400, { 'content-type': 'application/json' }, body(exchange.id));
  const { answer } = await callTo(t, { ...wakingUp(), initialize });
  assert.equal(textOf(answer), MODERN);
});

test('a remote server that answers 503 once and has sessions is used by them, in doubt', async (t) => {
  const { answer, gateway } = await callTo(t, wakingUp());
  assert.notEqual(textOf(answer), MODERN);
  const line = await until('the era is logged', () => gateway.log.map((one) => JSON.parse(one)).find(({ era }) => era));
  assert.deepEqual([line.era, line.doubt], ['legacy', 'The remote MCP server answered HTTP 503']);
});

test('a server that asks as soon as it is initialised is told that nobody can be asked', async (t) => {
  const gateway = await gatewayFor(t, fixture('hostile', 'asks-early'));
  const caller = new Caller(gateway.url, { can: ALL });
  assert.equal(textOf(await caller.call('echo', { message: 'x' })), 'x');
  await until('it is told', async () => JSON.parse(textOf(await caller.call('answers'))).length === 1);
  const [{ id, error }] = JSON.parse(textOf(await caller.call('answers')));
  assert.equal(id, 'early');
  assert.ok(error.code, 'a client is asked only during a call of its own');
});

test('a call that takes too long is an error, and the server is told to stop', async (t) => {
  const gateway = await gatewayFor(t, fixture('hostile'), '--request-timeout', '6');
  const caller = new Caller(gateway.url);
  const reply = await caller.beginCall('never');
  const [{ error }] = await reply.all();
  assert.equal(error?.code, -32603);
  await until('the server heard it', async () => JSON.parse(textOf(await caller.call('cancelled'))).length === 1);
});

test('a large answer comes whole, as JSON and on a stream', async (t) => {
  const gateway = await gatewayFor(t, fixture('hostile'));
  const caller = new Caller(gateway.url);
  for (const meta of [{}, { progressToken: 'mine' }])
    assert.equal(textOf(await caller.call('big', { bytes: 6 * MIB }, meta)).length, 6 * MIB);
});

test('a server that floods who listens reaches those who read, and others do not hold it up', async (t) => {
  const gateway = await gatewayFor(t, fixture('hostile'));
  const caller = new Caller(gateway.url);
  const [deaf, ...streams] = await Promise.all([1, 2, 3].map(() => caller.listen({ toolsListChanged: true })));
  deaf.socket.pause();
  assert.equal(textOf(await caller.call('flood', { kind: 'changed', count: 2_000 })), 'flooded');
  for (const stream of streams) await until('it is told', () => stream.messages.length > 1);
  assert.equal(textOf(await caller.call('echo', { message: 'still here' })), 'still here');
});

test('clients that leave in the worst moment leave nothing', async (t) => {
  const gateway = await gatewayFor(t, fixture('hostile'), DEBUG, ...LEASE_TIME);
  const caller = new Caller(gateway.url, { can: ALL });
  await caller.call('echo', { message: 'warm' });
  await until('the first server has ended', () => gateway.children().length === 0);
  const before = await baseLine(gateway, () => {});
  const whole = (message) => postBytes(gateway.url, message, fieldsOf(message));
  const WAYS = {
    'in the middle of the head': () => rawConnection(gateway.port, whole(call('echo')).slice(0, 60)),
    'in the middle of the body': () => rawConnection(gateway.port, whole(call('echo')).slice(0, -20)),
    'before the answer': () => rawConnection(gateway.port, whole(call('never'))),
    'before the acknowledgement': () => {
      const filter = { notifications: { toolsListChanged: true, resourceSubscriptions: ['test://one'] } };
      return rawConnection(gateway.port, whole(modernRequest(1, 'subscriptions/listen', filter)));
    },
    'in the middle of progress': async () => {
      const args = { kind: 'progress', count: 1_000, every_ms: 5 };
      const reply = await caller.beginCall('flood', args, { progressToken: 'mine' });
      await reply.message('progress', ({ method }) => method === 'notifications/progress');
      return reply;
    },
    'while it listens': () => caller.listen({ toolsListChanged: true, resourcesListChanged: true }),
  };
  for (let round = 0; round < 5; ++round) {
    const left = await Promise.all(Object.values(WAYS).map((begin) => begin()));
    for (const one of left) one.socket.destroy();
    assert.equal(textOf(await caller.call('echo', { message: 'still here' })), 'still here');
  }
  await assertBack(gateway, before);
});

test('a request may not say twice what counts: 400', async (t) => {
  const stage = await stageOfOne(t);
  const { url } = stage.caller('one', ALONE);
  const message = call('pid');
  const text = JSON.stringify(message);
  const twice = [
    text.replace('"name":"pid"', '"name":"pid","name":"exit"'),
    text.replace('"method":', '"method":"ping","method":'),
    text.replace('"id":"call"', '"id":1,"id":"call"'),
    text.replace('"_meta":{', '"_meta":{"io.modelcontextprotocol/protocolVersion":"2025-11-25",'),
    text.replace('"_meta":{', '"_meta":{"io.modelcontextprotocol/clientCapabilities":{},'),
    text.replace('"_meta":', '"_meta":{},"_meta":'),
    text.replace('"params":', '"params":{},"params":'),
  ];
  for (const body of twice) {
    const reply = await post(url, body, fieldsOf(message));
    await reply.done;
    assert.equal(reply.status, 400, `${body} ${reply.received}`);
    assert.ok(reply.messages[0].error, body);
  }
  assert.deepEqual(stage.heard('tools/call'), []);
});
