// Shutdown of a gateway: running calls may finish, and no process is left.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { test } from './lib/concurrently.mjs';
import { gatewayWith } from './lib/config.mjs';
import { exampleServer, fixture, gatewayFor } from './lib/gateway.mjs';
import { assertHeld, hold, latch } from './lib/held-calls.mjs';
import { refusesConnections, request } from './lib/http.mjs';
import { isRunning } from './lib/processes.mjs';
import { initializeRequest, openSession, post, toolCall } from './lib/session.mjs';
import { openSseSession } from './lib/sse.mjs';
import { DEBUG, debugState } from './lib/state.mjs';
import { until } from './lib/until.mjs';

// Far longer than anything that ends without waiting for it, even on a busy machine.
const GRACE = '60s';
const SOON = 45_000;
// A server has 2 s to exit by itself, and 2 s after SIGTERM.
const STOPPING = 4_000;

const commandOf = ([command, ...args]) => ({ command, args });
const holding = commandOf(fixture('reload-server'));
const config = (mcpServers, grace = GRACE) => ({ mcpServers, gateway: { grace } });
const at = (gateway, name) => gateway.at(`/servers/${name}/mcp`);

async function assertFailed(reply) {
  const answer = (await reply.all()).at(-1);
  assert.deepEqual([answer?.id, answer?.error?.code], ['held', -32603], JSON.stringify(answer) ?? 'no answer');
}

const statusOf = async (gateway, path) => (await request(gateway.at(path))).status;

// Resolves with a function that waits for the exit code, once the gateway drains.
async function drains(gateway, signal = 'SIGTERM') {
  assert.equal(await statusOf(gateway, '/readyz'), 200);
  const began = Date.now();
  const exited = gateway.signal(signal).then((code) => ({ code, took: Date.now() - began }));
  await until('it is not ready any more', async () => (await statusOf(gateway, '/readyz')) === 503);
  return { exited };
}

async function assertEnds(gateway, exited, below, within = SOON) {
  const { code, took } = await exited;
  assert.equal(code, 0, gateway.told('exit code'));
  assert.ok(took < within, gateway.told(`it took ${took} ms`));
  await until('no process is left', () => !below.some(isRunning));
}

// -- the first signal ------------------------------------------------------------------------------------------------

for (const signal of ['SIGTERM', 'SIGINT'])
  test(`${signal} refuses what is new and lets the call in flight finish`, async (t) => {
    const gateway = await gatewayWith(t, config({ a: holding }));
    const session = await openSession(at(gateway, 'a'));
    const stream = await session.listen();
    const below = gateway.children();
    const { file, open } = latch();
    const reply = await hold(session, file);
    const { exited } = await drains(gateway, signal);
    assert.equal(await statusOf(gateway, '/healthz'), 200);
    for (const url of [gateway.url, at(gateway, 'a')]) {
      const refused = await post(url, initializeRequest());
      const [{ id, error }] = await refused.all();
      assert.deepEqual([refused.status, id, error.code], [503, 0, -32603]);
      assert.match(refused.headers['retry-after'], /^\d+$/);
    }
    const further = await session.post(toolCall(2, 'told'));
    assert.equal(further.status, 503);
    assert.match(further.headers['retry-after'], /^\d+$/);
    assert.ok(!reply.ended && below.every(isRunning));
    open();
    await assertHeld(reply);
    await stream.done;
    await assertEnds(gateway, exited, below);
    assert.ok(await refusesConnections(gateway.port));
  });

test('an SSE client gets the answer to its call in flight, and then its stream ends', async (t) => {
  const gateway = await gatewayWith(t, config({ a: holding }));
  const session = await openSseSession(gateway);
  const { file, open } = latch();
  await session.post(toolCall('held', 'hold', { file }, 'mine'));
  await session.message('the call runs', ({ method }) => method === 'notifications/progress');
  const below = gateway.children();
  const { exited } = await drains(gateway);
  assert.ok(!session.stream.ended);
  open();
  await session.stream.done;
  assert.deepEqual(session.messages.at(-1).result?.content[0].text, 'held');
  await assertEnds(gateway, exited, below);
});

for (const grace of ['300ms', 0])
  test(`a call that is longer than a grace of ${grace} fails`, async (t) => {
    const gateway = await gatewayWith(t, config({ a: holding }, grace), DEBUG);
    const [streaming, plain] = await Promise.all([1, 2].map(() => openSession(at(gateway, 'a'))));
    const below = gateway.children();
    const { file } = latch();
    const replies = [await hold(streaming, file), plain.post(toolCall('held', 'hold', { file }))];
    await until('both run', async () => (await debugState(gateway)).calls === 2);
    const exited = gateway.signal('SIGTERM').then((code) => ({ code, took: 0 }));
    for (const reply of replies) await assertFailed(await reply);
    await assertEnds(gateway, exited, below);
  });

test('a call of an SSE client that is longer than the grace fails', async (t) => {
  const gateway = await gatewayWith(t, config({ a: holding }, '300ms'));
  const session = await openSseSession(gateway);
  await session.post(toolCall('held', 'hold', latch(), 'mine'));
  await session.message('the call runs', ({ method }) => method === 'notifications/progress');
  const below = gateway.children();
  const exited = gateway.signal('SIGTERM').then((code) => ({ code, took: 0 }));
  await session.stream.done;
  const answer = session.messages.at(-1);
  assert.deepEqual([answer.id, answer.error?.code], ['held', -32603], JSON.stringify(answer));
  await assertEnds(gateway, exited, below);
});

test('a gateway with sessions and streams but no call stops at once', async (t) => {
  const servers = { a: holding, b: { ...holding, sharing: 'shared' }, c: { ...holding, sharing: 'pool' } };
  const gateway = await gatewayWith(t, config(servers));
  const urls = [gateway.url, ...Object.keys(servers).map((name) => at(gateway, name))];
  const sessions = await Promise.all(urls.map((url) => openSession(url)));
  const streams = await Promise.all(sessions.map((session) => session.listen()));
  const below = gateway.children();
  assert.ok(below.length >= 5, String(below.length));
  const began = Date.now();
  const code = await gateway.signal('SIGTERM');
  await assertEnds(gateway, { code, took: Date.now() - began }, below);
  await Promise.all(streams.map(({ done }) => done));
});

test('a stream of 2025-11-25 has told its client when to come back before it ends', async (t) => {
  const gateway = await gatewayWith(t, config({ a: holding }));
  const session = await openSession(at(gateway, 'a'));
  const stream = await session.listen();
  await gateway.signal('SIGTERM');
  await stream.done;
  assert.match(stream.events.at(-1).retry, /^\d+$/);
  t.diagnostic(`the stream had: ${JSON.stringify(stream.events)}`);
});

// -- a second session --------------------------------------------------------------------------------------------

for (const [first, second] of [['SIGTERM', 'SIGTERM'], ['SIGINT', 'SIGINT'], ['SIGTERM', 'SIGINT']])
  test(`${second} after ${first} ends the grace`, async (t) => {
    const gateway = await gatewayWith(t, config({ a: holding }));
    const session = await openSession(at(gateway, 'a'));
    const below = gateway.children();
    const reply = await hold(session, latch().file);
    const { exited } = await drains(gateway, first);
    gateway.child.kill(second);
    await assertFailed(reply);
    await assertEnds(gateway, exited, below);
  });

// A server that does not exit by itself is not waited for.
const stubborn = commandOf(fixture('hostile', 'stubborn'));
const ATTEMPTS = 5;

// An exit that waits for the server takes at least STOPPING. A quick one may be late on a busy machine, and is tried
// again.
async function assertQuick(end) {
  const times = [];
  do times.push(await end());
  while (times.at(-1) >= STOPPING - 500 && times.length < ATTEMPTS);
  assert.ok(times.at(-1) < STOPPING - 500, `the ends took ${times} ms`);
}

test('a second signal ends a server at once that will not go, with a call in flight', (t) =>
  assertQuick(async () => {
    const gateway = await gatewayWith(t, config({ a: stubborn }), DEBUG);
    const session = await openSession(at(gateway, 'a'));
    const below = gateway.children();
    const reply = session.post(toolCall('held', 'never'));
    await until('the call runs', async () => (await debugState(gateway)).calls === 1);
    const { exited } = await drains(gateway);
    const began = Date.now();
    gateway.child.kill('SIGTERM');
    await assertFailed(await reply);
    await assertEnds(gateway, exited, below);
    return Date.now() - began;
  }));

test('a second signal ends a server at once that will not go, while it is being stopped', (t) =>
  assertQuick(async () => {
    const gateway = await gatewayWith(t, config({ a: commandOf(fixture('stubborn')) }));
    const session = await openSession(at(gateway, 'a'));
    const below = gateway.children();
    const stream = await session.listen();
    const began = Date.now();
    const exited = gateway.signal('SIGTERM').then((code) => ({ code, took: 0 }));
    await stream.done;
    gateway.child.kill('SIGTERM');
    await assertEnds(gateway, exited, below);
    return Date.now() - began;
  }));

test('SIGHUP while it drains changes nothing', async (t) => {
  const gateway = await gatewayWith(t, config({ a: holding }));
  const session = await openSession(at(gateway, 'a'));
  const below = gateway.children();
  const { file, open } = latch();
  const reply = await hold(session, file);
  const { exited } = await drains(gateway);
  gateway.child.kill('SIGHUP');
  assert.equal(await statusOf(gateway, '/readyz'), 503);
  open();
  await assertHeld(reply);
  await assertEnds(gateway, exited, below);
});

// -- every kind of server ------------------------------------------------------------------------------------------

const KINDS = {
  'of each session': { a: holding },
  shared: { a: { ...holding, sharing: 'shared', eager: true } },
  'of a pool': { a: { ...holding, sharing: 'pool', poolSize: 3 } },
};

for (const [kind, servers] of Object.entries(KINDS))
  for (const [path, url, tool] of [
    ['of its own', (gateway) => at(gateway, 'a'), 'hold'],
    ['of all', (gateway) => gateway.url, 'a__hold'],
  ])
    test(`a call of a server ${kind} on the path ${path} finishes, and nothing is left running`, async (t) => {
      const gateway = await gatewayWith(t, config({ ...servers, z: holding }));
      const [session, other] = await Promise.all([1, 2].map(() => openSession(url(gateway))));
      await other.listen();
      const { file, open } = latch();
      const reply = await hold(session, file, tool);
      const below = gateway.children();
      const { exited } = await drains(gateway);
      assert.ok(!reply.ended);
      open();
      await assertHeld(reply);
      await assertEnds(gateway, exited, below);
    });

for (const path of ['of its own', 'of all'])
  test(`a call of a remote server on the path ${path} finishes, and its session there is ended`, async (t) => {
    const behind = await gatewayFor(t, fixture('reload-server'), DEBUG);
    const gateway = await gatewayWith(t, config({ a: { url: behind.url }, b: holding }));
    const session = await openSession(path === 'of all' ? gateway.url : at(gateway, 'a'));
    const { file, open } = latch();
    const reply = await hold(session, file, path === 'of all' ? 'a__hold' : 'hold');
    assert.equal((await debugState(behind)).sessions, 1);
    const below = [...gateway.children(), ...behind.children()];
    const { exited } = await drains(gateway);
    open();
    await assertHeld(reply);
    await assertEnds(gateway, exited, below);
    await until('its session there is ended', async () => (await debugState(behind)).sessions === 0);
  });

test('a remote server that answers no more does not hold the end', async (t) => {
  const behind = await gatewayFor(t, fixture('reload-server'));
  const gateway = await gatewayWith(t, config({ a: { url: behind.url } }, '300ms'));
  const session = await openSession(at(gateway, 'a'));
  const reply = await hold(session, latch().file);
  behind.child.kill('SIGSTOP');
  const exited = gateway.signal('SIGTERM').then((code) => ({ code, took: 0 }));
  try {
    await assertFailed(reply);
    await assertEnds(gateway, exited, []);
  } finally {
    behind.child.kill('SIGCONT');
  }
});

// -- intermediate states -----------------------------------------------------------------------------------------

test('a server that does not start, and one that is about to be started again, do not hold the end', async (t) => {
  const gateway = await gatewayWith(
    t,
    config({
      mute: { ...commandOf(fixture('hostile', 'mute')), sharing: 'shared', eager: true },
      dies: { ...commandOf(fixture('hostile', 'exits-at-once')), sharing: 'shared', eager: true },
      pool: { command: '/no/such/command', sharing: 'pool' },
      calm: commandOf(exampleServer),
    }),
  );
  await openSession(at(gateway, 'calm'));
  await until('one waits', () => gateway.log.some((line) => line.includes('"next_try_in"')));
  const below = gateway.children();
  const began = Date.now();
  const code = await gateway.signal('SIGTERM');
  await assertEnds(gateway, { code, took: Date.now() - began }, below);
});

for (const sharing of ['session', 'shared'])
  test(`a session that is about to begin with a ${sharing} server is answered before the end`, async (t) => {
    const { file, open } = latch();
    const late = { ...holding, env: { INITIALIZE_AFTER: file }, sharing };
    const gateway = await gatewayWith(t, config({ a: late }), DEBUG);
    const opening = post(at(gateway, 'a'), initializeRequest());
    await until('the server starts', async () => (await debugState(gateway)).calls === 1);
    const below = gateway.children();
    const { exited } = await drains(gateway);
    open();
    const [{ id, result }] = await (await opening).all();
    assert.deepEqual([id, result?.serverInfo.name], [0, 'reload']);
    await assertEnds(gateway, exited, below);
  });

test('a file that is read again in the moment of the end does not hold it', async (t) => {
  for (let round = 0; round < 5; ++round) {
    const gateway = await gatewayWith(t, config({ a: holding, b: { ...holding, sharing: 'pool' } }));
    await openSession(gateway.url);
    const below = gateway.children();
    await writeFile(gateway.configFile, JSON.stringify(config({ b: holding, c: { ...holding, sharing: 'pool' } })));
    gateway.child.kill('SIGHUP');
    const exited = gateway.signal('SIGTERM').then((code) => ({ code, took: 0 }));
    await assertEnds(gateway, exited, [...below, ...gateway.children()]);
  }
});
