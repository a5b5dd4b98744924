import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from './lib/concurrently.mjs';
import { gatewayWith } from './lib/config.mjs';
import { assertAllPass, runSuite } from './lib/conformance.mjs';
import { fixture, gatewayFor, PROGRAM } from './lib/gateway.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

// True for the program itself, without a remote server, a cluster or a host.
const IS_PLAIN = !process.env.TROUPE_VIA && basename(PROGRAM) === 'troupe';
// Ends servers of sessions that the suite leaves open.
const IDLE = ['--session-timeout', '5'];

// Release 0.2 has all of these scenarios: the older one runs once, before a shared server.
const repeats = IS_PLAIN ? false : 'release 0.2 has all of its scenarios';
test('the active scenarios of conformance 0.1.16 pass', { skip: repeats }, async (t) => {
  const [command, ...args] = fixture('stdio');
  const gateway = await gatewayWith(t, { mcpServers: { shared: { command, args, sharing: 'shared' } } });
  assertAllPass(await runSuite(t, 'conformance-0.1', gateway.at('/servers/shared/mcp'), '--suite', 'active'));
});

test('the requirements of 2025-11-25 in conformance 0.2 pass, warnings counted as failures', async (t) => {
  const gateway = await gatewayFor(t, fixture('stdio'), ...IDLE);
  const options = ['--requirements', '2025-11-25', '--expected-failures', here('expected-failures.yml')];
  assertAllPass(await runSuite(t, 'conformance-0.2', gateway.url, ...options));
});
