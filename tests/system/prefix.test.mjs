// A gateway that a proxy serves under a path prefix.
import assert from 'node:assert/strict';
import { discoverOAuthProtectedResourceMetadata } from '@modelcontextprotocol/sdk/client/auth.js';
import { suite, test } from './lib/concurrently.mjs';
import { startBalancer } from './lib/balancer.mjs';
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from './lib/client.mjs';
import { serveConfig } from './lib/config.mjs';
import { assertRefused, bearer, tryInitialize } from './lib/credentials.mjs';
import { exampleServer } from './lib/gateway.mjs';
import { request } from './lib/http.mjs';
import { readPage } from './lib/page.mjs';
import { freePort } from './lib/ports.mjs';
import { startHandmade } from './lib/tokens.mjs';
import { until } from './lib/until.mjs';

const [command, ...args] = exampleServer;
const SERVERS = { a: { command, args } };
const PREFIX = '/troupe';
const WELL_KNOWN = '/.well-known/oauth-protected-resource';
const LOCATIONS = readPage('exposing.md').get('Under a path').find(({ language }) => language === 'nginx').content;
const TRUSTED = ['--trusted-proxy', '127.0.0.1'];

async function gatewayOf(t, gateway, ...flags) {
  const running = await serveConfig({ mcpServers: SERVERS, gateway }, ...flags);
  t.after(() => running.stop());
  return running;
}

// The nginx of the page, with the prefix for that gateway. Resolves with its URL.
const proxyTo = (t, port, change = (text) => text) =>
  startBalancer(t, 'nginx', [port], (file) => {
    const own = change(LOCATIONS.replaceAll('127.0.0.1:8080', `127.0.0.1:${port}`));
    return file.replace(/location \/ \{[^}]*\}/, own);
  });
const withoutHeader = (text) => text.replaceAll(/.*X-Forwarded-Prefix.*\n/g, '');

// Asserts that the official client can use the URL.
async function assertUsable(t, url, Transport, headers = {}) {
  const client = new Client({ name: 'behind', version: '1' });
  const transport = new Transport(new URL(url), {
    requestInit: { headers },
    eventSourceInit: { fetch: (at, init) => fetch(at, { ...init, headers: { ...init.headers, ...headers } }) },
  });
  t.after(() => client.close());
  await client.connect(transport);
  const { content } = await client.callTool({ name: 'echo', arguments: { message: 'hello' } });
  assert.match(JSON.stringify(content), /hello/);
}

async function endpointAt(url, headers = {}) {
  const reply = await request(url, { headers: { accept: 'text/event-stream', ...headers } });
  const { data } = await until('the endpoint is told', () => reply.events.find(({ event }) => event === 'endpoint'));
  reply.destroy();
  return data.split('?')[0];
}

const documentAt = async (url, headers = {}) => (await (await request(url, { headers })).all())[0];

suite('a gateway behind a prefix', { concurrency: 4 }, () => {
  for (const [how, change, url] of [
    ['that the proxy names', undefined, () => undefined],
    ['that auth.url names', withoutHeader, (proxy) => proxy + PREFIX],
  ])
    test(`${how} is used by the official client`, async (t) => {
      const issuer = await startHandmade(t, 'ES256');
      const port = await freePort();
      const proxy = await proxyTo(t, port, change);
      const auth = { issuer: issuer.url, audience: 'troupe', ...(url(proxy) && { url: url(proxy) }) };
      await gatewayOf(t, { auth }, '--port', String(port), ...TRUSTED);
      for (const path of ['/mcp', '/servers/a/mcp']) {
        const at = proxy + PREFIX + path;
        const { resource_metadata: named } = assertRefused(await tryInitialize(at), 401, undefined);
        assert.equal(named, proxy + WELL_KNOWN + PREFIX + path);
        const found = await discoverOAuthProtectedResourceMetadata(at, { resourceMetadataUrl: named });
        assert.equal(found.resource, at);
        assert.equal((await discoverOAuthProtectedResourceMetadata(at)).resource, at, 'by probing');
        assert.equal((await documentAt(proxy + PREFIX + WELL_KNOWN + path)).resource, at, 'without the prefix');
        await assertUsable(t, at, StreamableHTTPClientTransport, bearer(await issuer.token()));
      }
      for (const path of ['/sse', '/servers/a/sse'])
        await assertUsable(t, proxy + PREFIX + path, SSEClientTransport, bearer(await issuer.token()));
      const its = url(proxy) ? [200, 200, 200, 401, 401] : [401, 401, 401, 401, 401];
      const audiences = [`${PREFIX}`, `${PREFIX}/`, `${PREFIX}/mcp`, '/mcp', `${PREFIX}/servers/a/mcp`];
      for (const [index, aud] of audiences.entries()) {
        const token = await issuer.token({ aud: proxy + aud });
        assert.equal((await tryInitialize(`${proxy}${PREFIX}/mcp`, bearer(token))).status, its[index], aud);
      }
    });

  test('believes a trusted proxy alone, and no prefix that is none', async (t) => {
    const trusting = await gatewayOf(t, {}, ...TRUSTED);
    const said = (prefix, more = {}) => endpointAt(trusting.at('/sse'), { 'x-forwarded-prefix': prefix, ...more });
    for (const [prefix, path] of [
      ['/troupe', '/troupe/messages'],
      ['/troupe/', '/troupe/messages'],
      ['/a/b-c_d.e~1', '/a/b-c_d.e~1/messages'],
      ['/forged, /troupe', '/troupe/messages'],
    ])
      assert.equal(await said(prefix), path, prefix);
    const none = ['/', 'troupe', '//evil.example', '/a//b', '/a/../b', '/.a', '/a?b', '/a#b', '/a%2fb', '/a"b', '/a b', '/a\\b'];
    for (const prefix of [...none, `/${'x'.repeat(256)}`]) assert.equal(await said(prefix), '/messages', prefix);
    const contradicting = { forwarded: 'for=203.0.113.1', 'x-forwarded-for': '203.0.113.2' };
    assert.equal(await said('/troupe', contradicting), '/messages');
    assert.equal(await said('/troupe', { forwarded: 'for=203.0.113.1' }), '/troupe/messages');
    const anybody = await gatewayOf(t, { auth: { allowAnonymous: true } });
    assert.equal(await endpointAt(anybody.at('/sse'), { 'x-forwarded-prefix': '/troupe' }), '/messages');
    const keyless = await gatewayOf(t, {});
    assert.equal((await tryInitialize(keyless.url, { 'x-forwarded-prefix': '/troupe' })).status, 403);
  });

  test('of auth.url answers with it and without, whatever a proxy says', async (t) => {
    const gateway = await gatewayOf(t, { auth: { url: 'https://gateway.example.com/troupe/' } }, ...TRUSTED);
    for (const path of ['/sse', `${PREFIX}/sse`, '/servers/a/sse']) {
      const headers = { 'x-forwarded-prefix': '/other' };
      const messages = path.replace('/sse', '/messages').replace(/^(?!\/troupe)/, PREFIX);
      assert.equal(await endpointAt(gateway.at(path), headers), messages);
      await assertUsable(t, gateway.at(path), SSEClientTransport);
    }
    await assertUsable(t, gateway.at(`${PREFIX}/mcp`), StreamableHTTPClientTransport);
    assert.equal((await tryInitialize(gateway.at(`${PREFIX}${PREFIX}/mcp`))).status, 404);
  });
});
