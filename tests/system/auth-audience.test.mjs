// The audience and the scopes of tokens, and the challenges for clients without a token.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { suite, test } from './lib/concurrently.mjs';
import { lasting } from './lib/cluster.mjs';
import { gatewayWith } from './lib/config.mjs';
import { assertBad, assertComesIn, assertRefused, bearer, challengeOf, tryInitialize } from './lib/credentials.mjs';
import { exampleServer } from './lib/gateway.mjs';
import { request } from './lib/http.mjs';
import { openSession } from './lib/session.mjs';
import { openSseSession } from './lib/sse.mjs';
import { startHandmade } from './lib/tokens.mjs';

const [command, ...args] = exampleServer;
const SERVERS = { a: { command, args }, b: { command, args } };
const PUBLIC = 'https://troupe.example';
const ANYWHERE = 'https://any.example';
const WELL_KNOWN = '/.well-known/oauth-protected-resource';
const gatewayOf = (t, auth, ...flags) => gatewayWith(t, { mcpServers: SERVERS, gateway: { auth } }, ...flags);

// -- audience ---------------------------------------------------------------------------------------------------------

suite('a gateway with a public URL', () => {
  let issuer;
  let gateway;
  const t = lasting();
  before(async () => {
    issuer = await startHandmade(t, 'ES256');
    gateway = await gatewayOf(t, { issuer: issuer.url, url: PUBLIC });
  });
  after(() => t.end());

  const initializeFor = async (aud, path) => tryInitialize(gateway.at(path), bearer(await issuer.token({ aud })));

  test('takes tokens for it, and for the endpoint that is asked', async () => {
    for (const path of ['/mcp', '/servers/a/mcp', '/servers/b/mcp']) {
      const its = [PUBLIC + path, `${PUBLIC}:443${path}`, `HTTPS://TROUPE.EXAMPLE${path}`, ['x', PUBLIC + path]];
      for (const aud of [PUBLIC, `${PUBLIC}/`, ...its]) {
        const reply = await initializeFor(aud, path);
        assert.equal(reply.status, 200, `${aud} at ${path}: ${reply.received}`);
      }
    }
  });

  test('refuses those for another endpoint, and for another URL: 401', async () => {
    const wrong = [
      [`${PUBLIC}/mcp`, '/servers/a/mcp'],
      [`${PUBLIC}/servers/a/mcp`, '/mcp'],
      [`${PUBLIC}/servers/a/mcp`, '/servers/b/mcp'],
      [`${PUBLIC}/servers/a`, '/servers/a/mcp'],
      [`${PUBLIC}/sse`, '/mcp'],
      [`${PUBLIC}.evil.example/mcp`, '/mcp'],
      [`${PUBLIC}@evil.example/mcp`, '/mcp'],
      [`${PUBLIC}:8443/mcp`, '/mcp'],
      [`http://troupe.example/mcp`, '/mcp'],
      [`${PUBLIC}/mcp?x`, '/mcp'],
      [`${PUBLIC}/mcp#x`, '/mcp'],
      [`${PUBLIC}/MCP`, '/mcp'],
      [`${PUBLIC}mcp`, '/mcp'],
      ['troupe.example', '/mcp'],
      [gateway.url, '/mcp'],
    ];
    for (const [aud, path] of wrong) assertBad(await initializeFor(aud, path), `${aud} at ${path}`);
  });

  test('keeps a session to those whose token is for its endpoint: 401', async () => {
    const credentials = async (path) => bearer(await issuer.token({ aud: PUBLIC + path }));
    const path = '/servers/a/mcp';
    const session = await openSession(gateway.at(path), undefined, {}, await credentials(path));
    for (const ask of ['ping', 'listen', 'delete']) assertBad(await session.as(await credentials('/mcp'))[ask]());
    assert.equal((await session.ping()).status, 200);
  });

  test('takes a token for its stream also where messages go', async () => {
    const session = await openSseSession(gateway, undefined, {}, bearer(await issuer.token({ aud: `${PUBLIC}/sse` })));
    assert.deepEqual((await session.ask({ jsonrpc: '2.0', id: 1, method: 'ping' })).result, {});
    const other = bearer(await issuer.token({ aud: `${PUBLIC}/mcp` }));
    assertBad(await session.post({ jsonrpc: '2.0', id: 2, method: 'ping' }, other));
    session.close();
  });

  test('names itself by it, and not by what it is called', async () => {
    for (const path of ['/mcp', '/servers/a/mcp', '/sse']) {
      const { resource_metadata: named } = challengeOf(await tryInitialize(gateway.at(path), { host: 'localhost:1' }));
      assert.equal(named, PUBLIC + WELL_KNOWN + path);
      const reply = await request(gateway.at(WELL_KNOWN + path), { headers: { host: 'localhost:1' } });
      const [document] = await reply.all();
      assert.equal(document.resource, PUBLIC + path);
    }
  });
});

suite('the document about an endpoint', () => {
  let issuer;
  let gateway;
  const t = lasting();
  before(async () => {
    issuer = await startHandmade(t, 'ES256');
    const scopes = ['read', 'offline_access', 'write'];
    gateway = await gatewayOf(t, { issuer: issuer.url, audience: 'troupe', scopes });
  });
  after(() => t.end());

  // The resource URLs of the gateway, and the paths of its endpoint.
  const places = { '': '/mcp' };
  for (const path of ['/mcp', '/sse', '/servers/a/mcp', '/servers/b/sse']) places[path] = path;

  test('is there for all, whoever they are', async () => {
    for (const [path, endpoint] of Object.entries(places))
      for (const headers of [{}, bearer('nonsense'), { origin: ANYWHERE }, { 'mcp-protocol-version': 'x' }]) {
        const reply = await request(gateway.at(WELL_KNOWN + path), { headers });
        const [document] = await reply.all();
        assert.equal(reply.status, 200, path);
        assert.match(reply.headers['content-type'], /^application\/json/);
        assert.equal(reply.headers['access-control-allow-origin'], '*');
        assert.equal(document.resource, gateway.at(endpoint));
        assert.deepEqual(document.authorization_servers, [issuer.url]);
        assert.deepEqual(document.scopes_supported, ['read', 'write']);
        assert.deepEqual(document.bearer_methods_supported, ['header']);
      }
  });

  test('is called by the name that its reader calls the gateway', async () => {
    for (const host of ['localhost', 'troupe.example:8080', '[::1]:9']) {
      const reply = await request(gateway.at(`${WELL_KNOWN}/mcp`), { headers: { host } });
      assert.equal((await reply.all())[0].resource, `http://${host}/mcp`);
    }
    for (const host of ['a"b', 'a b', 'x/y', 'u@h', 'x?y', 'x#y', 'a\\b']) {
      const reply = await request(gateway.at(`${WELL_KNOWN}/mcp`), { headers: { host } });
      await reply.done;
      assert.equal(reply.status, 400, host);
    }
  });

  test('has a head, and tells browsers that they may read it', async () => {
    for (const path of Object.keys(places)) {
      const url = gateway.at(WELL_KNOWN + path);
      const [got, head] = [await request(url), await request(url, { method: 'HEAD' })];
      await Promise.all([got.done, head.done]);
      assert.deepEqual([head.status, head.received], [200, '']);
      for (const name of ['content-type', 'content-length', 'access-control-allow-origin', 'cache-control'])
        assert.equal(head.headers[name], got.headers[name], name);
      const asked = {
        origin: ANYWHERE,
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'mcp-protocol-version',
      };
      const options = await request(url, { method: 'OPTIONS', headers: asked });
      assert.equal(options.status, 204);
      assert.equal(options.headers['access-control-allow-origin'], '*');
      assert.match(options.headers['access-control-allow-methods'], /GET/);
      assert.match(options.headers['access-control-allow-headers'], /mcp-protocol-version|\*/i);
    }
  });

  test('is only to be read: 405', async () => {
    for (const path of Object.keys(places))
      for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
        const reply = await request(gateway.at(WELL_KNOWN + path), { method });
        assert.equal(reply.status, 405, `${method} ${path}`);
        const allowed = reply.headers.allow.split(/, */);
        for (const one of ['GET', 'HEAD', 'OPTIONS']) assert.ok(allowed.includes(one), reply.headers.allow);
      }
  });

  test('is not there for what is no endpoint: 404', async () => {
    for (const path of ['/x', 'x', '/mcp/x', '/messages', '/healthz', '/servers/a', '/servers//mcp'])
      assert.equal((await request(gateway.at(WELL_KNOWN + path))).status, 404, path);
  });

  test('is named to who has no good token', async () => {
    for (const path of ['/mcp', '/servers/a/mcp', '/servers/b/sse'])
      for (const headers of [{}, bearer('nonsense'), bearer(await issuer.token())]) {
        const reply = await tryInitialize(gateway.at(path), headers);
        const { resource_metadata: url, scope } = challengeOf(reply);
        assert.equal(url, gateway.at(WELL_KNOWN + path));
        assert.equal(scope, 'read write');
        const [document] = await (await request(url)).all();
        assert.equal(document.resource, gateway.at(path));
      }
  });
});

// -- scopes -----------------------------------------------------------------------------------------------------------

test('who lacks a scope is told all that are needed: 403', async (t) => {
  const issuer = await startHandmade(t, 'ES256');
  const scopeIncludes = { admin: ['write', 'audit'], write: ['read'], loop: ['pool'], pool: ['loop'] };
  const auth = { issuer: issuer.url, audience: 'troupe', scopes: ['read', 'write'], scopeIncludes };
  const gateway = await gatewayOf(t, auth);
  const lacking = [
    ...['', 'read', 'reads writes', 'read,write', 'READ WRITE', 'audit', 'loop', 5, { read: 1, write: 1 }, undefined]
      .map((scope) => ({ scope })),
    { scp: 'read' },
    { roles: ['read', 'write'] },
  ];
  for (const claims of lacking) {
    const reply = await tryInitialize(gateway.url, bearer(await issuer.token(claims)));
    const challenge = assertRefused(reply, 403, 'insufficient_scope', JSON.stringify(claims));
    assert.equal(challenge.scope, 'read write');
    assert.equal(challenge.resource_metadata, gateway.at(`${WELL_KNOWN}/mcp`));
  }
  const enough = [
    ...['read write', 'write read', 'x  read   write y', 'write', 'admin', 'loop write'].map((scope) => ({ scope })),
    { scp: ['read', 'write'] },
    { scp: 'read write' },
    { scope: 'read', scp: ['write'] },
  ];
  for (const claims of enough)
    await assertComesIn(gateway.url, bearer(await issuer.token(claims)), JSON.stringify(claims));
});

test('a session that was begun with all scopes is closed to a token of its owner that lacks one: 403', async (t) => {
  const issuer = await startHandmade(t, 'ES256');
  const gateway = await gatewayOf(t, { issuer: issuer.url, audience: 'troupe', scopes: ['read'] });
  const session = await openSession(gateway.url, undefined, {}, bearer(await issuer.token({ scope: 'read' })));
  const lacking = session.as(bearer(await issuer.token({ scope: 'write' })));
  for (const ask of ['ping', 'listen', 'delete']) assertRefused(await lacking[ask](), 403, 'insufficient_scope', ask);
  assert.equal((await session.ping()).status, 200);
});
