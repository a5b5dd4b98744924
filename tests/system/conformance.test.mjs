import { fileURLToPath } from 'node:url';
import { test } from './lib/concurrently.mjs';
import { assertAllPass, runSuite } from './lib/conformance.mjs';
import { fixture, gatewayFor } from './lib/gateway.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

// Version 0.1.16 leaves its sessions open. The short idle timeout ends their servers.
const IDLE = ['--session-timeout', '5'];

test('the active scenarios of conformance 0.1.16 pass', async (t) => {
  const gateway = await gatewayFor(t, fixture('stdio'), ...IDLE);
  assertAllPass(await runSuite(t, 'conformance-0.1', gateway.url, '--suite', 'active'));
});

test('the requirements of 2025-11-25 in conformance 0.2 pass, warnings counted as failures', async (t) => {
  const gateway = await gatewayFor(t, fixture('stdio'), ...IDLE);
  const options = ['--requirements', '2025-11-25', '--expected-failures', here('expected-failures.yml')];
  assertAllPass(await runSuite(t, 'conformance-0.2', gateway.url, ...options));
});
