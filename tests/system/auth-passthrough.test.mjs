// Credentials of clients stay at the gateway: no server, no store and no log receives them.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { openStage, textOf } from './fixture/witness-stage.mjs';
import { remoteFor } from './fixture/remote-script.mjs';
import { suite, test } from './lib/concurrently.mjs';
import { lasting, startCluster } from './lib/cluster.mjs';
import { gatewayWith } from './lib/config.mjs';
import { apiKey, assertComesIn, bearer, KeyFile, tryInitialize, newKey } from './lib/credentials.mjs';
import { fixture } from './lib/gateway.mjs';
import { request } from './lib/http.mjs';
import { rpc } from './lib/ownership.mjs';
import { openSession, Session, toolCall } from './lib/session.mjs';
import { openSseSession } from './lib/sse.mjs';
import { ALONE, startRecovering } from './lib/store.mjs';
import { startHandmade } from './lib/tokens.mjs';
import { until } from './lib/until.mjs';

const DEBUG_LOG = ['--log-level', 'debug'];
const key = newKey('ada');
// Header fields that a browser, a proxy or a careless client may add.
const CARELESS = {
  cookie: 'session=of-the-client',
  forwarded: 'for=203.0.113.7;by=of-the-client',
  'x-forwarded-for': '203.0.113.7',
  'proxy-authorization': 'Basic of-the-client',
  'x-of-the-client': 'of-the-client',
  'x-auth-token': 'of-the-client',
};
const entry = ([command, ...args], more = {}) => ({ command, args, ...more });
const authOf = (issuer) => ({ issuer: issuer.url, audience: 'troupe', keys: new KeyFile(key).path });

// Parts of a token count too, because its claims are as sensitive as the whole.
const isTelling = (part) => part.length > 30;
const partsOf = (secrets) => secrets.flatMap((secret) => [secret, ...secret.split('.').filter(isTelling)]);

function assertFree(told, secrets, what) {
  for (const one of partsOf(secrets)) assert.ok(!told.includes(one), `${what}: ${told.slice(0, 2_000)}`);
}

suite('a remote server', { concurrency: 4 }, () => {
  let issuer;
  const t = lasting();
  before(async () => (issuer = await startHandmade(t, 'ES256')));
  after(() => t.end());

  for (const sharing of ['session', 'shared', 'principal'])
    test(`is shown the gateway's own credentials, and nothing of its callers' (sharing: ${sharing})`, async (t) => {
      const remote = await remoteFor(t);
      const own = { Authorization: 'Bearer of-the-gateway' };
      const mcpServers = { remote: { url: remote.url, headers: own, sharing } };
      const gateway = await gatewayWith(t, { mcpServers, gateway: { auth: authOf(issuer) } }, ...DEBUG_LOG);
      const token = await issuer.token();
      const secrets = [token, key.secret];
      for (const [index, who] of [bearer(token), apiKey(key.secret), bearer(key.secret), apiKey(token)].entries()) {
        const session = await openSession(gateway.at('/servers/remote/mcp'), undefined, {}, { ...who, ...CARELESS });
        const stream = await session.listen();
        const answer = (await (await session.post(toolCall(index, 'echo', { message: 'hello' }))).all()).at(-1);
        assert.equal(textOf(answer), 'hello');
        stream.destroy();
        assert.equal((await session.delete()).status, 200);
      }
      assert.ok(remote.named('tools/call').length === 4);
      for (const { headers, message, path } of remote.exchanges) {
        assert.equal(headers.authorization, own.Authorization);
        assert.equal(headers.host, `127.0.0.1:${remote.port}`);
        assert.equal(headers['mcp-session-id']?.startsWith('session-') ?? true, true);
        const sent = JSON.stringify([headers, message, path]);
        assertFree(sent, secrets, 'sent');
        assert.doesNotMatch(sent, /of-the-client|203\.0\.113|x-api-key|"ada"|desk/i);
      }
      assertFree(gateway.log.join('\n'), [...secrets, 'of-the-gateway', 'of-the-client'], 'the log');
    });

  test('that sends elsewhere gets nobody\'s credentials sent there', async (t) => {
    const other = await remoteFor(t);
    for (const status of [301, 302, 303, 307, 308]) {
      const tools = (exchange) => exchange.status(status, { location: other.url });
      const remote = await remoteFor(t, { on: { 'tools/call': tools } });
      const headers = { Authorization: 'Bearer of-the-gateway' };
      const config = { mcpServers: { remote: { url: remote.url, headers } }, gateway: { auth: authOf(issuer) } };
      const gateway = await gatewayWith(t, config);
      const session = await openSession(gateway.url, undefined, {}, bearer(key.secret));
      const answer = await session.call(1, 'remote__echo', { message: 'x' });
      assert.ok(answer.error, JSON.stringify(answer));
    }
    assert.deepEqual(other.exchanges, []);
  });

  test('and what it names is not fetched: icons, links, schemas, and what a challenge names', async (t) => {
    const other = await remoteFor(t);
    const at = (path) => `http://127.0.0.1:${other.port}/${path}`;
    const icons = [{ src: at('icon.png'), mimeType: 'image/png', sizes: ['48x48'] }];
    const tool = {
      name: 'echo', icons, inputSchema: { $ref: at('input.json'), type: 'object' },
      outputSchema: { type: 'object', properties: { x: { $ref: at('output.json#/x') } } },
      _meta: { ui: { resourceUri: at('ui') } },
    };
    const link = { type: 'resource_link', uri: at('link'), name: 'link', icons };
    const challenge = { 'www-authenticate': `Bearer resource_metadata="${at('metadata')}"` };
    const remote = await remoteFor(t, {
      on: {
        'tools/list': (exchange) => exchange.result({ tools: [tool] }),
        'tools/call': (exchange) => exchange.result({ content: [link], structuredContent: { $ref: at('content') } }),
        'resources/list': (exchange) => exchange.result({ resources: [{ uri: at('resource'), name: 'x', icons }] }),
        'resources/read': (exchange) => exchange.status(401, challenge),
      },
    });
    const config = { mcpServers: { remote: { url: remote.url } }, gateway: { auth: authOf(issuer) } };
    const gateway = await gatewayWith(t, config);
    const session = await openSession(gateway.at('/servers/remote/mcp'), undefined, {}, bearer(key.secret));
    const ask = async (method, params) => (await (await session.post(rpc(method, params))).all()).at(-1);
    assert.deepEqual((await ask('tools/list', {})).result.tools, [tool]);
    assert.deepEqual((await ask('tools/call', { name: 'echo', arguments: {} })).result.content, [link]);
    assert.ok((await ask('resources/list', {})).result);
    assert.ok((await ask('resources/read', { uri: at('resource') })).error);
    assert.equal((await session.delete()).status, 200);
    await until('it is over', () => remote.named('DELETE').length === 1);
    assert.deepEqual(other.exchanges.map(({ path }) => path), []);
  });
});

test('a program hears nothing of its callers\' credentials: in no message, argument or variable', async (t) => {
  const issuer = await startHandmade(t, 'ES256');
  const stage = await openStage(t, (witness) => ({
    mcpServers: {
      one: witness('one'),
      ours: witness('ours', { sharing: 'shared' }),
      mine: witness('mine', { sharing: 'principal' }),
      told: entry(fixture('reload-server')),
    },
    gateway: { auth: authOf(issuer) },
  }), ...DEBUG_LOG);
  const { gateway } = stage;
  const token = await issuer.token();
  const secrets = [token, key.secret];
  const sessions = [];
  for (const who of [bearer(token), apiKey(key.secret)]) {
    const session = await openSession(gateway.url, undefined, {}, { ...who, ...CARELESS });
    sessions.push(session);
    for (const name of ['one', 'ours', 'mine']) {
      const answer = await session.call(name, `${name}__echo`, { message: name });
      assert.equal(textOf(answer), name);
    }
    assertFree(textOf(await session.call('told', 'told__told')), [...secrets, 'of-the-client'], 'told');
    const sse = await openSseSession(gateway, undefined, {}, { ...who, ...CARELESS });
    assert.equal(textOf(await sse.call(1, 'one__echo', { message: 'sse' })), 'sse');
    sse.close();
  }
  for (const name of ['one', 'ours', 'mine']) {
    const heard = JSON.stringify(stage.journal(name));
    assert.match(heard, /"echo"/);
    assertFree(heard, [...secrets, 'of-the-client', 'desk', ...sessions.map(({ id }) => id)], name);
  }
  assertFree(gateway.log.join('\n'), [...secrets, 'of-the-client'], 'the log');
});

test('the log has no whole id of a session, and no query', async (t) => {
  const config = { mcpServers: { a: entry(fixture('hostile')) }, gateway: { auth: { keys: new KeyFile(key).path } } };
  const { nodes: [one, two] } = await startCluster(t, { nodes: 2, config, flags: DEBUG_LOG });
  const who = bearer(key.secret);
  const session = await openSession(one.url, undefined, {}, who);
  const sse = await openSseSession(one, undefined, {}, who);
  assert.equal((await sse.post(rpc('ping', {}, 1))).status, 202);
  const ids = [session.id, sse.id, `unknown-${'0123456789abcdef'.repeat(2)}`, 'x'.repeat(10_000), 'evil"\\id'];
  for (const node of [one, two])
    for (const id of ids) {
      await (await new Session(node.url, id, session.version, who).ping()).done;
      const query = `?sessionId=${encodeURIComponent(id)}&secret=in-the-query`;
      await (await request(node.at(`/messages${query}`), { method: 'POST', headers: who, body: '{' })).done;
      await (await tryInitialize(`${node.url}${query}`, who)).done;
    }
  await session.call(1, 'close_stdout');
  sse.close();
  for (const node of [one, two]) {
    const log = node.log.join('\n');
    assert.ok(log.length > 0);
    assertFree(log, [...ids, 'in-the-query', key.secret], node.name);
  }
});

test('Redis is told who owns a session, and not by what he proved it', async (t) => {
  const issuer = await startHandmade(t, 'ES256');
  const { nodes: [one], store } = await startRecovering(t, { nodes: 1, gateway: { auth: authOf(issuer) } });
  const token = await issuer.token();
  for (const who of [bearer(token), apiKey(key.secret)])
    await openSession(one.at(ALONE), undefined, {}, { ...who, ...CARELESS });
  await store.keeps(2);
  const hash = key.line.split(' ')[1].slice('sha256:'.length);
  assertFree(await store.dump(), [token, key.secret, hash, 'of-the-client'], 'Redis');
  await assertComesIn(one.at(ALONE), bearer(token));
});
