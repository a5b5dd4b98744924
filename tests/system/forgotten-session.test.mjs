// Remote servers that forget their sessions: refused requests are repeated in a new session.
import assert from 'node:assert/strict';
import { remoteFor } from './fixture/remote-script.mjs';
import { suite, test } from './lib/concurrently.mjs';
import { connect } from './lib/client.mjs';
import { gatewayWith } from './lib/config.mjs';
import { modernStdioClient, stdioClient } from './lib/connected.mjs';
import { connectModern, MODES } from './lib/modern-client.mjs';
import { openSession, post, toolCall } from './lib/session.mjs';
import { until } from './lib/until.mjs';
import { startFixture } from './lib/via.mjs';

const CALLS = 8;
const PATH = '/servers/remote/mcp';
const textOf = ({ result }) => result?.content[0].text;

async function fixtureOf(t) {
  const remote = await startFixture();
  t.after(() => remote.stop());
  remote.forgets = async () => assert.equal((await fetch(new URL('/sessions', remote.url), { method: 'DELETE' })).status, 204);
  return remote;
}

const CLIENTS = {
  'with a session': async (t, url) => (await connect(t, url)).client,
  'of 2026-07-28': async (t, url) => (await connectModern(t, url)).client,
};
const CONNECTED = {
  'with a session': async (t, url) => (await stdioClient(t, url)).client,
  'of 2026-07-28': async (t, url) => (await modernStdioClient(t, url, { mode: MODES.modern })).client,
};

// Many concurrent calls, all of which have to succeed, before the server forgets its sessions and twice after.
async function assertUnharmed(clients, forget, name = 'test_simple_text') {
  const once = async (client) => {
    const { content, isError } = await client.callTool({ name, arguments: {} });
    assert.ok(!isError && content.length > 0);
  };
  const all = () => Promise.all(clients.flatMap((client) => Array.from({ length: CALLS }, () => once(client))));
  await all();
  for (let times = 0; times < 2; ++times) {
    await forget();
    await all();
  }
}

suite('calls of a client are not harmed when a remote server forgets its session', { concurrency: 2 }, () => {
  for (const [who, connected] of Object.entries(CLIENTS)) {
    for (const sharing of ['session', 'shared', 'principal'])
      test(`${who} (sharing: ${sharing})`, async (t) => {
        const remote = await fixtureOf(t);
        const gateway = await gatewayWith(t, { mcpServers: { remote: { url: remote.url, sharing } } });
        const clients = [await connected(t, gateway.at(PATH)), await connected(t, gateway.at(PATH))];
        await assertUnharmed(clients, remote.forgets);
      });

    test(`${who} (merged)`, async (t) => {
      const remotes = [await fixtureOf(t), await fixtureOf(t)];
      const [one, two] = remotes.map(({ url }) => ({ url }));
      const gateway = await gatewayWith(t, { mcpServers: { one, two } });
      const client = await connected(t, gateway.at('/mcp'));
      await assertUnharmed([client], () => Promise.all(remotes.map((remote) => remote.forgets())), 'one__test_simple_text');
    });

    test(`${who} (troupe connect)`, async (t) => {
      const remote = await fixtureOf(t);
      await assertUnharmed([await CONNECTED[who](t, remote.url)], remote.forgets);
    });
  }
});

// -- handwritten clients ------------------------------------------------------------------------------------------------

async function openTo(t, on = {}) {
  const remote = await remoteFor(t, { on });
  const gateway = await gatewayWith(t, { mcpServers: { remote: { url: remote.url } } });
  return { remote, gateway, session: await openSession(gateway.at(PATH)) };
}
const isGone = ({ headers, remote }) => !remote.sessions.has(headers['mcp-session-id']);

suite('a session that was forgotten', { concurrency: 4 }, () => {
  test('is begun anew with what the server was told before, and then the call is sent again', async (t) => {
    const { remote, session } = await openTo(t);
    await (await session.post({ jsonrpc: '2.0', id: 1, method: 'logging/setLevel', params: { level: 'error' } })).all();
    await (await session.post({ jsonrpc: '2.0', id: 2, method: 'resources/subscribe', params: { uri: 'note://a' } })).all();
    remote.sessions.clear();
    assert.equal(textOf(await session.call(3, 'echo', { message: 'again' })), 'again');
    const isNew = ({ method, headers }) => method === 'POST' && headers['mcp-session-id'] === 'session-2';
    const told = () => remote.exchanges.filter(isNew).map(({ message }) => message.method);
    await until('all is told', () => told().length >= 4);
    const posted = told();
    assert.deepEqual(posted.slice(0, 1), ['notifications/initialized']);
    assert.deepEqual(posted.slice(1).sort(), ['logging/setLevel', 'resources/subscribe', 'tools/call']);
    assert.equal(remote.named('DELETE').length, 0);
    await (await session.delete()).done;
    await until('the new one is ended', () => remote.named('DELETE').length === 1);
    assert.equal(remote.named('DELETE')[0].headers['mcp-session-id'], 'session-2');
  });

  test('does not keep a server busy that refuses everything', async (t) => {
    const refuse = (exchange) => exchange.status(404);
    const { remote, session } = await openTo(t, { 'tools/call': refuse, GET: refuse });
    const refused = await session.call(1, 'echo', { message: 'hello' });
    assert.equal(refused.error.code, -32603);
    assert.match(refused.error.message, /ended the session/);
    assert.equal(remote.named('tools/call').length, 2);
    assert.ok(remote.named('initialize').length <= 3);
  });

  test('may be noticed by a notification alone', async (t) => {
    const { remote, session } = await openTo(t);
    remote.sessions.clear();
    await (await session.post({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' })).done;
    await until('another is begun', () => remote.opened === 2);
    assert.equal(textOf(await session.call(1, 'echo', { message: 'hello' })), 'hello');
    assert.equal(remote.named('tools/call').length, 1);
  });

  test('does not bring a call back that was cancelled', async (t) => {
    let begin;
    const held = new Promise((resolve) => (begin = resolve));
    const { remote, session } = await openTo(t);
    await until('it is listened to', () => remote.named('GET').length === 1);
    remote.on.initialize = async (exchange) => {
      await held;
      delete remote.on.initialize;
      remote.pass(exchange);
    };
    remote.sessions.clear();
    const call = session.post(toolCall(1, 'echo', { message: 'no' }));
    await until('another is begun', () => remote.named('initialize').length === 2);
    await (await session.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })).done;
    begin();
    assert.equal(textOf(await session.call(2, 'echo', { message: 'yes' })), 'yes');
    const texts = remote.named('tools/call').map(({ message }) => message.params.arguments.message);
    assert.deepEqual(texts, ['no', 'yes']);
    (await call).abort?.();
  });

  test('is forgotten by some of several servers behind one URL, and the call arrives yet', async (t) => {
    let flips = 0;
    const { remote, gateway, session } = await openTo(t, {
      'tools/call': (exchange) => {
        if (++flips % 2 === 1 || isGone(exchange)) return exchange.status(404);
        return exchange.result({ content: [{ type: 'text', text: 'hello' }] });
      },
    });
    for (let id = 1; id < 12; ++id) assert.equal(textOf(await session.call(id, 'echo')), 'hello');
    assert.equal(remote.opened, 12);
    assert.equal((await post(gateway.at(PATH), toolCall(1, 'echo'))).status, 400);
  });
});
