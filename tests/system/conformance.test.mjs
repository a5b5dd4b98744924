import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { test } from './lib/at-once.mjs';
import { gatewayWith } from './lib/config.mjs';
import { exampleServer, fixture, gatewayFor } from './lib/gateway.mjs';
import { Caller, MODERN } from './lib/modern.mjs';
import { startFixture } from './lib/via.mjs';

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

// Extensions of the protocol are not ours.
const isOfExtension = ({ scenario }) => scenario.startsWith('tasks-');

function failedChecks(directory) {
  const checks = globSync('*/checks.json', { cwd: directory }).flatMap((path) => {
    const [, scenario] = /^server-(.*)-\d{4}-\d\d-\d\dT/.exec(path);
    return JSON.parse(readFileSync(join(directory, path), 'utf8')).map((check) => ({ scenario, ...check }));
  });
  const failed = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
  return failed.filter((check) => !isOfExtension(check));
}

const named = ({ scenario, id }) => `${scenario}:${id}`;

function summary(printed) {
  const start = printed.indexOf('=== SUMMARY ===');
  return start < 0 ? printed : printed.slice(start);
}

// The exit code alone says nothing of warnings and of scenarios that are not scored.
function assertOnlyFails({ code, printed, failures }, expected) {
  const told = failures.map((check) => `${check.status} ${named(check)}: ${check.errorMessage}`);
  const report = [summary(printed), ...told].join('\n');
  assert.equal(code, 0, report);
  assert.match(summary(printed), /Total: [1-9]\d* passed/, report);
  assert.deepEqual(failures.map(named).toSorted(), expected.toSorted(), report);
}

const assertAllPass = (run) => assertOnlyFails(run, []);

const LEGACY = 'expected-failures-legacy.yml';

// The suite gives a call half a second, in which a server may not have started yet.
const warmUp = (url) =>
  Promise.all([{}, { elicitation: {} }].map((can) => new Caller(url, { can }).call('test_simple_text')));

async function assertServesModern(t, url) {
  await warmUp(url);
  const options = ['--requirements', MODERN, '--expected-failures', here(LEGACY)];
  const expected = parse(readFileSync(here(LEGACY), 'utf8')).server;
  assertOnlyFails(await runSuite(t, 'conformance-0.2', url, ...options), expected);
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

test('the requirements of 2026-07-28 in conformance 0.2 pass in front of a server with sessions', async (t) => {
  const gateway = await gatewayFor(t, fixture('stdio'));
  await assertServesModern(t, gateway.url);
});

test('they pass in front of a remote server with sessions', async (t) => {
  const remote = await startFixture();
  t.after(() => remote.stop());
  const gateway = await gatewayWith(t, { mcpServers: { remote: { type: 'http', url: remote.url } } });
  await assertServesModern(t, gateway.url);
});

test('they pass in front of several servers as one', async (t) => {
  const entry = ([command, ...args], prefix) => ({ command, args, prefix });
  const mcpServers = { fixture: entry(fixture('stdio'), ''), example: entry(exampleServer, 'example') };
  const gateway = await gatewayWith(t, { mcpServers });
  await assertServesModern(t, gateway.url);
});
