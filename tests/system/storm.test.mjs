// tests/system/storm says in one line why it cannot run.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { PROGRAM } from './lib/gateway.mjs';
import { scratch } from './lib/scratch.mjs';

const STORM = fileURLToPath(new URL('storm', import.meta.url));
const LIMIT = 60_000;

function storm(program, ...flags) {
  return new Promise((resolve) => {
    execFile(STORM, [program, ...flags], { timeout: LIMIT }, (error, out, err) =>
      resolve({ status: error ? error.code : 0, out, err }));
  });
}

async function assertRefused(why, program, ...flags) {
  const { status, out, err } = await storm(program, ...flags);
  assert.deepEqual({ status, out, err }, { status: 2, out: '', err: `tests/system/storm: ${why}\n` });
}

const missing = (file) => `no program at ${file}: build the targets troupe_program and fixture_server`;

test('a missing program is refused in one line', () => {
  const program = join(scratch(), 'troupe');
  return assertRefused(missing(program), program);
});

test('a missing fixture server is refused in one line', () => {
  const folder = scratch();
  const program = join(folder, 'troupe');
  writeFileSync(program, '');
  chmodSync(program, 0o755);
  return assertRefused(missing(join(folder, 'tests/system/fixture-server')), program);
});

test('an invalid fault is refused with the valid ones', async () => {
  const { status, out, err } = await storm(PROGRAM, '--only', 'kill,flood');
  assert.deepEqual({ status, out }, { status: 2, out: '' });
  assert.match(err, /^tests\/system\/storm: invalid fault "flood": use one of [\w ,'-]+\n$/);
});
