// Remote 2026-07-28 servers for clients of both eras.
import assert from 'node:assert/strict';
import {
  CreateMessageRequestSchema, ElicitRequestSchema, ListRootsRequestSchema, LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema, ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { LOG_LEVEL_META_KEY } from '@modelcontextprotocol/client';
import { remoteFor, text } from './fixture/remote-script.mjs';
import { suite, test } from './lib/concurrently.mjs';
import { connect } from './lib/client.mjs';
import { gatewayWith } from './lib/config.mjs';
import { fixture, serve } from './lib/gateway.mjs';
import { accepted, ALL, Caller, MODERN, said } from './lib/modern.mjs';
import { connectModern, MODES } from './lib/modern-client.mjs';
import { freePort } from './lib/ports.mjs';
import { assertSteps } from './lib/progress.mjs';
import { initializeRequest, openSession, post } from './lib/session.mjs';
import { until } from './lib/until.mjs';
import { RemoteServer } from './lib/via.mjs';

const PATH = '/servers/far/mcp';
const QUICK = { firstDelay: '100ms', longestDelay: '200ms', attempts: 100 };
const textsOf = ({ content }) => content.map(({ text }) => text);

async function modernFor(t, { port, legacy = false } = {}) {
  const at = port ?? (await freePort());
  const command = fixture('modern-http', String(at), ...(legacy ? ['legacy'] : []));
  const remote = await new RemoteServer(command, at, '/mcp').listening();
  t.after(() => remote.stop());
  return remote;
}

// A second gateway for the same server on stdio.
async function gatewayBehind(t) {
  const gateway = await serve('--', ...fixture('modern-stdio'));
  t.after(() => gateway.stop());
  return gateway;
}

async function gatewayTo(t, url, how = {}, ...flags) {
  const gateway = await gatewayWith(t, { mcpServers: { far: { url, ...how } } }, ...flags);
  return Object.assign(Object.create(gateway), { url: gateway.at(PATH) });
}

const refusing = (status, message = undefined) => (exchange) =>
  message
    ? exchange.status(status, { 'content-type': 'application/json' }, JSON.stringify({ jsonrpc: '2.0', ...message }))
    : exchange.status(status);
const refusal = (code, id = null) => ({ id, error: { code, message: 'no' } });

const DATA = { supported: [MODERN], requested: '2025-11-25' };
const MODERN_ONLY = {
  initialize: refusing(400, { id: null, error: { code: -32022, message: 'no', data: DATA } }),
  'server/discover': (exchange) =>
    exchange.result({ resultType: 'complete', supportedVersions: [MODERN], capabilities: { tools: {} } }),
};

// -- common interface of clients --------------------------------------------------------------------------------------

const NAMED = { elicitation: 'elicitation/create', sampling: 'sampling/createMessage', roots: 'roots/list' };
const ANSWERS = {
  [NAMED.elicitation]: () => accepted({ name: 'Ada' }),
  [NAMED.sampling]: () => said('Aha'),
  [NAMED.roots]: () => ({ roots: [{ uri: 'file:///home' }] }),
};
const answering = (client) => {
  for (const [method, answer] of Object.entries(ANSWERS)) client.setRequestHandler(method, answer);
};

async function firstClient(t, url) {
  const schemas = [
    [ElicitRequestSchema, NAMED.elicitation], [CreateMessageRequestSchema, NAMED.sampling], [ListRootsRequestSchema, NAMED.roots],
  ];
  const { client } = await connect(t, url, ALL, (made) =>
    schemas.forEach(([schema, method]) => made.setRequestHandler(schema, ANSWERS[method])),
  );
  const changes = {
    'notifications/resources/updated': ResourceUpdatedNotificationSchema,
    'notifications/tools/list_changed': ToolListChangedNotificationSchema,
    'notifications/message': LoggingMessageNotificationSchema,
  };
  return {
    call: (name, args = {}, options = {}) => client.callTool({ name, arguments: args }, undefined, options),
    on: (method, hear) => client.setNotificationHandler(changes[method], hear),
    watch: (uri) => client.subscribeResource({ uri }),
    callLogging: async (name, args = {}) => {
      await client.setLoggingLevel('warning');
      return client.callTool({ name, arguments: args });
    },
    client,
  };
}

const secondClient = (mode) => async (t, url) => {
  const { client } = await connectModern(t, url, { mode: MODES[mode], can: ALL, prepare: answering });
  const call = (name, args = {}, options = {}) => client.callTool({ name, arguments: args }, options);
  const isModern = mode === 'modern';
  return {
    call,
    on: (method, hear) => client.setNotificationHandler(method, hear),
    watch: (uri) =>
      isModern
        ? client.listen({ resourceSubscriptions: [uri], toolsListChanged: true })
        : client.subscribeResource({ uri }),
    callLogging: async (name, args = {}) => {
      if (isModern)
        return client.callTool({ name, arguments: args, _meta: { [LOG_LEVEL_META_KEY]: 'warning' } });
      await client.setLoggingLevel('warning');
      return call(name, args);
    },
    client,
  };
};

const CLIENTS = {
  'the first SDK': firstClient,
  'the second SDK with sessions': secondClient('legacy'),
  'the second SDK of 2026-07-28': secondClient('modern'),
};

const SERVERS = {
  'a modern server': async (t) => (await modernFor(t)).url,
  'a server of both eras': async (t) => (await modernFor(t, { legacy: true })).url,
  'a gateway before a modern server': async (t) => (await gatewayBehind(t)).url,
};

// When the SDK's server supports both eras, its session-based part has neither a stream for server requests nor
// subscriptions.
const asksBack = (server, client) => !server.includes('both') || client.includes('of 2026');

for (const [server, start] of Object.entries(SERVERS))
  for (const [name, open] of Object.entries(CLIENTS))
    test(`${name} works with ${server}`, async (t) => {
      const gateway = await gatewayTo(t, await start(t));
      const { client, call, on, watch, callLogging } = await open(t, gateway.url);
      assert.equal(client.getServerVersion().name, 'modern-fixture');
      assert.equal(client.getInstructions(), 'be kind');
      assert.ok((await client.listTools()).tools.some((tool) => tool.name === 'echo'));
      assert.deepEqual(textsOf(await call('echo', { message: 'grüße' })), ['grüße']);
      assert.equal((await client.readResource({ uri: 'note://a' })).contents[0].text, 'a note');
      const { messages } = await client.getPrompt({ name: 'hello', arguments: { who: 'you' } });
      assert.equal(messages[0].content.text, 'Hello you');
      const steps = [];
      await call('steps', { ms: 500 }, { onprogress: ({ progress }) => steps.push(progress) });
      assertSteps(steps, 2);
      if (!asksBack(server, name)) return;
      assert.deepEqual(JSON.parse(textsOf(await call('ask'))[0]), { name: accepted({ name: 'Ada' }) });
      const all = JSON.parse(textsOf(await call('ask_all'))[0]);
      assert.deepEqual(Object.keys(all).toSorted(), ['name', 'roots', 'sample']);
      assert.deepEqual(textsOf(await call('wait')), ['waited']);
      const logged = [];
      on('notifications/message', ({ params }) => void logged.push(params.data));
      await callLogging('log');
      await until('the log arrives', () => logged.length > 0);
      assert.deepEqual(logged, ['a warning']);
      const heard = [];
      on('notifications/resources/updated', ({ params }) => void heard.push(params.uri));
      on('notifications/tools/list_changed', () => void heard.push('tools'));
      await watch('note://a');
      await until('the changes are told', async () => {
        await call('change', { uri: 'note://a' });
        return heard.includes('note://a') && heard.includes('tools');
      });
    });

for (const [name, open] of Object.entries(CLIENTS))
  test(`a call that ${name} cancels is cancelled at a modern server`, async (t) => {
    const gateway = await gatewayTo(t, (await modernFor(t)).url);
    const { call } = await open(t, gateway.url);
    const leave = new AbortController();
    const held = call('hold', {}, { signal: leave.signal }).catch(() => 'cancelled');
    await until('the call is held', async () => textsOf(await call('held'))[0] === '1');
    leave.abort();
    assert.equal(await held, 'cancelled');
    await until('the server has let go', async () => textsOf(await call('held'))[0] === '0');
  });

suite('a modern server behind a URL', () => {
  for (const [way, how] of Object.entries({
    shared: { sharing: 'shared' },
    'of a pool': { sharing: 'pool', poolSize: 1 },
    restarted: { restart: true },
    'of that configured era': { era: 'modern' },
  }))
    test(`serves clients of both eras: ${way}`, async (t) => {
      const gateway = await gatewayTo(t, (await modernFor(t)).url, how);
      for (const open of Object.values(CLIENTS)) {
        const { call } = await open(t, gateway.url);
        assert.match(textsOf(await call('ask'))[0], /"Ada"/);
      }
    });

  test('hears of each of those who share it', async (t) => {
    const gateway = await gatewayTo(t, (await modernFor(t)).url, { sharing: 'shared' });
    const infoOf = async ({ call }) =>
      JSON.parse(textsOf(await call('era'))[1])['io.modelcontextprotocol/clientInfo'].name;
    const clients = await Promise.all(Object.values(CLIENTS).map((open) => open(t, gateway.url)));
    const names = await Promise.all(clients.map(infoOf));
    assert.deepEqual(names, ['system-test', 'system-test-modern', 'system-test-modern']);
    const { client } = await connect(t, gateway.url);
    const { isError, content } = await client.callTool({ name: 'ask', arguments: {} }).catch((error) => ({ isError: true, content: [error] }));
    assert.ok(isError, JSON.stringify(content));
  });

  test('logs for the client whose call it is, while it works for others', async (t) => {
    const gateway = await gatewayTo(t, (await modernFor(t)).url, { sharing: 'shared' });
    const clients = await Promise.all(Object.values(CLIENTS).map((open) => open(t, gateway.url)));
    const logs = clients.map(() => []);
    clients.forEach(({ on }, nth) => on('notifications/message', ({ params }) => logs[nth].push(params.data)));
    const slow = clients[0].callLogging('log', { ms: 2000 });
    await until('the slow call has logged', () => logs[0].length === 1);
    for (const { callLogging } of clients.slice(1)) await callLogging('log');
    await Promise.all([clients[2].call('log'), slow]);
    await until('all have been told', () => logs.every((told) => told.length > 0));
    assert.deepEqual(logs, clients.map(() => ['a warning']));
  });

  test('serves clients of both eras where servers are merged', async (t) => {
    const [command, ...args] = fixture('modern-stdio');
    const mcpServers = { far: { url: (await modernFor(t)).url }, near: { command, args } };
    const gateway = await gatewayWith(t, { mcpServers });
    for (const open of Object.values(CLIENTS)) {
      const { call } = await open(t, gateway.url);
      for (const server of ['far', 'near']) assert.match(textsOf(await call(`${server}__ask`))[0], /"Ada"/);
    }
  });

  test('is not what an entry of the session era wants', async (t) => {
    const gateway = await gatewayTo(t, (await modernFor(t)).url, { era: 'legacy' });
    const [{ error }] = await (await post(gateway.url, initializeRequest())).all();
    assert.equal(error.code, -32022);
  });

  test('is sent initialize once for all', async (t) => {
    const calls = (exchange) => exchange.result({ resultType: 'complete', ...text('yes') });
    const remote = await remoteFor(t, { on: { ...MODERN_ONLY, 'tools/call': calls } });
    const gateway = await gatewayTo(t, remote.url);
    for (const _ of [1, 2, 3]) {
      const session = await openSession(gateway.url);
      assert.equal((await session.call(1, 'any')).result.content[0].text, 'yes');
    }
    assert.equal(remote.named('initialize').length, 1);
    assert.equal(remote.named('server/discover').length, 3);
    const [{ headers }] = remote.named('tools/call');
    assert.equal(headers['mcp-protocol-version'], MODERN);
    assert.equal(headers['mcp-method'], 'tools/call');
    assert.equal(headers['mcp-name'], 'any');
    assert.equal(headers['mcp-session-id'], undefined);
    for (const other of ['GET', 'DELETE', 'notifications/initialized']) assert.equal(remote.named(other).length, 0);
  });

  test('gets the header fields that its tools want, also before it has listed them', async (t) => {
    const property = (header) => ({ type: 'string', 'x-mcp-header': header });
    const tool = (name, header) => ({ name, inputSchema: { type: 'object', properties: { region: property(header) } } });
    const tools = [tool('weather', 'Region'), tool('broken', 'no field')];
    const on = {
      ...MODERN_ONLY,
      'tools/list': (exchange) => exchange.result({ resultType: 'complete', tools, ttlMs: 0, cacheScope: 'private' }),
      'tools/call': (exchange) => {
        const region = exchange.headers['mcp-param-region'];
        if (!region) return refusing(400, refusal(-32020))(exchange);
        return exchange.result({ resultType: 'complete', ...text(region) });
      },
    };
    const remote = await remoteFor(t, { on });
    const gateway = await gatewayTo(t, remote.url);
    const session = await openSession(gateway.url);
    const weather = async (id) => (await session.call(id, 'weather', { region: 'grüße' })).result?.content[0].text;
    assert.equal(await weather(1), '=?base64?Z3LDvMOfZQ==?=');
    assert.deepEqual([remote.named('tools/call').length, remote.named('tools/list').length], [2, 1]);
    assert.equal(await weather(2), '=?base64?Z3LDvMOfZQ==?=');
    assert.equal(remote.named('tools/call').length, 3);
    const { client } = await connect(t, gateway.url);
    assert.deepEqual((await client.listTools()).tools.map(({ name }) => name), ['weather']);
    const isTold = (line) => line.includes('x-mcp-header') && line.includes('broken');
    await until('the log tells of the other', () => gateway.log.some(isTold));
  });

  test('serves sessions that begin, and calls, after it has been away', async (t) => {
    const remote = await modernFor(t);
    const gateway = await gatewayTo(t, remote.url, { restart: QUICK });
    const session = await openSession(gateway.url);
    const caller = new Caller(gateway.url);
    const echo = async (who) => (await who.call('echo', { message: 'hi' })).result?.content[0].text === 'hi';
    assert.ok(await echo(caller));
    assert.ok((await session.call(1, 'echo', { message: 'hi' })).result);
    await remote.stop();
    await modernFor(t, { port: remote.port });
    await until('calls succeed again', () => echo(caller));
    const again = await openSession(gateway.url);
    assert.ok((await again.call(1, 'echo', { message: 'hi' })).result);
  });

  test('fails the calls that are under way when it dies, and no session', async (t) => {
    const remote = await modernFor(t);
    const gateway = await gatewayTo(t, remote.url, { restart: QUICK });
    const session = await openSession(gateway.url);
    const caller = new Caller(gateway.url);
    const held = [session.call(1, 'hold'), caller.call('hold')];
    const count = async () => (await caller.call('held')).result.content[0].text;
    await until('both are held', async () => (await count()) === '2');
    await remote.stop();
    for (const { error } of await Promise.all(held)) {
      assert.equal(error.code, -32603);
      assert.match(error.message, /remote MCP server/);
    }
    await modernFor(t, { port: remote.port });
    const hi = { message: 'hi' };
    await until('calls succeed again', async () => (await caller.call('echo', hi)).result?.content);
    let id = 1;
    await until('the session goes on', async () => (await session.call((id += 1), 'echo', hi)).result?.content);
  });

  test('may come back as a server with sessions only, and again', async (t) => {
    const port = await freePort();
    const first = await modernFor(t, { port });
    const gateway = await gatewayTo(t, first.url, { restart: QUICK });
    const opens = async () => {
      const [answer] = await (await post(gateway.url, initializeRequest())).all();
      return answer.result?.serverInfo.name;
    };
    const asks = async () => (await new Caller(gateway.url).call('echo', { message: 'hi' })).result;
    assert.equal(await opens(), 'modern-fixture');
    assert.ok(await asks());
    await first.stop();
    const old = await remoteFor(t, { port });
    await until('a session begins', async () => (await opens()) === 'script');
    await until('a call succeeds', asks);
    old.close();
    await modernFor(t, { port });
    await until('a session begins again', async () => (await opens()) === 'modern-fixture');
    await until('a call succeeds again', asks);
  });
});

// -- requests of other revisions --------------------------------------------------------------------------------------

suite('a remote server with sessions', () => {
  for (const [how, refuse] of Object.entries({
    404: refusing(404),
    400: refusing(400),
    405: refusing(405),
    '400 that wants a session id': refusing(400, refusal(-32000)),
    '400 and a JSON-RPC error': refusing(400, refusal(-32600)),
    '404 and an unknown method': refusing(404, refusal(-32601)),
    'a JSON-RPC error': (exchange) => exchange.json(refusal(-32601, exchange.id)),
  }))
    test(`serves calls of 2026-07-28 although it refuses discover: ${how}`, async (t) => {
      const remote = await remoteFor(t, { on: { 'server/discover': refuse } });
      const gateway = await gatewayTo(t, remote.url);
      const ask = async () => (await new Caller(gateway.url).call('echo', { message: 'hi' })).result?.content[0].text;
      assert.equal(await ask(), 'hi');
      assert.equal(remote.named('server/discover').length, 1);
      assert.equal(remote.named('initialize')[0].headers['mcp-protocol-version'], undefined);
      const other = new Caller(gateway.url, { can: { sampling: {} } });
      assert.equal((await other.call('echo', { message: 'ho' })).result.content[0].text, 'ho');
      assert.equal(remote.named('server/discover').length, 1, 'what it speaks is remembered');
    });

  test('is asked nothing of 2026-07-28 for a session', async (t) => {
    const remote = await remoteFor(t);
    const gateway = await gatewayTo(t, remote.url);
    const session = await openSession(gateway.url);
    assert.ok((await session.call(1, 'echo', { message: 'hi' })).result);
    assert.equal(remote.named('server/discover').length, 0);
  });

  test('is asked nothing of 2026-07-28 where it is configured', async (t) => {
    const remote = await remoteFor(t);
    const gateway = await gatewayTo(t, remote.url, { era: 'legacy' });
    assert.ok((await new Caller(gateway.url).call('echo', { message: 'hi' })).result);
    assert.equal(remote.named('server/discover').length, 0);
  });
});

suite('a remote server of which nothing is known', () => {
  for (const status of [401, 403, 500, 503])
    test(`is served by sessions if it refuses with ${status} to say what it is`, async (t) => {
      const remote = await remoteFor(t, { on: { 'server/discover': refusing(status) } });
      const gateway = await gatewayTo(t, remote.url, { restart: QUICK });
      const ask = () => new Caller(gateway.url).call('echo', { message: 'hi' });
      for (const _ of [1, 2]) assert.ok((await ask()).result);
      assert.equal(remote.named('server/discover').length, 1, 'what was found is remembered');
      await until('the era is logged', () => gateway.log.some((line) => /era"?[=:] ?"?legacy/.test(line)));
    });
});

test('a modern client is not translated by two gateways', async (t) => {
  const behind = await gatewayBehind(t);
  const gateway = await gatewayTo(t, behind.url);
  const caller = new Caller(gateway.url, { can: ALL });
  const asked = await caller.call('ask');
  assert.equal(asked.result.requestState, 'state of ask');
  const inputResponses = { name: accepted({ name: 'Bob' }) };
  const params = { name: 'ask', arguments: {}, inputResponses, requestState: 'state of ask' };
  const { result } = await caller.ask('tools/call', params);
  assert.deepEqual(JSON.parse(result.content[0].text), inputResponses);
  const { client } = await connectModern(t, gateway.url, { mode: MODES.auto });
  assert.equal(client.getNegotiatedProtocolVersion(), MODERN);
});
