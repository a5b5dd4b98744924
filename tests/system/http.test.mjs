import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { exampleServer, startGateway } from './lib/gateway.mjs';
import { request } from './lib/http.mjs';
import { initializeRequest, openSession, post } from './lib/session.mjs';
import { until } from './lib/until.mjs';
import { VIA } from './lib/via.mjs';

// Each node of a cluster has its own limit.
const oneNode = VIA === 'cluster' && 'there is more than one process';

const MAX_BODY = 65_536;
const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };
const EVIL = 'http://evil.example.com';

async function assertError(reply, status, code, text = /./) {
  assert.equal(reply.status, status);
  const [{ error }] = await reply.all();
  assert.equal(error.code, code);
  assert.match(error.message, text);
}

suite('one request over HTTP', () => {
  let gateway;
  let session;
  before(async () => {
    const flags = ['--max-body', String(MAX_BODY), '--allow-origin', 'https://app.example'];
    gateway = await startGateway(exampleServer, ...flags);
    session = await openSession(gateway.url);
  });
  after(() => gateway.stop());

  test('is refused without a session id: 400', async () => {
    await assertError(await post(gateway.url, PING), 400, -32600);
    const listen = await request(gateway.url, { headers: { accept: 'text/event-stream' } });
    await assertError(listen, 400, -32600);
    await assertError(await request(gateway.url, { method: 'DELETE' }), 400, -32600);
  });

  test('is refused with an unknown session id: 404', async () => {
    const unknown = { 'mcp-session-id': 'f'.repeat(32) };
    await assertError(await post(gateway.url, PING, unknown), 404, -32600);
    await assertError(await session.listen(unknown), 404, -32600);
    await assertError(await request(gateway.url, { method: 'DELETE', headers: unknown }), 404, -32600);
  });

  test('is refused from a foreign origin, whatever its method: 403', async () => {
    assert.equal((await session.post(PING, { origin: EVIL })).status, 403);
    assert.equal((await session.listen({ origin: EVIL })).status, 403);
    assert.equal((await session.post(PING, { origin: 'null' })).status, 403);
    const headers = { ...session.headers, origin: EVIL };
    assert.equal((await request(gateway.url, { method: 'DELETE', headers })).status, 403);
    assert.equal((await session.ping()).status, 200);
  });

  test('passes from a loopback or an allowed origin', async () => {
    for (const origin of ['http://localhost:5173', 'http://127.0.0.1', 'https://app.example'])
      assert.equal((await session.post(PING, { origin })).status, 200, origin);
  });

  test('is refused for a foreign host: 403', async () => {
    assert.equal((await session.post(PING, { host: 'evil.example.com' })).status, 403);
    assert.equal((await session.post(PING, { host: `localhost:${gateway.port}` })).status, 200);
  });

  test('is refused when the client would not take the answer: 406', async () => {
    for (const accept of ['application/json', 'text/event-stream', 'text/html'])
      assert.equal((await session.post(PING, { accept })).status, 406, accept);
    assert.equal((await session.listen({ accept: 'application/json' })).status, 406);
    for (const accept of ['*/*', 'text/event-stream;q=0.5, APPLICATION/JSON', 'application/*, text/*'])
      assert.equal((await session.post(PING, { accept })).status, 200, accept);
  });

  test('is refused when it is not JSON by its type: 415', async () => {
    for (const type of ['text/plain', 'application/jsonp', 'application/x-www-form-urlencoded'])
      assert.equal((await session.post(PING, { 'content-type': type })).status, 415, type);
    assert.equal((await session.post(PING, { 'content-type': 'Application/JSON; charset=utf-8' })).status, 200);
  });

  test('is refused when it is not JSON: 400 and -32700', async () => {
    for (const body of ['', '{', '{"jsonrpc":"2.0","id":1', 'null null'])
      await assertError(await session.post(body), 400, -32700);
  });

  test('is refused when it is JSON but no message: 400 and -32600', async () => {
    const hostile = ['null', '42', '{}', '{"jsonrpc":"1.0","id":1,"method":"ping"}'];
    for (const id of ['null', 'true', '1.5', '{}']) hostile.push(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`);
    for (const body of hostile) await assertError(await session.post(body), 400, -32600);
  });

  test('is refused when it is larger than the limit, and taken at the limit: 413', async () => {
    const padded = (size) => JSON.stringify(PING).padEnd(size);
    assert.equal((await session.post(padded(MAX_BODY - 1))).status, 200);
    assert.equal((await session.post(padded(MAX_BODY))).status, 200);
    assert.equal((await session.post(padded(MAX_BODY + 1))).status, 413);
    const chunked = { 'transfer-encoding': 'chunked' };
    assert.equal((await session.post(padded(MAX_BODY), chunked)).status, 200);
    assert.equal((await session.post(padded(MAX_BODY + 1), chunked)).status, 413);
  });

  test('is refused with another method: 405 and what is allowed', async () => {
    for (const method of ['PUT', 'PATCH', 'HEAD']) {
      const reply = await request(gateway.url, { method, headers: session.headers });
      assert.equal(reply.status, 405, method);
      assert.deepEqual(reply.headers.allow.split(/, */).toSorted(), ['DELETE', 'GET', 'POST']);
    }
  });

  // Clients that keep the id of an ended session could otherwise never begin a new one.
  test('begins a session by initialize, whatever session id it bears', async () => {
    for (const id of ['undefined', 'f'.repeat(32), session.id]) {
      const reply = await post(gateway.url, initializeRequest(), { 'mcp-session-id': id });
      await reply.all();
      assert.equal(reply.status, 200, id);
      assert.ok(![id, session.id].includes(reply.headers['mcp-session-id']), id);
    }
    assert.equal((await session.ping()).status, 200);
  });

  test('is refused in a revision nobody serves: 400 and -32000', async () => {
    for (const version of ['1999-01-01', 'nonsense']) {
      const unsupported = { 'mcp-protocol-version': version };
      await assertError(await session.post(PING, unsupported), 400, -32000, /Unsupported protocol version/);
      assert.equal((await session.listen(unsupported)).status, 400);
    }
    const { 'mcp-session-id': id } = session.headers;
    assert.equal((await post(gateway.url, PING, { 'mcp-session-id': id })).status, 200);
  });

  test('is a notification or a response and gets 202 without a body', async () => {
    const notification = { jsonrpc: '2.0', method: 'notifications/anything' };
    const lateResponse = { jsonrpc: '2.0', id: 'long gone', result: {} };
    for (const message of [notification, lateResponse]) {
      const reply = await session.post(message);
      await reply.done;
      assert.deepEqual([reply.status, reply.received], [202, '']);
    }
  });

  test('names a method the server does not have: 200 and -32601', async () => {
    await assertError(await session.post({ jsonrpc: '2.0', id: 1, method: 'no/such' }), 200, -32601);
  });

  test('gets its id back as it came', async () => {
    for (const id of ['"a b"', '"7"', '7', '-1', '0', '9007199254740993']) {
      const reply = await session.post(`{"jsonrpc":"2.0","id":${id},"method":"tools/list"}`);
      await reply.done;
      assert.ok(reply.received.replaceAll(' ', '').includes(`"id":${id.replaceAll(' ', '')}`), reply.received);
    }
  });

  test('asks for health and readiness: 200', async () => {
    for (const path of ['/healthz', '/readyz']) assert.equal((await request(gateway.at(path))).status, 200, path);
  });

  test('goes where nothing is: 404', async () => {
    assert.equal((await request(gateway.at('/nowhere'))).status, 404);
  });

  test('ends the session: 200, then 404', async () => {
    const ending = await openSession(gateway.url);
    assert.equal((await ending.delete()).status, 200);
    assert.equal((await ending.delete()).status, 404);
    assert.equal((await ending.ping()).status, 404);
    assert.equal((await ending.listen()).status, 404);
  });
});

suite('a batch', () => {
  let gateway;
  before(async () => (gateway = await startGateway(exampleServer)));
  after(() => gateway.stop());

  const LIST = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
  const NOTIFICATION = { jsonrpc: '2.0', method: 'notifications/anything' };

  test('is answered in 2025-03-26', async () => {
    const session = await openSession(gateway.url, '2025-03-26');
    const answers = (await (await session.post([PING, LIST, NOTIFICATION])).all()).flat();
    assert.deepEqual(answers.map(({ id }) => id).toSorted(), [1, 2]);
    assert.ok(answers.every(({ result }) => result));
    assert.equal((await session.post([NOTIFICATION])).status, 202);
  });

  test('is refused when it is empty or initialises', async () => {
    const session = await openSession(gateway.url, '2025-03-26');
    await assertError(await session.post([]), 400, -32600);
    assert.equal((await post(gateway.url, [initializeRequest('2025-03-26')])).status, 400);
  });

  test('is refused in later revisions', async () => {
    for (const version of ['2025-06-18', '2025-11-25']) {
      const session = await openSession(gateway.url, version);
      await assertError(await session.post([PING, LIST]), 400, -32600);
    }
  });
});

test('the limit of sessions answers 503 until one has ended', { skip: oneNode }, async (t) => {
  const gateway = await startGateway(exampleServer, '--max-sessions', '1');
  t.after(() => gateway.stop());
  const session = await openSession(gateway.url);
  const refused = await post(gateway.url, initializeRequest());
  assert.equal(refused.status, 503);
  assert.ok(Number(refused.headers['retry-after']) > 0);
  await session.delete();
  // The process counts against the limit until it has exited.
  await until('there is a place', async () => (await post(gateway.url, initializeRequest())).status === 200);
});
