import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { test } from './lib/concurrently.mjs';
import { gatewayWith } from './lib/config.mjs';
import { assertAllPass, assertOnlyFails, runSuite } from './lib/conformance.mjs';
import { exampleServer, fixture, gatewayFor } from './lib/gateway.mjs';
import { startKeyedNodes } from './lib/keyed-nodes.mjs';
import { long } from './lib/long.mjs';
import { Caller, MODERN } from './lib/modern.mjs';
import { freePort } from './lib/ports.mjs';
import { RemoteServer, startFixture } from './lib/via.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

const LEGACY = 'expected-failures-legacy.yml';

// The suite's time limit for a call is half a second, which a server start may exceed.
const warmUp = (url) =>
  Promise.all([{}, { elicitation: {} }].map((can) => new Caller(url, { can }).call('test_simple_text')));

async function assertServesModern(t, url) {
  await warmUp(url);
  const options = ['--requirements', MODERN, '--expected-failures', here(LEGACY)];
  const expected = parse(readFileSync(here(LEGACY), 'utf8')).server;
  assertOnlyFails(await runSuite(t, 'conformance-0.2', url, ...options), expected);
}

async function assertServesRemote(t, url) {
  const gateway = await gatewayWith(t, { mcpServers: { remote: { type: 'http', url } } });
  const at = gateway.at('/servers/remote/mcp');
  await warmUp(at);
  assertAllPass(await runSuite(t, 'conformance-0.2', at, '--requirements', MODERN));
}

test('the requirements of 2026-07-28 in conformance 0.2 pass in front of a server of that revision', async (t) => {
  const gateway = await gatewayFor(t, fixture('modern-server'));
  await warmUp(gateway.url);
  assertAllPass(await runSuite(t, 'conformance-0.2', gateway.url, '--requirements', MODERN));
});

test('they pass in front of a remote server of that revision', async (t) => {
  const port = await freePort();
  const remote = await new RemoteServer(fixture('modern-server', String(port)), port, '/mcp').listening();
  t.after(() => remote.stop());
  await assertServesRemote(t, remote.url);
});

test('they pass in front of a second gateway in front of it', async (t) => {
  const behind = await gatewayFor(t, fixture('modern-server'));
  await assertServesRemote(t, behind.url);
});

test('the requirements of 2026-07-28 in conformance 0.2 pass in front of a server with sessions', async (t) => {
  const gateway = await gatewayFor(t, fixture('stdio'));
  await assertServesModern(t, gateway.url);
});

// The second gateway seals states like the first.
test('they pass in front of a second gateway in front of a server with sessions', async (t) => {
  const behind = await gatewayFor(t, fixture('stdio'));
  const gateway = await gatewayWith(t, { mcpServers: { remote: { type: 'http', url: behind.url } } });
  await assertServesModern(t, gateway.at('/servers/remote/mcp'));
});

test('they pass in front of a remote server with sessions', async (t) => {
  const remote = await startFixture();
  t.after(() => remote.stop());
  const gateway = await gatewayWith(t, { mcpServers: { remote: { type: 'http', url: remote.url } } });
  await assertServesModern(t, gateway.url);
});

const REPEATS = { skip: long('it repeats, through nodes, what is found before one') };

const entry = ([command, ...args], prefix = '') => ({ command, args, prefix });
const asOne = (first) => ({ fixture: entry(first), example: entry(exampleServer, 'example') });

test('they pass in front of several servers as one', async (t) => {
  const gateway = await gatewayWith(t, { mcpServers: asOne(fixture('stdio')) });
  await assertServesModern(t, gateway.url);
});

// On the merged endpoint all servers are translated to sessions and back, so the keys of questions are lost.
test('they pass in front of several servers as one of which one is of that revision', async (t) => {
  const gateway = await gatewayWith(t, { mcpServers: asOne(fixture('modern-server')) });
  await assertServesModern(t, gateway.url);
});

// -- several nodes ------------------------------------------------------------------------

// Requests relayed between nodes do not count as local.
const rooted = (servers) =>
  Object.fromEntries(Object.entries(servers).map(([name, server]) => [name, { ...server, roots: 'pass' }]));

test('they pass through three nodes in front of a server of that revision', async (t) => {
  const nodes = await startKeyedNodes(t, rooted({ fixture: entry(fixture('modern-server')) }));
  const url = nodes.at('/servers/fixture/mcp');
  await warmUp(url);
  assertAllPass(await runSuite(t, 'conformance-0.2', url, '--requirements', MODERN));
});

test('they pass through three nodes in front of a server with sessions', REPEATS, async (t) => {
  const nodes = await startKeyedNodes(t, rooted({ fixture: entry(fixture('stdio')) }));
  await assertServesModern(t, nodes.at('/servers/fixture/mcp'));
});

for (const first of ['stdio', 'modern-server'])
  test(`they pass through three nodes in front of several servers as one: ${first}`, REPEATS, async (t) => {
    const nodes = await startKeyedNodes(t, rooted(asOne(fixture(first))));
    await assertServesModern(t, nodes.at('/mcp'));
  });

// -- clients with sessions ----------------------------------------------------------------

const IDLE = ['--session-timeout', '5'];

for (const [release, ...options] of [
  ['conformance-0.1', '--suite', 'active'],
  ['conformance-0.2', '--requirements', '2025-11-25'],
])
  test(`${release} passes for clients with sessions in front of a server of 2026-07-28`, async (t) => {
    const gateway = await gatewayFor(t, fixture('modern-server'), ...IDLE);
    assertAllPass(await runSuite(t, release, gateway.url, ...options));
  });
