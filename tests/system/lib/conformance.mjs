// Runs the official conformance suite against a URL.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeProgram } from './gateway.mjs';

const here = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

export async function runSuite(test, release, url, ...options) {
  const directory = await mkdtemp(join(tmpdir(), 'conformance-'));
  test.after(() => rm(directory, { recursive: true }));
  const path = here(`node_modules/${release}/dist/index.js`);
  const [program, ...args] = nodeProgram(path, 'server', '--url', url, '-o', directory, ...options);
  const suite = spawn(program, args);
  test.after(() => suite.kill());
  let printed = '';
  for (const stream of [suite.stdout, suite.stderr]) stream.on('data', (chunk) => (printed += chunk));
  const [code] = await once(suite, 'close');
  return { code, printed, failures: failedChecks(directory) };
}

// Troupe does not implement extensions of the protocol.
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

// The exit code does not show warnings and scenarios without a score.
export function assertOnlyFails({ code, printed, failures }, expected) {
  const told = failures.map((check) => `${check.status} ${named(check)}: ${check.errorMessage}`);
  const report = [summary(printed), ...told].join('\n');
  assert.equal(code, 0, report);
  assert.match(summary(printed), /Total: [1-9]\d* passed/, report);
  assert.deepEqual(failures.map(named).toSorted(), expected.toSorted(), report);
}

export const assertAllPass = (run) => assertOnlyFails(run, []);
