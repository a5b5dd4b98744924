// Clients and servers of 2026-07-28: the gateway changes only the ids of their messages.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from './lib/concurrently.mjs';
import { gatewayWith, reload } from './lib/config.mjs';
import { fixture, gatewayFor } from './lib/gateway.mjs';
import { request, whole } from './lib/http.mjs';
import { accepted, ALL, answersTo, assertAsked, Caller, envelope, fieldsOf, said } from './lib/modern.mjs';
import { connectModern } from './lib/modern-client.mjs';
import { assertSteps } from './lib/progress.mjs';
import { scratch } from './lib/scratch.mjs';
import { POST_HEADERS } from './lib/session.mjs';
import { until } from './lib/until.mjs';

const META = JSON.stringify(envelope(ALL)).slice(1, -1);

async function wordsGateway(t) {
  const journal = join(scratch(), 'journal');
  const gateway = await gatewayFor(t, fixture('modern-words', journal));
  return { gateway, heard: () => readFileSync(journal, 'utf8').trimEnd().split('\n') };
}

// Sends a text; resolves with the status and the text of the answer.
async function say(url, text) {
  const headers = { ...POST_HEADERS, ...fieldsOf(JSON.parse(text)) };
  const { status, body } = await whole(request(url, { method: 'POST', headers, body: text }));
  return { status, body };
}

const asking = (id, say, more = '') =>
  `{"jsonrpc":"2.0", "id":${id},"method":"prompts/get","params":{"_meta":{${META},"org.example/y": 1.50},` +
  `"name":"p","say":${JSON.stringify(say)}${more}},"z":null}`;

suite('what a client and a server of 2026-07-28 say', () => {
  test('passes byte for byte', async (t) => {
    const { gateway, heard } = await wordsGateway(t);
    const results = [
      '"result":{"resultType":"complete","messages":[], "x":1.50,"big":123456789012345678901234567890}',
      '"result":{"resultType":"org.example/other","_meta":{"a":{"b":[1.0,2]}},"é":"\\u00e9"}',
      '"result":{"resultType":"input_required","requestState":"s+/=\\"","inputRequests":{"k":{"method":"org.example/ask"}}}',
    ];
    for (const [index, result] of results.entries()) {
      const more = ',"task":{"ttl":1},"inputResponses":{"k":{"x": 1.0}},"requestState":"s+/=\\""';
      const answer = await say(gateway.url, asking(`"id ${index}"`, result, more));
      assert.equal(answer.status, 200);
      assert.equal(answer.body, `{"jsonrpc":"2.0","id":"id ${index}",${result}}`);
      assert.equal(heard()[index].replace(/"id":[^,]*/, ''), asking('', result, more).replace('"id":', ''));
    }
  });

  // JSON web tokens, itsdangerous, and a state of another gateway of this kind.
  for (const state of [
    'eyJhbGciOiJIUzI1NiJ9.eyJzIjoxfQ.dBjftJeZ4CVP',
    'eyJzIjoxfQ.aSfbHQ.Zy1xbVZ0',
    `${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64url')}.7.1.${'0a'.repeat(32)}`,
  ])
    test(`may have the state ${state.slice(0, 20)}…`, async (t) => {
      const { gateway, heard } = await wordsGateway(t);
      const more = `,"requestState":"${state}"`;
      const { body } = await say(gateway.url, asking('1', '"result":{"resultType":"complete"}', more));
      assert.equal(body, '{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete"}}');
      assert.ok(heard()[0].includes(more), heard()[0]);
    });

  test('is complete when the server does not say', async (t) => {
    const { gateway } = await wordsGateway(t);
    for (const [members, comma] of [['', ''], ['"messages":[], "x":1.50', ',']]) {
      const { body } = await say(gateway.url, asking('1', `"result":{${members}}`));
      assert.equal(body, `{"jsonrpc":"2.0","id":1,"result":{${members}${comma}"resultType":"complete"}}`);
    }
  });

  test('is an internal error where only the gateway can be at fault', async (t) => {
    const { gateway } = await wordsGateway(t);
    const lack = '"error":{"code":-32021,"message":"m","data":{"requiredCapabilities":{"roots":{}}}}';
    const mismatch = '"error":{"code":-32020,"message":"m"}', version = '"error":{"code":-32022,"message":"m"}';
    for (const words of [lack, mismatch, version, '"result":null', '"result":"{}"']) {
      const { status, body } = await say(gateway.url, asking('1', words));
      assert.deepEqual([status, JSON.parse(body).error.code], [200, -32603], words);
    }
  });

  test('has the status of its error', async (t) => {
    const { gateway } = await wordsGateway(t);
    for (const [code, status] of [[-32601, 404], [-32602, 200], [-32050, 200], [7, 200]]) {
      const error = `"error":{"code":${code},"message":"m","data":{"x": 1.50}}`;
      const answer = await say(gateway.url, asking('1', error));
      assert.deepEqual(answer, { status, body: `{"jsonrpc":"2.0","id":1,${error}}` });
    }
    const lack = '"error":{"code":-32021,"message":"m","data":{"requiredCapabilities":{"extensions": {"a/b":{}}}}}';
    assert.deepEqual(await say(gateway.url, asking('1', lack)), { status: 400, body: `{"jsonrpc":"2.0","id":1,${lack}}` });
  });

  test('is what the server is, too', async (t) => {
    const { gateway } = await wordsGateway(t);
    const discover = `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{${META}}}}`;
    const { body } = await say(gateway.url, discover);
    assert.match(body, /"ttlMs":60000,"cacheScope":"public", "capabilities":.*"org.example\/x":\{"n":1.50\}.*"more":\[1.0\]/);
    const list = discover.replace('server/discover', 'tools/list');
    assert.match((await say(gateway.url, list)).body, /"x": 1.50.*"ttlMs":7,"cacheScope":"public"/);
  });
});

suite('the only server of a file', () => {
  const words = () => {
    const [command, ...args] = fixture('modern-words', join(scratch(), 'journal'));
    return { command, args };
  };

  test('is spoken to as it is', async (t) => {
    const gateway = await gatewayWith(t, { mcpServers: { only: words() } });
    const result = '"result":{"resultType":"org.example/other","requestState":"its own", "x":1.50}';
    const { body } = await say(gateway.at('/mcp'), asking('7', result));
    assert.equal(body, `{"jsonrpc":"2.0","id":7,${result}}`);
  });

  test('is merged with one that comes later, and what was parked goes on', async (t) => {
    const [command, ...args] = fixture('stdio');
    const only = { command, args };
    const gateway = await gatewayWith(t, { mcpServers: { only } });
    const caller = new Caller(gateway.at('/mcp'), { can: ALL });
    const params = { name: 'test_elicitation', arguments: { message: 'Who?' } };
    const told = assertAsked(await caller.ask('tools/call', params), 'elicitation/create');
    await reload(gateway, { mcpServers: { only, more: words() } });
    await until('both are there', async () => {
      const { result } = await caller.ask('tools/list');
      return result?.tools.some(({ name }) => name === 'more__t');
    });
    const answers = answersTo(told, () => accepted({ username: 'ada', email: 'a@example.com' }));
    const { result, error } = await caller.ask('tools/call', { ...params, ...answers });
    assert.match(result?.content[0].text ?? JSON.stringify(error), /accept/);
  });
});

suite('several servers of 2026-07-28 as one', () => {
  async function merged(t, others = {}, can = ALL) {
    const [command, ...args] = fixture('modern-words', join(scratch(), 'journal'));
    const mcpServers = { one: { command, args }, two: { command, args }, ...others };
    const gateway = await gatewayWith(t, { mcpServers, gateway: { listPatience: '60s' } });
    return new Caller(gateway.at('/mcp'), { can });
  }

  test('list what may be kept as long as any of them allows, and by as many', async (t) => {
    const { result } = await (await merged(t)).ask('tools/list');
    assert.deepEqual(result.tools.map(({ name }) => name), ['one__t', 'two__t']);
    assert.deepEqual([result.ttlMs, result.cacheScope], [7, 'public']);
    const [command, ...args] = fixture('stdio');
    const mixed = await (await merged(t, { old: { command, args } })).ask('tools/list');
    assert.deepEqual([mixed.result.ttlMs, mixed.result.cacheScope], [0, 'private']);
  });

  test('tell what the client really lacks as they do', async (t) => {
    const error = { code: -32021, message: 'm', data: { requiredCapabilities: { sampling: {} } } };
    const params = { name: 'one__p', say: `"error":${JSON.stringify(error)}` };
    const told = async (caller) => {
      const reply = await caller.begin('prompts/get', params);
      return { status: reply.status, error: (await reply.all()).at(-1).error };
    };
    assert.deepEqual(await told(await merged(t, {}, {})), { status: 400, error });
    const { status, error: { code, message } } = await told(await merged(t));
    assert.deepEqual([status, code], [200, -32603]);
    assert.match(message, /refused the client for the lack of what it is capable of/);
  });

  test('give results of any shape, and say for how long', async (t) => {
    const say = '"result":{"resultType":"complete","structuredContent":[1],"content":[],"ttlMs":9,"cacheScope":"public"}';
    const { result } = await (await merged(t)).ask('tools/call', { name: 'two__t', arguments: {}, say });
    assert.deepEqual(result.structuredContent, [1]);
  });

  test('is asked for anew, however long and for whomever the server lets it be kept', async (t) => {
    const { gateway, heard } = await wordsGateway(t);
    for (const [n, scope] of ['public', 'private', 'public'].entries()) {
      const result = `"result":{"resultType":"complete","prompts":[],"n":${n},"ttlMs":9007199254740991,"cacheScope":"${scope}"}`;
      const list = asking('1', result).replace('prompts/get', 'prompts/list');
      assert.ok((await say(gateway.url, list)).body.includes(`"n":${n}`));
    }
    assert.equal(heard().length, 3);
  });
});

suite('a client and a server of 2026-07-28, both by the official SDK', () => {
  const WAYS = {
    alone: (t) => gatewayFor(t, fixture('modern-stdio')),
    'shared with others': (t) => shared(t, { sharing: 'shared' }),
    'of a pool': (t) => shared(t, { sharing: 'pool', poolSize: 1 }),
  };
  async function shared(t, how) {
    const [command, ...args] = fixture('modern-stdio');
    const gateway = await gatewayWith(t, { mcpServers: { it: { command, args, ...how } } });
    return Object.assign(Object.create(gateway), { url: gateway.at('/servers/it/mcp') });
  }
  const answering = (client) => {
    client.setRequestHandler('elicitation/create', () => accepted({ name: 'Ada' }));
    client.setRequestHandler('sampling/createMessage', () => said('Aha'));
    client.setRequestHandler('roots/list', () => ({ roots: [{ uri: 'file:///home' }] }));
  };

  for (const [way, start] of Object.entries(WAYS))
    test(`work together: ${way}`, async (t) => {
      const gateway = await start(t);
      const { client } = await connectModern(t, gateway.url, { can: ALL, prepare: answering });
      const call = async (name, args = {}, options = undefined) => client.callTool({ name, arguments: args }, options);
      const [state] = (await call('ask')).content.slice(1);
      assert.equal(state.text, 'state of ask');
      const [answers] = (await call('ask_all')).content;
      assert.deepEqual(Object.keys(JSON.parse(answers.text)).toSorted(), ['name', 'roots', 'sample']);
      const steps = [];
      await call('steps', { ms: 1_000 }, { onprogress: ({ progress }) => steps.push(progress) });
      assertSteps(steps, 2);
      const [, told] = (await call('era')).content;
      assert.equal(JSON.parse(told.text)['io.modelcontextprotocol/clientInfo'].name, 'system-test-modern');
      assert.deepEqual((await call('numbers')).structuredContent, [1, 2]);
    });

  test('keep to one process for a call, though each request has its own', async (t) => {
    const [command, ...args] = fixture('modern-stdio');
    const own = { command, args, affinity: 'none', sharing: 'session' };
    const gateway = await gatewayWith(t, { mcpServers: { it: own } });
    const caller = new Caller(gateway.at('/servers/it/mcp'), { can: ALL });
    const asked = await caller.call('ask');
    const [key] = Object.keys(asked.result.inputRequests);
    assert.notEqual(asked.result.requestState, 'state of ask');
    const inputResponses = { [key]: accepted({ name: 'Bob' }) };
    const { requestState } = asked.result;
    const { result } = await caller.ask('tools/call', { name: 'ask', arguments: {}, inputResponses, requestState });
    assert.deepEqual(JSON.parse(result.content[0].text), { name: accepted({ name: 'Bob' }) });
  });

  const PLACES = {
    'for who is known': (t) => gatewayFor(t, fixture('modern-stdio')),
    'where requests have nothing in common but the process': (t) => shared(t, { affinity: 'none' }),
    'where all of them are strangers': (t) => behind(t, fixture('modern-stdio')),
  };
  // A fixture behind a proxy, which is all that the gateway sees.
  async function behind(t, server) {
    const gateway = await gatewayFor(t, server, '--trusted-proxy', '127.0.0.1');
    return Object.assign(Object.create(gateway), { headers: { 'X-Forwarded-For': '203.0.113.7' } });
  }

  for (const [place, start] of Object.entries(PLACES))
    test(`keep the state of a call in the call alone, ${place}`, async (t) => {
      const gateway = await start(t);
      const caller = new Caller(gateway.url, { can: ALL, headers: gateway.headers });
      const asked = await caller.call('ask');
      assert.equal(asked.result.requestState, 'state of ask');
      const inputResponses = { name: accepted({ name: 'Bob' }) };
      const params = { name: 'ask', arguments: {}, inputResponses, requestState: 'state of ask' };
      for (const _ of [1, 2]) {
        const { result } = await caller.ask('tools/call', params);
        assert.deepEqual(JSON.parse(result.content[0].text), inputResponses);
      }
    });
});
