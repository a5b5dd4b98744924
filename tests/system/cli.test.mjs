import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { exampleServer, PROGRAM, runProgram, serve } from './lib/gateway.mjs';
import { openSession } from './lib/session.mjs';

const LIMIT = 60_000;

async function runToEnd(...args) {
  const child = runProgram(...args);
  const late = setTimeout(() => child.kill('SIGKILL'), LIMIT);
  const exit = once(child, 'exit').finally(() => clearTimeout(late));
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), exit]);
  return { code, out, err };
}

const linesOf = (printed) => printed.trim().split('\n');

for (const flag of ['--no-such-flag', '--port=seventy', '--log-level=loud', '--max-body=-1']) {
  test(`a bad flag is named in one line, exit 2: ${flag}`, async () => {
    const { code, err } = await runToEnd('serve', flag, '--', ...exampleServer);
    assert.equal(code, 2, err);
    assert.equal(linesOf(err).length, 1, err);
    assert.ok(err.includes(flag.split('=')[0]), err);
  });
}

test('nothing to serve is an error, exit 2', async () => {
  const { code, err } = await runToEnd('serve', '--port', '0');
  assert.equal(code, 2, err);
  assert.equal(linesOf(err).length, 1, err);
});

test('a port in use is an error in one line, exit 1', async (t) => {
  const owner = createServer().listen(0, '127.0.0.1');
  t.after(() => owner.close());
  await once(owner, 'listening');
  const { port } = owner.address();
  const { code, err } = await runToEnd('serve', '--port', String(port), '--', ...exampleServer);
  assert.equal(code, 1, err);
  assert.equal(linesOf(err).length, 1, err);
  assert.ok(err.includes(String(port)), err);
});

test('help names the commands and the version is a number, exit 0', async () => {
  const help = await runToEnd('--help');
  assert.equal(help.code, 0);
  assert.match(help.out, /serve/);
  assert.match(help.out, /example-server/);
  const version = await runToEnd('--version');
  assert.equal(version.code, 0);
  assert.match(version.out, /\d+\.\d+/);
});

test('a command line in one word is split as a shell would split it', async (t) => {
  const gateway = await serve('--stdio', `'${PROGRAM}' "example-server"`);
  t.after(() => gateway.stop());
  await openSession(gateway.url);
});
