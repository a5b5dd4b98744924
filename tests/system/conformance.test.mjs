import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from './lib/at-once.mjs';
import { fixture, gatewayFor } from './lib/gateway.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

// 0.1.16 leaves its sessions open: the short idle limit keeps their servers from piling up.
const IDLE = ['--session-timeout', '5'];

async function runSuite(test, release, url, ...options) {
  const directory = await mkdtemp(join(tmpdir(), 'conformance-'));
  test.after(() => rm(directory, { recursive: true }));
  const program = here(`node_modules/${release}/dist/index.js`);
  const suite = spawn(process.execPath, [program, 'server', '--url', url, '-o', directory, ...options]);
  test.after(() => suite.kill());
  let printed = '';
  for (const stream of [suite.stdout, suite.stderr]) stream.on('data', (chunk) => (printed += chunk));
  const [code] = await once(suite, 'close');
  return { code, printed, failures: failedChecks(directory) };
}

function failedChecks(directory) {
  const checks = globSync('*/checks.json', { cwd: directory }).flatMap((path) =>
    JSON.parse(readFileSync(join(directory, path), 'utf8')),
  );
  const failed = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
  return failed.map(({ id, status, errorMessage }) => `${status} ${id}: ${errorMessage}`);
}

function summary(printed) {
  const start = printed.indexOf('=== SUMMARY ===');
  return start < 0 ? printed : printed.slice(start);
}

// The exit code alone says nothing of warnings and of scenarios that are not scored.
function assertAllPass({ code, printed, failures }) {
  const told = [summary(printed), ...failures].join('\n');
  assert.equal(code, 0, told);
  assert.match(summary(printed), /Total: [1-9]\d* passed, 0 failed/, told);
  assert.deepEqual(failures, [], told);
}

test('the active scenarios of conformance 0.1.16 pass', async (t) => {
  const gateway = await gatewayFor(t, fixture('stdio'), ...IDLE);
  assertAllPass(await runSuite(t, 'conformance-0.1', gateway.url, '--suite', 'active'));
});

test('the requirements of 2025-11-25 in conformance 0.2 pass, warnings counted as failures', async (t) => {
  const gateway = await gatewayFor(t, fixture('stdio'), ...IDLE);
  const options = ['--requirements', '2025-11-25', '--expected-failures', here('expected-failures.yml')];
  assertAllPass(await runSuite(t, 'conformance-0.2', gateway.url, ...options));
});
