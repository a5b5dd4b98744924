// The 2024-11-05 transport: a stream, and an endpoint for POST.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { suite, test } from './lib/concurrently.mjs';
import { gatewayWith } from './lib/config.mjs';
import { exampleServer, fixture, gatewayFor, startGateway } from './lib/gateway.mjs';
import { latch } from './lib/held-calls.mjs';
import { getBytes } from './lib/hostile-client.mjs';
import { rawConnection, request } from './lib/http.mjs';
import { isRunning } from './lib/processes.mjs';
import { initializeRequest, openSession, post, POST_HEADERS, toolCall } from './lib/session.mjs';
import { openEndpoint, openSseSession, openStream } from './lib/sse.mjs';
import { baseLine, assertBack, DEBUG, debugState } from './lib/state.mjs';
import { until } from './lib/until.mjs';

const MAX_BODY = 65_536;
// Shorter than the keep-alive interval, so that a keep-alive cannot be mistaken for the answer.
const AT_ONCE = 10_000;
// Far below the grace period.
const SOON = 30_000;
const EVIL = 'http://evil.example.com';
const PING = { jsonrpc: '2.0', id: 'ping', method: 'ping' };
const VERSIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];

const textOf = ({ result }) => result.content[0].text;
const codeOf = async (reply) => (await reply.all())[0].error.code;
const messagesAt = (gateway, query) => gateway.at(`/messages${query}`);

suite('an SSE stream', () => {
  let gateway;
  before(async () => (gateway = await startGateway(exampleServer, '--max-body', String(MAX_BODY))));
  after(() => gateway.stop());

  test('begins with where to POST, a relative URI with an id that cannot be guessed', async () => {
    const sessions = await Promise.all([1, 2, 3].map(() => openEndpoint(gateway)));
    for (const { stream, endpoint, id } of sessions) {
      assert.ok(stream.isStream);
      assert.equal(stream.events[0].event, 'endpoint');
      assert.match(endpoint, /^\/messages\?sessionId=[\x21-\x7e]+$/);
      assert.ok(id.length >= 22, id);
    }
    assert.equal(new Set(sessions.map(({ id }) => id)).size, 3);
    sessions.forEach((session) => session.close());
  });

  test('has no session header and no event ids: there is nothing to resume', async () => {
    const session = await openSseSession(gateway);
    await session.call(1, 'slow', { steps: 3, delay_ms: 10 }, 'mine');
    assert.equal(session.stream.headers['mcp-session-id'], undefined);
    assert.ok(session.stream.events.every(({ id, retry, data }) => !id && !retry && data));
    const other = await openStream(gateway, { 'last-event-id': '0-1' });
    await until('it is a new session', () => other.events.some(({ data }) => !data.includes(session.id)));
    session.close();
    other.destroy();
  });

  test('carries every answer, and the POST only a 202', async () => {
    const session = await openSseSession(gateway);
    const reply = await session.post(toolCall(1, 'echo', { message: 'hi' }));
    assert.equal(reply.status, 202);
    await reply.done;
    assert.ok(['', 'Accepted'].includes(reply.received), reply.received);
    assert.match(textOf(await session.message('the answer', ({ id }) => id === 1)), /hi/);
    assert.ok(session.stream.events.slice(1).every(({ event }) => event === 'message'));
    const refused = await session.ask({ jsonrpc: '2.0', id: 2, method: 'no/such' });
    assert.equal(refused.error.code, -32601);
    assert.deepEqual((await session.ask(PING)).result, {});
    session.close();
  });

  test('carries answers as they come', async (t) => {
    const session = await openSseSession(await gatewayFor(t, fixture('reload-server')));
    const { file, open } = latch();
    const held = session.call('held', 'hold', { file }, 'mine');
    await session.message('the call runs', ({ method }) => method === 'notifications/progress');
    await session.call('quick', 'told');
    open();
    await held;
    const answers = session.messages.filter(({ id }) => id === 'held' || id === 'quick').map(({ id }) => id);
    assert.deepEqual(answers, ['quick', 'held']);
    session.close();
  });

  test('carries progress before the answer', async () => {
    const session = await openSseSession(gateway);
    await session.call('slow', 'slow', { steps: 5, delay_ms: 60 }, 'mine');
    const progress = session.messages.filter(({ method }) => method === 'notifications/progress');
    assert.ok(progress.length >= 5 && progress.every(({ params }) => params.progressToken === 'mine'));
    assert.equal(session.messages.at(-1).id, 'slow');
    session.close();
  });

  test('takes POSTs from the moment it says where: 202', async () => {
    const stream = rawConnection(gateway.port, getBytes(gateway.at('/sse')));
    const replies = new Promise((resolve) => {
      stream.socket.on('data', () => {
        const [, path] = /data: ?(\/messages\S+)\r?\n/.exec(stream.received) ?? [];
        if (path) resolve(Promise.all([1, 2, 3].map(() => post(gateway.at(path), PING))));
      });
    });
    for (const { status } of await replies) assert.equal(status, 202);
    stream.socket.destroy();
  });

  test('has an id that may also be given as session_id', async () => {
    const session = await openSseSession(gateway);
    const reply = await post(messagesAt(gateway, `?session_id=${session.id}`), toolCall(1, 'add', { a: 1, b: 2 }));
    assert.equal(reply.status, 202);
    assert.equal(textOf(await session.message('the answer', ({ id }) => id === 1)), '3');
    session.close();
  });

  test('agrees on any revision with sessions', async () => {
    for (const version of VERSIONS) {
      const session = await openSseSession(gateway, version);
      assert.equal((await session.post(PING, { 'mcp-protocol-version': version })).status, 202);
      assert.equal(textOf(await session.call(1, 'add', { a: 1, b: 2 })), '3');
      session.close();
    }
  });

  test('takes a batch in 2025-03-26 only', async () => {
    for (const version of VERSIONS) {
      const session = await openSseSession(gateway, version);
      const reply = await session.post([PING, toolCall(1, 'add', { a: 1, b: 2 })]);
      if (version === '2025-03-26') {
        assert.equal(reply.status, 202, version);
        await until('both are answered', () => {
          const ids = session.messages.flat().map(({ id }) => id);
          return ids.includes('ping') && ids.includes(1);
        });
      } else {
        assert.equal(reply.status, 400, version);
        assert.equal(await codeOf(reply), -32600);
      }
      session.close();
    }
  });

  test('initialises once', async () => {
    const session = await openSseSession(gateway);
    const reply = await session.post({ ...initializeRequest(), id: 'again' });
    assert.equal(reply.status, 400);
    assert.equal(await codeOf(reply), -32600);
    assert.equal(textOf(await session.call(1, 'add', { a: 1, b: 2 })), '3');
    session.close();
  });

  test('keeps an id to its call while it is in flight: 400 for a second one', async (t) => {
    const session = await openSseSession(await gatewayFor(t, fixture('reload-server')));
    const { file, open } = latch();
    assert.equal((await session.post(toolCall(1, 'hold', { file }))).status, 202);
    assert.equal((await session.post(toolCall(1, 'told'))).status, 400);
    open();
    assert.equal(textOf(await session.message('the answer', ({ id }) => id === 1)), 'held');
    session.close();
  });

  test('goes to whom it belongs: two clients never hear each other', async () => {
    const sessions = await Promise.all(Array.from({ length: 5 }, () => openSseSession(gateway)));
    const sums = await Promise.all(sessions.map((session, a) => session.call(1, 'add', { a, b: 1 })));
    assert.deepEqual(sums.map(textOf), sessions.map((_, a) => String(a + 1)));
    for (const session of sessions) assert.equal(session.messages.filter(({ id }) => id === 1).length, 1);
    sessions.forEach((session) => session.close());
  });

  test('is refused when the client would not take it: 406', async () => {
    assert.equal((await openStream(gateway, { accept: 'application/json' })).status, 406);
    const any = await openStream(gateway, { accept: '*/*' });
    assert.equal(any.status, 200);
    any.destroy();
  });

  test('and its place to POST to take one method each: 405 and what is allowed', async () => {
    for (const [path, method, allowed] of [
      ['/sse', 'DELETE', /GET/],
      ['/sse', 'PUT', /GET/],
      ['/messages?sessionId=x', 'GET', /POST/],
      ['/messages?sessionId=x', 'DELETE', /POST/],
    ]) {
      const headers = { accept: 'text/event-stream' };
      const reply = await request(gateway.at(path), { method, headers });
      assert.equal(reply.status, 405, `${method} ${path}`);
      assert.match(reply.headers.allow, allowed);
    }
  });

  test('and its place to POST to are closed to foreign origins and hosts: 403', async () => {
    const session = await openSseSession(gateway);
    assert.equal((await openStream(gateway, { origin: EVIL })).status, 403);
    assert.equal((await openStream(gateway, { host: 'evil.example.com' })).status, 403);
    assert.equal((await session.post(PING, { origin: EVIL })).status, 403);
    assert.equal((await session.post(PING, { host: 'evil.example.com' })).status, 403);
    assert.equal((await session.post(PING, { origin: 'http://localhost:5173' })).status, 202);
    session.close();
  });
});

suite('a POST to an SSE session', () => {
  let gateway;
  let session;
  before(async () => {
    gateway = await startGateway(exampleServer, '--max-body', String(MAX_BODY));
    session = await openSseSession(gateway);
  });
  after(() => gateway.stop());

  test('without an id is a 400', async () => {
    for (const query of ['', '?', '?sessionId=', '?session_id=', '?other=1']) {
      const reply = await post(messagesAt(gateway, query), PING);
      assert.equal(reply.status, 400, query);
      assert.equal(await codeOf(reply), -32600);
    }
  });

  test('with an id that can be none is a 400, or a 404 as any other', async () => {
    for (const id of ['a%20b', '%00', '%ff', '%0d%0aset-cookie:x', '%', '%zz', 'x'.repeat(200)]) {
      const reply = await post(messagesAt(gateway, `?sessionId=${id}`), PING);
      assert.ok([400, 404].includes(reply.status), `${id}: ${reply.status}`);
      assert.equal(await codeOf(reply), -32600);
      assert.equal(reply.headers['set-cookie'], undefined);
    }
    assert.equal((await post(messagesAt(gateway, `?sessionId=${'x'.repeat(10_000)}`), PING)).status, 400);
  });

  test('with an unknown id is a 404', async () => {
    const reply = await post(messagesAt(gateway, `?sessionId=${'f'.repeat(32)}`), PING);
    assert.equal(reply.status, 404);
    assert.equal(await codeOf(reply), -32600);
  });

  test('with the id of a session of the other transport is a 404, both ways', async () => {
    const other = await openSession(gateway.url);
    assert.equal((await post(messagesAt(gateway, `?sessionId=${other.id}`), PING)).status, 404);
    const headers = { 'mcp-session-id': session.id };
    assert.equal((await post(gateway.url, PING, headers)).status, 404);
    const listen = { headers: { accept: 'text/event-stream', ...headers } };
    assert.equal((await request(gateway.url, listen)).status, 404);
    assert.equal((await request(gateway.url, { method: 'DELETE', headers })).status, 404);
    assert.equal((await other.ping()).status, 200);
    assert.equal((await session.ping()).status, 202);
    await other.delete();
  });

  test('that is no message is a 400', async () => {
    for (const [body, code] of [
      ['', -32700],
      ['{', -32700],
      ['null', -32600],
      ['{}', -32600],
      ['[]', -32600],
      ['{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600],
    ]) {
      const reply = await session.post(body);
      assert.equal(reply.status, 400, body);
      assert.equal(await codeOf(reply), code, body);
    }
  });

  test('that is not JSON by its type is refused: 400 or 415', async () => {
    assert.ok([400, 415].includes((await session.post(PING, { 'content-type': 'text/plain' })).status));
  });

  test('that is too large is a 413', async () => {
    const padded = (size) => JSON.stringify(PING).padEnd(size);
    assert.equal((await session.post(padded(MAX_BODY))).status, 202);
    assert.equal((await session.post(padded(MAX_BODY + 1))).status, 413);
  });

  test('needs no Accept, and no version', async () => {
    const headers = { 'content-type': POST_HEADERS['content-type'] };
    const body = JSON.stringify(PING);
    assert.equal((await request(session.url, { method: 'POST', headers, body })).status, 202);
  });
});

suite('the end of an SSE stream', () => {
  let gateway;
  before(async () => (gateway = await startGateway(fixture('hostile'), DEBUG)));
  after(() => gateway.stop());

  test('is the end of its session and of its server, at once', async () => {
    const before = await baseLine(gateway);
    const session = await openSseSession(gateway);
    const [server] = gateway.children();
    session.close();
    await until('the session is gone', async () => (await session.ping()).status === 404, AT_ONCE);
    await until('the server is gone', () => !isRunning(server), AT_ONCE);
    await assertBack(gateway, before);
  });

  test('ends what is in flight', async () => {
    const before = await baseLine(gateway);
    const session = await openSseSession(gateway, undefined, { sampling: {} });
    await session.post(toolCall(1, 'never'));
    await session.post(toolCall(2, 'ask', { method: 'sampling/createMessage' }));
    await session.message('the question', ({ method }) => method === 'sampling/createMessage');
    assert.equal((await debugState(gateway)).calls, 2);
    session.close();
    await assertBack(gateway, before);
  });

  test('follows from the end of the server, whose calls are answered before', async () => {
    const session = await openSseSession(gateway);
    await session.post(toolCall(1, 'break_off'));
    await session.stream.done;
    const { error } = session.messages.find(({ id }) => id === 1);
    assert.equal(error.code, -32603);
    assert.equal((await session.ping()).status, 404);
  });

  test('follows when the server cannot start', async (t) => {
    for (const habit of ['exits-at-once', 'exits-on-initialize', 'refuses', 'breaks-off']) {
      const other = await gatewayFor(t, fixture('hostile', habit), DEBUG);
      const session = await openEndpoint(other);
      await session.post(initializeRequest());
      const { error } = await session.message('the failure', ({ id }) => id === 0);
      assert.ok(error, habit);
      session.close();
      await until('nothing is left', async () => (await debugState(other)).sessions === 0);
    }
  });
});

test('twenty SSE clients that come in one burst all initialise', async (t) => {
  const gateway = await gatewayFor(t, exampleServer, DEBUG);
  const before = await baseLine(gateway);
  const sessions = await Promise.all(Array.from({ length: 20 }, () => openSseSession(gateway)));
  assert.equal(gateway.children().length, 20);
  assert.equal((await debugState(gateway)).sessions, 20);
  const sums = await Promise.all(sessions.map((session, a) => session.call(1, 'add', { a, b: 1 })));
  assert.deepEqual(sums.map(textOf), sessions.map((_, a) => String(a + 1)));
  sessions.forEach((session) => session.close());
  await assertBack(gateway, before);
});

test('no server starts for an SSE stream before initialize', async (t) => {
  const gateway = await gatewayFor(t, exampleServer, DEBUG);
  const embedded = await openStream(gateway, { 'sec-fetch-site': 'cross-site', accept: '*/*' });
  assert.equal(embedded.status, 403);
  const session = await openEndpoint(gateway);
  const { params, ...bare } = initializeRequest();
  const notification = { jsonrpc: '2.0', method: 'notifications/initialized' };
  for (const early of [notification, bare, { ...bare, params: { ...params, clientInfo: { name: 'x' } } }])
    assert.equal((await session.post(early)).status, 400);
  assert.deepEqual(gateway.children(), []);
  assert.equal(session.messages.length, 0);
  session.close();
  await until('nothing is left', async () => (await debugState(gateway)).sessions === 0);
});

test('a gateway stops at once although SSE streams are open', async (t) => {
  const [command, ...args] = exampleServer;
  const gateway = await gatewayWith(t, { mcpServers: { a: { command, args } }, gateway: { grace: '60s' } });
  const sessions = await Promise.all([openSseSession(gateway), openSseSession(gateway)]);
  const began = Date.now();
  assert.equal(await gateway.signal('SIGTERM'), 0);
  assert.ok(Date.now() - began < SOON);
  await Promise.all(sessions.map(({ stream }) => stream.done));
});

test('the limit of sessions answers SSE clients 503', async (t) => {
  const gateway = await gatewayFor(t, exampleServer, '--max-sessions', '1');
  const session = await openSseSession(gateway);
  const refused = await openStream(gateway);
  assert.equal(refused.status, 503);
  assert.ok(Number(refused.headers['retry-after']) > 0);
  session.close();
  await until('there is room again', async () => {
    const next = await openStream(gateway);
    next.destroy();
    return next.status === 200;
  });
});
