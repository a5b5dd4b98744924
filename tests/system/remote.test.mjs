// Remote servers over HTTP.
import assert from 'node:assert/strict';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { certificatesFor, missing } from './fixture/remote-certificates.mjs';
import { remoteFor, text } from './fixture/remote-script.mjs';
import { suite, test } from './lib/concurrently.mjs';
import { connect } from './lib/client.mjs';
import { gatewayWith } from './lib/config.mjs';
import { exampleServer, fixture, gatewayFor, serve } from './lib/gateway.mjs';
import { peakMemory } from './lib/processes.mjs';
import { proxyFor } from './lib/proxy.mjs';
import { initializeRequest, openSession, post, toolCall } from './lib/session.mjs';
import { MIB } from './lib/state.mjs';
import { until } from './lib/until.mjs';
import { startEverything, startFixture } from './lib/via.mjs';

const PATH = '/servers/remote/mcp';
const SECRET = 'a-secret-of-the-gateway';
process.env.REMOTE_TEST_TOKEN = SECRET;

const textOf = ({ result }) => result?.content[0].text;
const gatewayTo = (t, url, server = {}, gateway = {}) =>
  gatewayWith(t, { mcpServers: { remote: { url, ...server } }, gateway });

async function openTo(t, remote, server = {}, capabilities = {}) {
  const gateway = await gatewayTo(t, remote.url, server);
  return { gateway, session: await openSession(gateway.at(PATH), undefined, capabilities) };
}

async function stopped(t, starting) {
  const remote = await starting;
  t.after(() => remote.stop());
  return remote;
}

const echo = (session, id = 'echo') => session.call(id, 'echo', { message: 'hello' });
const isListening = (remote) => until('the gateway listens', () => remote.named('GET').length > 0);

// Asserts that an answer contains the error and nothing else.
async function assertRefused(reply, pattern) {
  const message = (await reply.all()).at(-1);
  assert.equal(reply.status, 200);
  assert.equal(message.error?.code, -32603, reply.received);
  assert.match(message.error.message, pattern);
  return message.error.message;
}

async function assertNeverInitialises(gateway, pattern) {
  const reply = await post(gateway.at(PATH), initializeRequest());
  assert.equal(reply.headers['mcp-session-id'], undefined);
  return assertRefused(reply, pattern);
}

// -- credentials ------------------------------------------------------------------------------------------------------

suite('what a remote server is sent', { concurrency: 4 }, () => {
  test('bears the configured headers, variables expanded, and not those of the client', async (t) => {
    const remote = await remoteFor(t);
    const headers = { Authorization: 'Bearer ${REMOTE_TEST_TOKEN}', 'X-Stage': '${REMOTE_TEST_UNSET:-left}' };
    const gateway = await gatewayTo(t, remote.url, { headers });
    const own = { authorization: 'Bearer of-the-client', cookie: 'of-the-client=1', 'x-client': 'of-the-client' };
    const session = await openSession(gateway.at(PATH));
    await isListening(remote);
    const reply = await session.post(toolCall(1, 'echo', { message: 'hello' }), own);
    assert.equal(textOf((await reply.all()).at(-1)), 'hello');
    await (await session.delete()).done;
    await until('the session is ended', () => remote.named('DELETE').length === 1);
    for (const name of ['initialize', 'notifications/initialized', 'tools/call', 'GET', 'DELETE'])
      assert.equal(remote.named(name).length, 1, name);
    for (const { headers: sent } of remote.exchanges) {
      assert.equal(sent.authorization, `Bearer ${SECRET}`);
      assert.equal(sent['x-stage'], 'left');
      assert.doesNotMatch(JSON.stringify(sent), /of-the-client/);
    }
    assert.doesNotMatch(gateway.log.join('\n'), new RegExp(SECRET));
  });

  test('names the session and the version on everything that follows initialize', async (t) => {
    const remote = await remoteFor(t);
    const { session } = await openTo(t, remote);
    await echo(session);
    await isListening(remote);
    const [first, ...others] = remote.exchanges;
    assert.equal(first.headers['mcp-session-id'], undefined);
    for (const { headers } of others) {
      assert.equal(headers['mcp-session-id'], 'session-1');
      assert.equal(headers['mcp-protocol-version'], '2025-11-25');
    }
    assert.notEqual(session.id, 'session-1');
  });

  for (const [status, name] of [401, 403].flatMap((status) => [
    [status, 'initialize'],
    [status, 'tools/call'],
  ]))
    test(`may be refused with ${status} (${name}): the client is not asked to identify itself`, async (t) => {
      const challenge = { 'www-authenticate': 'Bearer resource_metadata="https://evil.example.com/"' };
      const error = { jsonrpc: '2.0', id: 0, error: { code: -32001, message: 'evil.example.com' } };
      const fields = { ...challenge, 'content-type': 'application/json' };
      const refuse = (exchange) => exchange.status(status, fields, JSON.stringify({ ...error, id: exchange.id }));
      const remote = await remoteFor(t, { on: { [name]: refuse } });
      const gateway = await gatewayTo(t, remote.url);
      const reply =
        name === 'initialize'
          ? await post(gateway.at(PATH), initializeRequest())
          : await (await openSession(gateway.at(PATH))).post(toolCall(1, 'echo'));
      await assertRefused(reply, new RegExp(`refused the gateway's credentials \\(HTTP ${status}\\)`));
      assert.equal(reply.headers['www-authenticate'], undefined);
      assert.doesNotMatch(reply.received, /evil/);
      await until('the log tells', () => gateway.log.some((line) => line.includes('refused our credentials')));
    });
});

// -- transport detection ----------------------------------------------------------------------------------------------

suite('a remote server', { concurrency: 4 }, () => {
  test('that knows only HTTP+SSE is found out and spoken to so', async (t) => {
    const remote = await stopped(t, startEverything('sse'));
    const { session } = await openTo(t, remote, { type: 'http' });
    assert.match(textOf(await echo(session)), /hello/);
  });

  test('that knows both is spoken to over Streamable HTTP', async (t) => {
    const remote = await remoteFor(t);
    const { session } = await openTo(t, remote);
    assert.equal(textOf(await echo(session)), 'hello');
    assert.equal(remote.exchanges[0].method, 'POST');
    assert.ok(remote.named('GET').every(({ headers }) => headers['mcp-session-id']));
  });

  test('that knows neither is an error that tells of both', async (t) => {
    const remote = await remoteFor(t, { on: { any: (exchange) => exchange.status(405) } });
    await assertNeverInitialises(await gatewayTo(t, remote.url), /Streamable HTTP \(.*405\).*HTTP\+SSE \(.*405\)/);
    assert.deepEqual(
      remote.exchanges.map(({ method }) => method),
      ['POST', 'GET'],
    );
  });

  for (const [status, type] of [
    [500, 'http'],
    [401, 'http'],
    [405, 'streamable-http'],
  ])
    test(`that answers ${status} is not asked for HTTP+SSE, when it is of type ${type}`, async (t) => {
      const remote = await remoteFor(t, { on: { any: (exchange) => exchange.status(status) } });
      await assertNeverInitialises(await gatewayTo(t, remote.url, { type }), new RegExp(`HTTP ${status}`));
      assert.equal(remote.named('GET').length, 0);
    });

  test('that is said to speak HTTP+SSE is not POSTed to before it named an endpoint', async (t) => {
    const remote = await remoteFor(t, { on: { any: (exchange) => exchange.status(404) } });
    await assertNeverInitialises(await gatewayTo(t, remote.url, { type: 'sse' }), /HTTP 404/);
    assert.ok(remote.exchanges.every(({ method }) => method === 'GET'));
  });

  test('that names an endpoint of another origin is not sent anything there', async (t) => {
    const other = await remoteFor(t);
    const GET = (exchange) => exchange.stream().response.write(`event: endpoint\ndata: ${other.url}\n\n`);
    const remote = await remoteFor(t, { on: { GET } });
    await assertNeverInitialises(await gatewayTo(t, remote.url, { type: 'sse' }), /another origin/);
    assert.equal(other.exchanges.length, 0);
  });

  for (const status of [301, 302, 303, 307, 308])
    test(`that redirects to another origin (${status}) is not followed`, async (t) => {
      const other = await remoteFor(t);
      const tools = (exchange) => exchange.status(status, { location: other.url });
      const remote = await remoteFor(t, { on: { 'tools/call': tools } });
      const { session } = await openTo(t, remote, { headers: { Authorization: 'Bearer ${REMOTE_TEST_TOKEN}' } });
      await assertRefused(await session.post(toolCall(1, 'echo')), /redirects to another origin.*not followed/);
      remote.on = {};
      const answer = await echo(session);
      assert.equal(textOf(answer), 'hello', JSON.stringify(answer));
      assert.equal(other.exchanges.length, 0);
    });
});

// -- TLS --------------------------------------------------------------------------------------------------------------

suite('a remote server with TLS', { skip: missing }, () => {
  const start = async (t, names) => {
    const { caFile, tls } = certificatesFor(t, names);
    return { caFile, remote: await remoteFor(t, { tls, host: 'localhost' }) };
  };

  test('is spoken to when its authority is known', async (t) => {
    const { caFile, remote } = await start(t, 'DNS:localhost');
    const { session } = await openTo(t, remote, { caFile });
    assert.equal(textOf(await echo(session)), 'hello');
  });

  test('is not when its authority is unknown', async (t) => {
    const { remote } = await start(t, 'DNS:localhost');
    await assertNeverInitialises(await gatewayTo(t, remote.url), /certificate/);
    assert.equal(remote.exchanges.length, 0);
  });

  test('is not when another authority is known', async (t) => {
    const { remote } = await start(t, 'DNS:localhost');
    const { caFile } = certificatesFor(t, 'DNS:localhost');
    await assertNeverInitialises(await gatewayTo(t, remote.url, { caFile }), /certificate/);
    assert.equal(remote.exchanges.length, 0);
  });

  for (const [names, host] of [
    ['DNS:elsewhere.example.com', 'localhost'],
    ['DNS:localhost', '127.0.0.1'],
  ])
    test(`is not when its certificate is for another host (${names}, not ${host})`, async (t) => {
      const { caFile, remote } = await start(t, names);
      remote.host = host;
      await assertNeverInitialises(await gatewayTo(t, remote.url, { caFile }), /host ?name|certificate/i);
      assert.equal(remote.exchanges.length, 0);
    });
});

// -- the session ------------------------------------------------------------------------------------------------------

suite('the session with a remote server', { concurrency: 4 }, () => {
  test('that is gone is opened again once: a call that was refused is sent again, another in flight fails', async (t) => {
    const remote = await remoteFor(t);
    const { session } = await openTo(t, remote);
    const listening = await session.listen();
    const waiting = session.post(toolCall(1, 'never'));
    await until('it is in flight', () => remote.named('tools/call').length === 1);
    remote.sessions.clear();
    assert.equal(textOf(await echo(session, 2)), 'hello');
    await assertRefused(await waiting, /ended the session/);
    await listening.message('the change', ({ method }) => method === 'notifications/tools/list_changed');
    assert.equal(textOf(await echo(session)), 'hello');
    assert.equal(remote.opened, 2);
    assert.equal(remote.named('notifications/initialized').length, 2);
    assert.equal(remote.named('tools/call').at(-1).headers['mcp-session-id'], 'session-2');
  });

  test('ends with that of the client', async (t) => {
    const remote = await remoteFor(t);
    const { session } = await openTo(t, remote);
    assert.equal((await session.delete()).status, 200);
    await until('it is told so', () => remote.named('DELETE').length === 1);
    assert.equal(remote.named('DELETE')[0].headers['mcp-session-id'], 'session-1');
  });

  test('ends with the gateway', async (t) => {
    const remote = await remoteFor(t);
    const { gateway } = await openTo(t, remote);
    await gateway.stop();
    await until('it is told so', () => remote.named('DELETE').length > 0);
    assert.equal(remote.named('DELETE').length, 1);
  });

  test('is one for all clients when it is shared, and outlives each of them', async (t) => {
    const remote = await remoteFor(t);
    const progress = async (exchange) => {
      const { arguments: args, _meta: meta } = exchange.message.params;
      const params = { progressToken: meta.progressToken, progress: 1, message: args.message };
      exchange.stream().event({ method: 'notifications/progress', params });
      await until('all are asked', () => remote.named('tools/call').length >= 3);
      exchange.event({ id: exchange.id, result: text(args.message) }).response.end();
    };
    remote.on['tools/call'] = progress;
    const gateway = await gatewayTo(t, remote.url, { sharing: 'shared' });
    const sessions = await Promise.all([1, 2, 3].map(() => openSession(gateway.at(PATH))));
    const asked = sessions.map((session, n) => session.post(toolCall(1, 'echo', { message: `${n}` }, 'mine')));
    for (const [n, reply] of (await Promise.all(asked)).entries()) {
      const [told, answer] = await reply.all();
      assert.deepEqual([told.params.progressToken, told.params.message], ['mine', `${n}`]);
      assert.deepEqual([answer.id, textOf(answer)], [1, `${n}`]);
    }
    assert.equal(remote.opened, 1);
    assert.equal(new Set(remote.named('tools/call').map(({ id }) => id)).size, 3);
    await Promise.all(sessions.map((session) => session.delete()));
    remote.on = {};
    await echo(await openSession(gateway.at(PATH)));
    assert.deepEqual([remote.opened, remote.named('DELETE').length], [1, 0]);
  });
});

// -- streams ----------------------------------------------------------------------------------------------------------

suite('the stream of a remote server', { concurrency: 4 }, () => {
  test('is carried on where it was cut', async (t) => {
    const remote = await remoteFor(t);
    const { session } = await openTo(t, remote);
    const listening = await session.listen();
    for (const n of [1, 2, 3]) {
      await until('the gateway listens', () => remote.named('GET').length === n);
      const stream = remote.listening;
      assert.equal(stream.headers['last-event-id'], n === 1 ? undefined : `event-${n - 1}`);
      const params = { level: 'info', data: n };
      stream.response.write('retry: 100\n');
      stream.event({ method: 'notifications/message', params }, `event-${n}`);
      await listening.message('it is told', ({ params: told }) => told.data === n);
      stream.cut();
    }
    assert.deepEqual(
      listening.messages.map(({ params }) => params.data),
      [1, 2, 3],
    );
  });

  test('loses and doubles nothing, however often its connection is cut', async (t) => {
    const behind = await serve('--', ...fixture('hostile'));
    t.after(() => behind.stop());
    const proxy = await proxyFor(t, behind.port);
    const { session } = await openTo(t, proxy);
    const listening = await session.listen();
    await session.call(1, 'flood_later', { kind: 'log', count: 60, every_ms: 30 });
    const told = () => listening.messages.map(({ params }) => Number(params.data.trim()));
    for (const count of [5, 20, 40]) {
      await until(`${count} are told`, () => told().length >= count);
      proxy.cut();
    }
    await until('all are told', () => told().length >= 60);
    assert.deepEqual(told(), Array.from({ length: 60 }, (_, n) => n + 1));
  });

  test('may be one that it does not offer', async (t) => {
    const remote = await remoteFor(t, { on: { GET: (exchange) => exchange.status(405) } });
    const { session } = await openTo(t, remote);
    await isListening(remote);
    assert.equal(textOf(await echo(session)), 'hello');
    assert.equal(remote.named('GET').length, 1);
  });
});

// -- size -------------------------------------------------------------------------------------------------------------

const TOO_LARGE = {
  'a JSON answer': (exchange, filler) => exchange.result(text(filler)),
  'an event': (exchange, filler) =>
    exchange.stream().event({ id: exchange.id, result: text(filler) }).response.end(),
};
for (const [name, answer] of Object.entries(TOO_LARGE))
  test(`${name} of 11 MiB is refused, one of 9 MiB is not`, async (t) => {
    const remote = await remoteFor(t);
    remote.on['tools/call'] = (exchange) => answer(exchange, 'x'.repeat(exchange.message.params.arguments.mib * MIB));
    const { session } = await openTo(t, remote);
    await assertRefused(await session.post(toolCall(1, 'big', { mib: 11 })), /longer than 10485760 bytes; gateway\.limits\.messageBytes/);
    assert.equal(textOf(await session.call(2, 'big', { mib: 9 })).length, 9 * MIB);
  });

test('an answer without end is refused before it fills the memory', async (t) => {
  const pour = (exchange) => {
    exchange.response.writeHead(200, { 'content-type': 'application/json' });
    const more = () => {
      while (!exchange.response.destroyed && exchange.response.write(' '.repeat(MIB)));
    };
    exchange.response.on('drain', more);
    more();
  };
  const remote = await remoteFor(t, { on: { 'tools/call': pour } });
  const { gateway, session } = await openTo(t, remote);
  const refuse = async () => assertRefused(await session.post(toolCall(1, 'endless')), /longer than 10485760 bytes; gateway\.limits\.messageBytes/);
  const { bytes } = await peakMemory(gateway.pid, refuse);
  assert.ok(bytes < 64 * MIB, `${bytes / MIB} MiB`);
  await until('it hangs up', () => remote.named('tools/call')[0].response.destroyed);
});

// -- merged servers ---------------------------------------------------------------------------------------------------

test('a remote server among others asks, reports, is cancelled and read as a local one is', async (t) => {
  const remote = await stopped(t, startFixture());
  const [command, ...args] = exampleServer;
  const gateway = await gatewayWith(t, { mcpServers: { far: { url: remote.url }, near: { command, args } } });
  const content = { username: 'Ada', email: 'ada@example.com' };
  const { client } = await connect(t, gateway.url, { elicitation: {} }, (asking) =>
    asking.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content })),
  );
  const call = (name, given = {}, ...rest) => client.callTool({ name, arguments: given }, ...rest);
  const { tools } = await client.listTools();
  for (const name of ['far__test_elicitation', 'near__add']) assert.ok(tools.some((tool) => tool.name === name), name);
  assert.equal((await call('near__add', { a: 2, b: 40 })).content[0].text, '42');
  assert.match((await call('far__test_elicitation', { message: 'Who?' })).content[0].text, /Ada/);
  const steps = [];
  await call('far__test_tool_with_progress', {}, undefined, { onprogress: ({ progress }) => steps.push(progress) });
  // The client drops progress that it reads in one piece with the answer.
  assert.ok(steps.length > 0, 'some step is told');
  assert.deepEqual(steps, [0, 50, 100].slice(0, steps.length));
  const abort = new AbortController();
  const options = { signal: abort.signal, onprogress: () => abort.abort('enough') };
  await assert.rejects(call('far__wait_for_cancel', {}, undefined, options), /enough/);
  await until('it noticed', async () => (await call('far__cancelled_calls')).content[0].text === '1');
  const { resources } = await client.listResources();
  const { uri } = resources.find((resource) => resource.uri === 'troupe://far/test://static-text');
  assert.equal((await client.readResource({ uri })).contents[0].uri, uri);
});
