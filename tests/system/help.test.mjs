// The help and the manual as users see them.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { scratch } from './lib/scratch.mjs';
import { operate } from './lib/terminal.mjs';

const COMMANDS = /^ {2}([a-z][a-z-]*) {2,}/gm;

test('help lists the commands and topics, and each has a page', async () => {
  const { code, out } = await operate(['help']);
  assert.equal(code, 0);
  const topics = /troupe help ([a-z|]+)/.exec(out)[1].split('|');
  const commands = [...out.matchAll(COMMANDS)].map(([, name]) => name);
  assert.ok(commands.includes('serve') && commands.includes('sessions'), out);
  assert.ok(topics.includes('config') && topics.includes('signals'), out);
  for (const name of [...commands, ...topics]) {
    const page = await operate(['help', name]);
    assert.equal(page.code, 0, `${name}: ${page.err}`);
    assert.ok(page.out.length > 50, name);
    assert.ok(page.lines.every((line) => line.length <= 120), name);
  }
});

test('help of a command is what --help prints', async () => {
  for (const words of [['serve'], ['key', 'new'], ['sessions']])
    assert.equal((await operate(['help', ...words])).out, (await operate([...words, '--help'])).out);
});

test('help of the file has its keys, or those below one', async () => {
  const all = (await operate(['help', 'config'])).out;
  assert.match(all, /^gateway\.port \(number, default: 8080\)\n {4}Port to listen on/m);
  assert.match(all, /^mcpServers\.NAME\.command \(text or list or object\)/m);
  const some = (await operate(['help', 'config', 'gateway.log'])).out;
  assert.match(some, /^gateway\.log\.level/m);
  assert.ok(!some.includes('gateway.port'));
});

test('a page that does not exist is refused with the one that was meant', async () => {
  const { code, err } = await operate(['help', 'signls']);
  assert.equal(code, 2);
  assert.match(err, /no page 'signls', did you mean 'signals'\?/);
  assert.equal((await operate(['help', 'config', 'nothing'])).code, 2);
});

for (const page of ['troupe', 'troupe.json'])
  test(`the page ${page} of the manual is set without a complaint`, async (t) => {
    const { code, out } = await operate(['help', '--man', page]);
    assert.equal(code, 0);
    assert.match(out, /^\.TH /);
    const file = join(scratch(), page);
    writeFileSync(file, out);
    const set = spawnSync('groff', ['-man', '-Tutf8', '-ww', '-z', file], { encoding: 'utf8' });
    if (set.error) return t.skip('groff is not installed');
    assert.equal(set.stderr, '');
  });

test('a flag that does not exist is refused with the one that was meant', async () => {
  for (const [typed, meant] of [
    ['--prot', '--port'],
    ['--max-session', '--max-sessions'],
    ['--Session_Timeout', '--session-timeout'],
    ['--cluster-adv', '--cluster-advertise'],
  ]) {
    const { code, err } = await operate(['serve', typed, '1']);
    assert.equal(code, 2);
    assert.equal(err, `troupe: unknown flag ${typed}, did you mean ${meant}?\n`);
  }
  assert.equal((await operate(['serv'])).err, "troupe: unknown command 'serv', did you mean serve?\n");
  assert.match((await operate(['npx', 'x'])).err, /unknown command 'npx'.*troupe serve -- npx/);
});
