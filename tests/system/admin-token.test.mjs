// The token that a gateway generates for operators on loopback, and how the commands find it.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from './lib/concurrently.mjs';
import { bearer } from './lib/credentials.mjs';
import { exampleServer, PROGRAM, serveBy, serving } from './lib/gateway.mjs';
import { adminOf, ANY_PORT, CLOSED_PORT, logged } from './lib/operator.mjs';
import { scratch } from './lib/scratch.mjs';
import { openSession } from './lib/session.mjs';
import { operate } from './lib/terminal.mjs';
import { until } from './lib/until.mjs';
import { upgraded } from './lib/upgraded.mjs';

const IS_ROOT = process.getuid() === 0;
const NOBODY = { XDG_RUNTIME_DIR: '', RUNTIME_DIRECTORY: '', XDG_STATE_HOME: '', HOME: '' };

// Environment variables of a user with a runtime folder and a home.
function someone(more = {}) {
  const [runtime, home] = [scratch(), scratch()];
  return { ...NOBODY, XDG_RUNTIME_DIR: runtime, HOME: home, ...more };
}

const inPlace = (place) => ['env', ...Object.entries(place).map(([name, value]) => `${name}=${value}`)];

async function begin(t, place, ...flags) {
  const given = flags.length ? flags : CLOSED_PORT;
  const gateway = await serveBy([...inPlace(place), ...serving(...given, '--', ...exampleServer)]);
  t.after(() => gateway.stop());
  const [{ token_file: file }] = logged(gateway, 'listening for operators');
  const admin = adminOf(gateway);
  const token = file && readFileSync(file, 'utf8').trim();
  return { gateway, admin, file, token, place };
}

// Starts a gateway that must fail; resolves with its error, which is one line.
async function refused(place, ...flags) {
  const [program, ...args] = [...inPlace(place), ...serving(...flags, '--', ...exampleServer)];
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  const lines = said.split('\n').filter(Boolean);
  assert.deepEqual([code, lines.length], [1, 1], said);
  return JSON.parse(lines[0]).reason;
}

const types = (place, admin, ...what) => operate([...what, '--admin', admin.url ?? admin], place);
const modeOf = (path) => (statSync(path).mode & 0o777).toString(8);

test('on loopback who shows no token gets nothing, nor does a page of another origin that has it', async (t) => {
  const { admin, token } = await begin(t, someone());
  assert.match(token, /^[0-9a-f]{64}$/);
  for (const page of ['/metrics', '/healthz', '/api/state', '/api/sessions'])
    assert.deepEqual([await admin.status(page), await admin.status(page, { headers: bearer(token) })], [401, 200], page);
  assert.equal(await admin.status('/api/drain', { method: 'POST' }), 401);
  assert.equal(await admin.status('/'), 200, 'the console, which asks for it');
  const foreign = { ...bearer(token), host: 'evil.example' };
  assert.equal(await admin.status('/metrics', { headers: foreign }), 403);
});

test('its file is for its user alone, named by address and port, and goes with the gateway', async (t) => {
  const place = someone();
  const one = await begin(t, place);
  const other = await begin(t, place);
  assert.notEqual(one.token, other.token);
  for (const { admin, file } of [one, other]) {
    const { port } = new URL(admin.url);
    assert.equal(file, join(place.XDG_RUNTIME_DIR, 'troupe', `admin-127.0.0.1-${port}.token`));
    assert.equal(modeOf(file), '600');
  }
  assert.equal(modeOf(join(place.XDG_RUNTIME_DIR, 'troupe')), '700');
  await one.gateway.stop();
  assert.deepEqual(readdirSync(join(place.XDG_RUNTIME_DIR, 'troupe')), [basename(other.file)]);
});

test('operators\' commands find it, by any name of the address', async (t) => {
  const { admin, place } = await begin(t, someone());
  const { port } = new URL(admin.url);
  for (const what of [['top', '--once'], ['nodes'], ['sessions'], ['servers'], ['log-level', 'debug']])
    for (const url of [admin.url, `http://localhost:${port}/`]) {
      const { code, err } = await types(place, url, ...what);
      assert.deepEqual([code, err], [0, ''], what.join(' '));
    }
  assert.equal((await types(place, admin, 'drain')).code, 0);
});

test('who lacks it is told where it was looked for, and what to do', async (t) => {
  const { admin, file, token, place } = await begin(t, someone());
  const stranger = someone();
  const { code, err } = await types(stranger, admin, 'nodes');
  assert.equal(code, 1);
  assert.match(err, /^troupe: \S+ wants a token: name its file with --admin-token-file, .* run this as the gateway's user/);
  for (const folder of [stranger.XDG_RUNTIME_DIR, join(stranger.HOME, '.local/state'), '/run'])
    assert.ok(err.includes(join(folder, 'troupe', basename(file))), err);
  assert.equal((await types(stranger, admin, 'nodes', '--admin-token-file', file)).code, 0);
  assert.equal((await types({ ...stranger, TROUPE_ADMIN_TOKEN: token }, admin, 'nodes')).code, 0);
  writeFileSync(file, `${'0'.repeat(64)}\n`);
  assert.ok((await types(place, admin, 'nodes')).err.includes(`does not take the token in ${file}: `));
});

test('it is in no log, no command line and no environment', async (t) => {
  const { gateway, token, place, admin } = await begin(t, someone());
  const session = await openSession(gateway.url);
  await types(place, admin, 'sessions');
  const shown = [gateway, ...gateway.children()].flatMap(({ pid }) =>
    ['cmdline', 'environ'].map((what) => (IS_ROOT ? readFileSync(`/proc/${pid}/${what}`, 'latin1') : '')));
  for (const said of [...shown, ...gateway.log]) assert.ok(!said.includes(token), said);
  await session.delete();
});

test('a process that takes over keeps it', async (t) => {
  const { gateway, admin, file, token, place } = await begin(t, someone());
  const session = await openSession(gateway.url);
  const { pid, end } = await upgraded(t, gateway);
  const node = async () => JSON.parse((await types(place, admin, 'nodes', '--json')).out);
  await until('the next process answers', async () => JSON.stringify(await node()).includes(String(pid)));
  assert.equal(await admin.status('/metrics', { headers: bearer(token) }), 200);
  assert.equal(readFileSync(file, 'utf8').trim(), token);
  await session.delete();
  assert.equal(await gateway.exited, 0);
  assert.ok(existsSync(file), 'the old process has left it');
  await end();
  assert.ok(!existsSync(file), 'it is gone with the last one');
});

test('a unit of systemd has it in its own folder, a user without one in the home', async (t) => {
  const unit = scratch();
  const { file } = await begin(t, { ...NOBODY, HOME: scratch(), RUNTIME_DIRECTORY: `${unit}:${scratch()}` });
  assert.equal(join(unit, basename(file)), file);
  const { file: other, place, admin } = await begin(t, { ...NOBODY, HOME: scratch() });
  assert.equal(join(place.HOME, '.local/state/troupe', basename(other)), other);
  assert.equal(modeOf(join(place.HOME, '.local')), '700');
  assert.equal((await types(place, admin, 'nodes')).code, 0);
});

// Creates a folder that cannot hold a token, and returns the reason.
const FOLDER = {
  'a link': (path) => {
    symlinkSync(scratch(), path);
    return /: it is a symbolic link/;
  },
  'a folder that others write to': (path) => {
    mkdirSync(path);
    chmodSync(path, 0o770);
    return /: other users can write to it: chmod go-w/;
  },
  'a file': (path) => {
    writeFileSync(path, '');
    return /: Not a directory/;
  },
  ...(IS_ROOT && {
    'a folder of another user': (path) => {
      mkdirSync(path, 0o700);
      chownSync(path, 12_345, 12_345);
      return /: it belongs to the user 12345/;
    },
  }),
};

for (const [name, make] of Object.entries(FOLDER))
  test(`${name} is no place for it`, async (t) => {
    const place = { ...NOBODY, XDG_STATE_HOME: scratch() };
    const path = join(place.XDG_STATE_HOME, 'troupe');
    const why = make(path);
    const reason = await refused(place, ...CLOSED_PORT);
    assert.match(reason, why);
    assert.match(reason, /: give --admin-token-file FILE, --admin-listen unix:PATH or --admin-open$/);
    const { file } = await begin(t, { ...place, XDG_RUNTIME_DIR: scratch() });
    assert.ok(!file.startsWith(path), 'another place is used');
    if (statSync(path).isDirectory()) assert.deepEqual(readdirSync(path), []);
  });

test('a folder for what runs that is not this user\'s alone is none', async (t) => {
  const shared = scratch();
  chmodSync(shared, 0o755);
  const { file, place } = await begin(t, someone({ XDG_RUNTIME_DIR: shared }));
  assert.ok(file.startsWith(place.HOME));
  assert.match(await refused(NOBODY, ...CLOSED_PORT), /it is no absolute path: set HOME/);
});

test('a link in the place of the file is replaced, and read by nobody', async (t) => {
  const { gateway, admin, file, place } = await begin(t, someone());
  const { port } = new URL(admin.url);
  await gateway.stop();
  const elsewhere = join(scratch(), 'elsewhere');
  writeFileSync(elsewhere, `${'0'.repeat(64)}\n`);
  symlinkSync(elsewhere, file);
  const open = await begin(t, place, '--admin-listen', `127.0.0.1:${port}`, '--admin-open');
  assert.equal((await types(place, open.admin, 'nodes')).code, 0, 'an open one is asked without');
  await open.gateway.stop();
  const again = await begin(t, place, '--admin-listen', `127.0.0.1:${port}`);
  assert.notEqual(again.token, '0'.repeat(64));
  assert.equal(readFileSync(elsewhere, 'utf8'), `${'0'.repeat(64)}\n`);
});

test('an open one asks for no token, and says what that means', async (t) => {
  const { gateway, admin, file } = await begin(t, someone(), ...ANY_PORT);
  assert.equal(file, undefined);
  assert.equal(await admin.status('/metrics'), 200);
  assert.equal(await admin.status('/metrics', { headers: { host: 'evil.example' } }), 403);
  const warned = (said) => /operators are asked for no token: every server, and every tool that fetches URLs/.test(said);
  assert.ok(gateway.log.some(warned), gateway.told('it warns'));
  const config = join(scratch(), 'mcp.json');
  const [command, ...args] = exampleServer;
  writeFileSync(config, JSON.stringify({ mcpServers: { a: { command, args } }, gateway: { admin: { open: true } } }));
  const { code, out } = await operate(['check', config]);
  assert.ok(code === 0 && warned(out) && out.includes('warning: gateway.admin.open: '), out);
});

test('only loopback can be open', async () => {
  const beyond = await refused(someone(), '--admin-listen', '0.0.0.0:0', '--admin-open');
  assert.match(beyond, /is for loopback addresses only, .* 0\.0\.0\.0: give admin\.tokenFile \(--admin-token-file\) instead/);
  const unix = await refused(someone(), '--admin-listen', `unix:${join(scratch(), 's')}`, '--admin-open');
  assert.match(unix, /is not for a unix socket, where no token is asked for: leave it out/);
  const { code, err } = await operate(['serve', '--admin-open', '--admin-token-file', PROGRAM, '--', 'true']);
  assert.equal(code, 2);
  assert.match(err, /--admin-open/);
});
