// Clients behind proxies, and the host names of the gateway.
import assert from 'node:assert/strict';
import { test } from './lib/concurrently.mjs';
import { gatewayWith } from './lib/config.mjs';
import { assertRefused, bearer, KeyFile, tryInitialize, newKey } from './lib/credentials.mjs';
import { exampleServer, gatewayFor } from './lib/gateway.mjs';
import { request } from './lib/http.mjs';
import { startHandmade } from './lib/tokens.mjs';
import { until } from './lib/until.mjs';

const MCP = '/mcp';
const WELL_KNOWN = '/.well-known/oauth-protected-resource/mcp';
const [command, ...args] = exampleServer;
const SERVERS = { a: { command, args } };

// -- addresses --------------------------------------------------------------------------------------------------------

const ONE_EACH = { perAddress: { initializesPerMinute: 1 } };
// The limit of sessions begun per minute, of which twice as many may begin at once.
const BURST = 2;
const admitted = async (gateway, headersOf, count = BURST + 2) => {
  const statuses = [];
  for (let time = 0; time < count; ++time) statuses.push((await tryInitialize(gateway.url, headersOf(time))).status);
  assert.ok(statuses.every((status) => status === 200 || status === 429), String(statuses));
  return statuses.filter((status) => status === 200).length;
};
const limited = (t, ...flags) => gatewayWith(t, { mcpServers: SERVERS, gateway: { limits: ONE_EACH } }, ...flags);
const TRUSTED = ['--trusted-proxy', '127.0.0.1'];
const ADDRESS = '203.0.113.';

const SAYINGS = {
  Forwarded: (address) => ({ forwarded: `for=${address};proto=https` }),
  'Forwarded, quoted, with a port': (address) => ({ forwarded: `for="${address}:4711"` }),
  'X-Forwarded-For': (address) => ({ 'x-forwarded-for': address }),
  both: (address) => ({ forwarded: `for=${address}`, 'x-forwarded-for': address }),
};

for (const [how, saying] of Object.entries(SAYINGS))
  test(`limits count by the address that a trusted proxy tells: ${how}`, async (t) => {
    const gateway = await limited(t, ...TRUSTED);
    assert.equal(await admitted(gateway, () => saying(`${ADDRESS}1`)), BURST, 'one address');
    assert.equal(await admitted(gateway, (time) => saying(`${ADDRESS}${time + 2}`)), BURST + 2, 'several');
    const chain = (time) => {
      const [far, near] = [saying(`198.51.100.${time}`), saying(`${ADDRESS}99`)];
      return Object.fromEntries(Object.keys(near).map((name) => [name, `${far[name]}, ${near[name]}`]));
    };
    assert.equal(await admitted(gateway, chain), BURST, 'what the trusted one says counts');
  });

const REFUSED = 'requests through an untrusted proxy are refused';

test('a proxy that is not trusted opens a gateway without keys to nobody', async (t) => {
  const open = await limited(t);
  const other = await limited(t, '--trusted-proxy', '10.0.0.0/8');
  const more = [{ via: '1.1 proxy' }, { 'x-real-ip': `${ADDRESS}1` }, { 'x-forwarded-host': 'localhost' }];
  for (const gateway of [open, other]) {
    for (const headers of [...Object.values(SAYINGS).map((saying) => saying(`${ADDRESS}1`)), ...more])
      for (const path of [MCP, '/sse', '/servers/a/mcp'])
        assert.equal((await tryInitialize(gateway.at(path), headers)).status, 403, JSON.stringify(headers));
    assert.equal((await request(gateway.at('/healthz'), { headers: { via: '1.1 proxy' } })).status, 200);
    const all = () => gateway.log.filter((line) => line.includes(REFUSED));
    await until('the log says so', () => all().length > 0);
    const told = all().map((line) => JSON.parse(line));
    assert.deepEqual(told.map(({ level, peer }) => [level, peer]), [['warning', '127.0.0.1']], 'once a minute');
    assert.equal((await tryInitialize(gateway.url)).status, 200);
  }
  const anybody = await gatewayWith(t, { mcpServers: SERVERS }, '--allow-anonymous');
  assert.equal((await tryInitialize(anybody.url, { via: '1.1 proxy' })).status, 200);
});

test('of what a proxy says, and contradicts, nothing is believed', async (t) => {
  const gateway = await limited(t, ...TRUSTED);
  const contradicting = () => ({ forwarded: `for=${ADDRESS}1`, 'x-forwarded-for': `${ADDRESS}2` });
  assert.equal(await admitted(gateway, contradicting), BURST, 'they count for the proxy');
  for (const address of [`${ADDRESS}1`, `${ADDRESS}2`])
    assert.equal(await admitted(gateway, () => SAYINGS.Forwarded(address)), BURST, 'nothing has counted for it');
});

test('limits count by the key, wherever it comes from', async (t) => {
  const keys = ['ann', 'ben'].map((name) => newKey(name));
  const auth = { keys: new KeyFile(...keys).path };
  const config = { mcpServers: SERVERS, gateway: { auth, limits: ONE_EACH } };
  const gateway = await gatewayWith(t, config, ...TRUSTED);
  for (const { secret } of keys) {
    const anywhere = (time) => ({ ...bearer(secret), 'x-forwarded-for': `${ADDRESS}${time}` });
    assert.equal(await admitted(gateway, anywhere), BURST);
  }
});

test('an address on loopback that a proxy names is limited, and clients on this machine are not', async (t) => {
  const gateway = await limited(t, ...TRUSTED);
  for (const address of ['127.0.0.1', '::1'])
    assert.equal(await admitted(gateway, () => ({ 'x-forwarded-for': address })), BURST, address);
  assert.equal(await admitted(gateway, () => ({})), BURST + 2);
});

// -- names ------------------------------------------------------------------------------------------------------------

test('with --allowed-host a client may call the gateway by these names alone', async (t) => {
  const allowed = ['gateway.example.com', 'b.example:81'];
  const gateway = await gatewayFor(t, exampleServer, ...allowed.flatMap((host) => ['--allowed-host', host]));
  const status = async (host, more = {}) => (await tryInitialize(gateway.url, { host, ...more })).status;
  for (const host of [...allowed, 'gateway.example.com:8443', 'GATEWAY.example.com', 'localhost:5'])
    assert.equal(await status(host), 200, host);
  const foreign = ['evil.example', 'gateway.example.com.evil.example', 'x.gateway.example.com', 'b.example', 'b.example:82'];
  for (const host of foreign) assert.equal(await status(host), 403, host);
  // Forwarded host names do not count from untrusted addresses.
  assert.equal(await status('evil.example', { 'x-forwarded-host': 'gateway.example.com' }), 403);
  const all = await gatewayFor(t, exampleServer, '--allowed-host', '*');
  assert.equal((await tryInitialize(all.url, { host: 'evil.example' })).status, 200);
});

test('the name that a trusted proxy tells has to be allowed, too', async (t) => {
  const gateway = await gatewayFor(t, exampleServer, '--allowed-host', 'gateway.example.com', ...TRUSTED);
  const status = async (headers) => (await tryInitialize(gateway.url, headers)).status;
  const [good, bad] = ['gateway.example.com', 'evil.example'];
  const through = { 'x-forwarded-for': `${ADDRESS}1` };
  assert.equal(await status({ ...through, 'x-forwarded-host': good }), 200);
  assert.equal(await status({ ...through, 'x-forwarded-host': bad }), 403);
  assert.equal(await status({ forwarded: `for=${ADDRESS}1;host=${good}` }), 200);
  assert.equal(await status({ forwarded: `for=${ADDRESS}1;host=${bad}` }), 403);
  assert.equal(await status({ host: bad, ...through, 'x-forwarded-host': good }), 403, 'Host counts as well');
});

test('the URLs that clients are told follow what a trusted proxy says, and nobody else', async (t) => {
  const issuer = await startHandmade(t, 'ES256');
  const auth = { issuer: issuer.url, audience: 'troupe' };
  const config = { mcpServers: SERVERS, gateway: { auth } };
  const [open, trusting] = [await gatewayWith(t, config), await gatewayWith(t, config, ...TRUSTED)];
  const document = async (gateway, headers) => (await (await request(gateway.at(WELL_KNOWN), { headers })).all())[0];
  const challenged = async (gateway, headers) => {
    const { resource_metadata: named } = assertRefused(await tryInitialize(gateway.url, headers), 401, undefined);
    return named;
  };
  const forwarded = [
    { 'x-forwarded-for': `${ADDRESS}1`, 'x-forwarded-proto': 'https', 'x-forwarded-host': 'gateway.example.com' },
    { forwarded: `for=${ADDRESS}1;proto=https;host=gateway.example.com` },
    { forwarded: `for="${ADDRESS}1";proto="https";host="gateway.example.com"` },
  ];
  for (const headers of forwarded) {
    const what = JSON.stringify(headers);
    assert.equal((await document(trusting, headers)).resource, `https://gateway.example.com${MCP}`, what);
    assert.equal(await challenged(trusting, headers), `https://gateway.example.com${WELL_KNOWN}`, what);
    assert.equal((await document(open, headers)).resource, open.url, what);
    assert.equal(await challenged(open, headers), open.at(WELL_KNOWN), what);
  }
  const contradicting = { ...forwarded[0], forwarded: `for=${ADDRESS}2;proto=https;host=evil.example` };
  assert.equal((await document(trusting, contradicting)).resource, trusting.url);
  const { resource } = await document(trusting, { 'x-forwarded-proto': 'https' });
  assert.equal(resource, trusting.url.replace('http:', 'https:'));
  const told = { mcpServers: SERVERS, gateway: { auth: { ...auth, url: 'https://public.example' } } };
  const named = await gatewayWith(t, told, ...TRUSTED);
  assert.equal((await document(named, forwarded[0])).resource, `https://public.example${MCP}`);
});
