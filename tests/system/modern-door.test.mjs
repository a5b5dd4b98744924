// A single 2026-07-28 request over HTTP: answers, refusals, and the order of checks.
import assert from 'node:assert/strict';
import http from 'node:http';
import { after, before } from 'node:test';
import { suite, test } from './lib/concurrently.mjs';
import { KeyFile, newKey } from './lib/credentials.mjs';
import { fixture, gatewayFor } from './lib/gateway.mjs';
import { request } from './lib/http.mjs';
import {
  assertAsked, assertRefused, Caller, envelope, fieldsOf, key, MODERN, modernRequest, ofTheGateway, startModern, textOf,
} from './lib/modern.mjs';
import { initializeRequest, LATEST, post, POST_HEADERS, Session, toolCall } from './lib/session.mjs';

const EVIL = 'http://evil.example.com';
const HEADER_MISMATCH = -32020;
const MISSING_CAPABILITY = -32021;
const UNSUPPORTED_VERSION = -32022;
const VERSION = 'mcp-protocol-version';

const list = (id = 1, meta = envelope()) => modernRequest(id, 'tools/list', {}, meta);
const call = (name, args = {}, meta = envelope()) =>
  modernRequest('call', 'tools/call', { name, arguments: args }, meta);
const without = (name, meta = envelope()) => {
  const { [key(name)]: left, ...rest } = meta;
  return rest;
};
const base64 = (text) => `=?base64?${Buffer.from(text).toString('base64')}?=`;

suite('a request of 2026-07-28', () => {
  let server;
  let caller;
  before(async () => {
    server = await startModern();
    caller = new Caller(server.url);
  });
  after(() => server.stop());

  const send = (message, headers) => caller.post(message, headers);
  const assertServed = async (message, headers, what = '') => {
    const reply = await send(message, headers);
    await reply.done;
    assert.equal(reply.status, 200, `${what} ${reply.status} ${reply.received}`);
    const { id, result } = reply.messages.at(-1);
    assert.equal(id, message.id);
    assert.ok(result, `${what} ${reply.received}`);
    return result;
  };
  const assertMismatch = async (message, headers, what) =>
    assertRefused(await send(message, headers), 400, HEADER_MISMATCH, message.id, what);

  test('is served without a session, as one JSON object', async () => {
    const reply = await send(list());
    const [{ result }] = await reply.all();
    assert.match(reply.headers['content-type'], /^application\/json/);
    assert.equal(reply.headers['mcp-session-id'], undefined);
    assert.ok(result.tools.some(({ name }) => name === 'test_simple_text'));
  });

  test('gets a result that says of which type it is, who made it, and for how long it is good', async () => {
    const cacheable = [
      modernRequest(1, 'server/discover'),
      list(),
      modernRequest(1, 'prompts/list'),
      modernRequest(1, 'resources/list'),
      modernRequest(1, 'resources/templates/list'),
      modernRequest(1, 'resources/read', { uri: 'test://static-text' }),
    ];
    for (const message of cacheable) {
      const result = await assertServed(message, {}, message.method);
      assert.equal(result.resultType, 'complete', message.method);
      assert.ok(Number.isInteger(result.ttlMs) && result.ttlMs >= 0, message.method);
      assert.ok(['private', 'public'].includes(result.cacheScope), message.method);
      assert.equal(result._meta[key('serverInfo')].name, 'fixture', message.method);
    }
    const called = await assertServed(call('test_simple_text'));
    assert.equal(called.resultType, 'complete');
    assert.equal(called._meta[key('serverInfo')].name, 'fixture');
    assert.ok(!('ttlMs' in called) && !('cacheScope' in called));
  });

  test('is told by server/discover what the server can', async () => {
    const { supportedVersions, capabilities } = await assertServed(modernRequest(1, 'server/discover'));
    assert.ok(supportedVersions.includes(MODERN));
    const changing = { listChanged: true };
    assert.deepEqual(capabilities, {
      tools: changing,
      prompts: changing,
      resources: { subscribe: true, ...changing },
      logging: {},
      completions: {},
    });
  });

  test('gets its id back as it came, whatever others have the same', async () => {
    for (const id of ['"a b"', '"7"', '7', '-1', '0', '9007199254740991', '""']) {
      const message = JSON.stringify(list('id')).replace('"id":"id"', `"id":${id}`);
      const reply = await post(server.url, message, fieldsOf(list()));
      await reply.done;
      assert.equal(reply.status, 200, reply.received);
      assert.ok(reply.received.includes(`"id":${id}`), reply.received);
    }
    const same = await Promise.all(Array.from({ length: 8 }, () => assertServed(call('test_simple_text'))));
    assert.equal(same.length, 8);
  });

  // -- refusals, in the order of checks -------------------------------------------------------------------------------

  test('is refused from a foreign origin or for a foreign host: 403', async () => {
    assert.equal((await send(list(), { host: 'evil.example.com' })).status, 403);
    if (!ofTheGateway) assert.equal((await send(list(), { origin: EVIL })).status, 403);
    await assertServed(list(), { host: `localhost:${server.port}` });
  });

  test('is a POST: 405, and what is allowed', async () => {
    for (const method of ['GET', 'DELETE', 'PUT', 'PATCH', 'HEAD']) {
      const headers = { [VERSION]: MODERN, accept: 'text/event-stream' };
      const reply = await request(server.url, { method, headers });
      assert.equal(reply.status, 405, method);
      if (['GET', 'DELETE'].includes(method) && !ofTheGateway) assert.equal(reply.headers.allow, 'POST', method);
    }
  });

  test('is refused when it is not JSON by its type: 415', async () => {
    for (const type of ['text/plain', 'application/jsonp'])
      assert.equal((await send(list(), { 'content-type': type })).status, 415, type);
  });

  test('is refused when the client would not take the answer: 406', { skip: ofTheGateway }, async () => {
    for (const accept of ['application/json', 'text/event-stream', 'text/html'])
      assert.equal((await send(list(), { accept })).status, 406, accept);
    await assertServed(list(), { accept: '*/*' });
  });

  test('is refused when it is no message: 400', async () => {
    const headers = fieldsOf(list());
    for (const body of ['{', '', '{"jsonrpc":"2.0"'])
      await assertRefused(await post(server.url, body, headers), 400, -32700, undefined, body);
    const response = { jsonrpc: '2.0', id: 1, result: {} };
    for (const body of ['[]', '42', 'null', '{}', JSON.stringify([list()])])
      await assertRefused(await post(server.url, body, headers), 400, -32600, undefined, body);
    const reply = await post(server.url, response, headers);
    await reply.done;
    assert.deepEqual([reply.status, reply.messages[0].error.code], [400, -32600]);
    for (const id of [null, true, 1.5, {}]) {
      const foul = await post(server.url, { ...list(), id }, headers);
      await foul.done;
      assert.deepEqual([foul.status, foul.messages[0].error.code], [400, -32600], JSON.stringify(id));
    }
  });

  test('is refused when it does not say of itself what it must: 400 and -32602', async () => {
    const missing = {
      'no parameters': { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      'no _meta': { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
      'an empty _meta': list(1, {}),
      'no version': list(1, without('protocolVersion')),
      'no capabilities': list(1, without('clientCapabilities')),
      'capabilities that are no object': list(1, { ...envelope(), [key('clientCapabilities')]: [] }),
    };
    for (const [what, message] of Object.entries(missing))
      await assertRefused(await send(message), 400, -32602, 1, what);
    const level = list(1, { ...envelope(), [key('logLevel')]: 'loud' });
    if (!ofTheGateway) await assertRefused(await send(level), 400, -32602, 1, 'a level that is none');
    await assertServed(list(1, without('clientInfo')));
  });

  test('is refused when its header has another version, or none: 400 and -32020', async () => {
    const { [VERSION]: version, ...none } = fieldsOf(list());
    await assertRefused(await post(server.url, list(), none), 400, HEADER_MISMATCH, 1, 'no version');
    for (const other of [LATEST, '2026-07-29', '']) await assertMismatch(list(), { [VERSION]: other }, other);
    const newer = list(1, { ...envelope(), [key('protocolVersion')]: 'v999.0.0' });
    await assertMismatch(newer, {}, 'a newer one in the parameters');
    if (!ofTheGateway) await assertMismatch(list(), { [VERSION]: [MODERN, LATEST] }, 'two of them');
    await assertServed(list(), { [VERSION]: ` ${MODERN}\t` });
  });

  test('is told which versions there are when it is of another: 400 and -32022', async () => {
    for (const requested of ['v999.0.0', '2027-01-01']) {
      const message = list(1, { ...envelope(), [key('protocolVersion')]: requested });
      const { data } = await assertRefused(
        await send(message, { [VERSION]: requested }), 400, UNSUPPORTED_VERSION, 1, requested,
      );
      assert.equal(data.requested, requested);
      assert.ok(data.supported.includes(MODERN));
    }
  });

  test('is refused when its header names another method, or none: 400 and -32020', async () => {
    const { 'mcp-method': method, ...none } = fieldsOf(list());
    await assertRefused(await post(server.url, list(), none), 400, HEADER_MISMATCH, 1, 'no method');
    for (const other of ['tools/call', 'TOOLS/LIST', '']) await assertMismatch(list(), { 'mcp-method': other }, other);
    if (!ofTheGateway) await assertMismatch(list(), { 'mcp-method': [method, method] }, 'two of them');
    await assertServed(list(), { 'mcp-method': `  ${method} ` });
    const upper = Object.entries(none).map(([name, value]) => [name.toUpperCase(), value]);
    const reply = await post(server.url, list(), { ...Object.fromEntries(upper), 'MCP-METHOD': method });
    assert.equal(reply.status, 200);
  });

  test('is refused when its header names another tool, prompt or resource, or none: 400 and -32020', async () => {
    const named = [
      call('test_simple_text'),
      modernRequest(1, 'prompts/get', { name: 'test_simple_prompt' }),
      modernRequest(1, 'resources/read', { uri: 'test://static-text' }),
    ];
    for (const message of named) {
      const { 'mcp-name': name, ...none } = fieldsOf(message);
      await assertRefused(await post(server.url, message, none), 400, HEADER_MISMATCH, message.id, message.method);
      const upper = base64(name).replace('base64', 'BASE64');
      for (const other of [`${name}x`, name.toUpperCase(), '', '=?base64?@@@?=', upper])
        await assertMismatch(message, { 'mcp-name': other }, other);
      for (const same of [` ${name}  `, base64(name)]) await assertServed(message, { 'mcp-name': same }, same);
    }
    await assertServed(list(), { 'mcp-name': 'of nothing' });
  });

  test('asks for what there is not: 404 and -32601', async () => {
    const removed = ['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe'];
    for (const method of [...removed, 'tasks/list', 'no/such'])
      await assertRefused(await send(modernRequest(7, method)), 404, -32601, 7, method);
  });

  test('repeats in its header the arguments that its tool wants there: 400', { skip: ofTheGateway }, async () => {
    const tool = (args) => call('test_x_mcp_header', args);
    await assertServed(list());
    const good = [
      [{ region: 'eu' }, { 'mcp-param-region': 'eu' }],
      [{ region: 'eu' }, { 'MCP-PARAM-REGION': '  eu ' }],
      [{ region: 'grün' }, { 'mcp-param-region': base64('grün') }],
      [{ region: 'eu' }, { 'mcp-param-region': base64('eu') }],
      [{ region: null }, {}],
      [{ open: true, place: { floor: 42 } }, { 'mcp-param-open': 'true', 'mcp-param-floor': '42' }],
      [{ place: { floor: 42 } }, { 'mcp-param-floor': '42.0' }],
      [{ other: 'x' }, { 'mcp-param-other': 'y' }],
      [{}, {}],
    ];
    for (const [args, headers] of good) {
      const result = await assertServed(tool(args), headers, JSON.stringify([args, headers]));
      assert.deepEqual(JSON.parse(result.content[0].text), args);
    }
    const bad = [
      [{ region: 'eu' }, {}],
      [{ region: 'eu' }, { 'mcp-param-region': 'EU' }],
      [{ region: 'eu' }, { 'mcp-param-region': '=?base64?@@@?=' }],
      [{ region: 'eu' }, { 'mcp-param-region': '=?BASE64?ZXU=?=' }],
      [{ region: 'eu' }, { 'mcp-param-region': ['eu', 'eu'] }],
      [{}, { 'mcp-param-region': 'eu' }],
      [{ open: true }, { 'mcp-param-open': 'True' }],
      [{ place: { floor: 42 } }, { 'mcp-param-floor': '43' }],
      [{ place: { floor: 42 } }, {}],
    ];
    for (const [args, headers] of bad) await assertMismatch(tool(args), headers, JSON.stringify([args, headers]));
  });

  test('is told what its client would have to be able to be asked: 400 and -32021', async () => {
    const { data } = await assertRefused(
      await send(call('test_missing_capability')), 400, MISSING_CAPABILITY, 'call',
    );
    assert.deepEqual(data.requiredCapabilities, { sampling: {} });
    const can = envelope({ sampling: {} });
    const asked = await (await send(call('test_missing_capability', {}, can))).all();
    assertAsked(asked.at(-1), 'sampling/createMessage');
  });

  test('gets the error of a server as it is: 200', async () => {
    await assertRefused(await send(call('no_such_tool')), 200, -32602, 'call');
    const uri = 'test://nowhere';
    const reply = await send(modernRequest(1, 'resources/read', { uri }));
    const { data } = await assertRefused(reply, 200, -32602, 1);
    assert.equal(data.uri, uri);
    assert.equal((await assertServed(call('test_error_handling'))).isError, true);
  });

  // -- notifications, streams, sessions -------------------------------------------------------------------------------

  test('that is a notification gets 202, and does nothing', async () => {
    const running = caller.beginCall('test_tool_with_progress', {}, { progressToken: 'mine' });
    const told = (method, params) => ({ jsonrpc: '2.0', method, params });
    const cancels = told('notifications/cancelled', { requestId: 'tools/call 1' });
    for (const message of [cancels, told('notifications/anything'), told('notifications/roots/list_changed')]) {
      const reply = await post(server.url, message, { [VERSION]: MODERN });
      await reply.done;
      assert.deepEqual([reply.status, reply.received], [202, ''], message.method);
    }
    assert.equal(textOf((await (await running).all()).at(-1)), 'Progress reported');
  });

  test('is answered by a stream when something precedes the answer, without ids of events', async () => {
    const reply = await send(call('test_tool_with_progress', {}, { ...envelope(), progressToken: 'mine' }));
    const messages = await reply.all();
    assert.equal(reply.status, 200);
    assert.ok(reply.isStream);
    assert.match(reply.headers['cache-control'], /no-cache/);
    assert.equal(reply.headers['mcp-session-id'], undefined);
    assert.ok(reply.events.every(({ id }) => id === undefined));
    const steps = messages.slice(0, -1).map(({ method, params }) => [method, params.progressToken, params.progress]);
    assert.deepEqual(steps, [0, 50, 100].map((step) => ['notifications/progress', 'mine', step]));
    assert.equal(messages.at(-1).result.resultType, 'complete');
  });

  test('gets log messages only as it asked for them', async () => {
    const logsAt = async (level) => {
      const meta = { ...envelope(), ...(level && { [key('logLevel')]: level }) };
      const messages = await (await send(call('test_logging_tool', {}, meta))).all();
      assert.equal(textOf(messages.at(-1)), 'Logged');
      return messages.slice(0, -1).map(({ method, params }) => `${method} ${params.level}`);
    };
    const told = ['debug', 'warning'].map((level) => `notifications/message ${level}`);
    assert.deepEqual(await logsAt(undefined), []);
    assert.deepEqual(await logsAt('debug'), told);
    assert.deepEqual(await logsAt('warning'), told.slice(1));
    assert.deepEqual(await logsAt('error'), []);
  });

  test('may name a session and an event: neither matters', async () => {
    const headers = { 'mcp-session-id': 'f'.repeat(32), 'last-event-id': '7' };
    const reply = await send(list(), headers);
    await reply.done;
    assert.equal(reply.status, 200, reply.received);
    assert.equal(reply.headers['mcp-session-id'], undefined);
  });
});

suite('requests of both eras', () => {
  let gateway;
  before(async () => (gateway = await startModern()));
  after(() => gateway.stop());

  test('pass on one connection and know nothing of each other', { skip: ofTheGateway }, async (t) => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    t.after(() => agent.destroy());
    const sockets = new Set();
    const send = async (message, headers) => {
      const body = JSON.stringify(message);
      const fields = { ...POST_HEADERS, ...headers };
      const reply = await request(gateway.url, { method: 'POST', headers: fields, body, agent });
      await reply.done;
      sockets.add(reply.socket);
      return reply;
    };
    const opened = await send(initializeRequest());
    const id = opened.headers['mcp-session-id'];
    assert.equal(opened.status, 200);
    const session = new Session(gateway.url, id, LATEST);
    const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };
    assert.equal((await send(initialized, session.headers)).status, 202);
    const modern = call('test_simple_text');
    for (let n = 1; n <= 3; ++n) {
      const stateless = await send(modern, { ...fieldsOf(modern), 'mcp-session-id': id });
      assert.equal(stateless.messages[0].result.resultType, 'complete', stateless.received);
      assert.equal(stateless.headers['mcp-session-id'], undefined);
      const called = await send(toolCall(n, 'test_simple_text'), session.headers);
      const { result } = called.messages.at(-1);
      assert.ok(result.content && !('resultType' in result) && !result._meta, called.received);
    }
    assert.equal(sockets.size, 1);
    const ended = await request(gateway.url, { method: 'DELETE', headers: { ...session.headers, [VERSION]: MODERN } });
    assert.equal(ended.status, 405, 'a client of 2026-07-28 ends no session');
    assert.equal((await session.ping()).status, 200);
    assert.equal((await session.delete()).status, 200);
  });

  test('are told by initialize with a header of 2026-07-28 what is wrong', async () => {
    const reply = await post(gateway.url, initializeRequest(), { [VERSION]: MODERN, 'mcp-method': 'initialize' });
    await reply.done;
    assert.ok([400, 404].includes(reply.status), reply.received);
    assert.equal(reply.messages[0].id, 0);
    assert.equal(reply.headers['mcp-session-id'], undefined);
  });
});

test('who has no key is told so before anything else: 401', { skip: ofTheGateway }, async (t) => {
  const gateway = await gatewayFor(t, fixture('stdio'), '--keys', new KeyFile(newKey('ada')).path);
  const caller = new Caller(gateway.url);
  for (const body of [list(), modernRequest(1, 'no/such'), '{'])
    assert.equal((await post(caller.url, body, { [VERSION]: MODERN })).status, 401);
  assert.equal((await request(gateway.url, { method: 'DELETE', headers: { [VERSION]: MODERN } })).status, 401);
});
