// Started like a systemd service: with passed sockets, and a notification socket.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { test } from './lib/concurrently.mjs';
import { exampleServer, PROGRAM, serveBy, serving } from './lib/gateway.mjs';
import { request } from './lib/http.mjs';
import { descendants } from './lib/processes.mjs';
import { scratch } from './lib/scratch.mjs';
import { initializeRequest, openSession, post, toolCall } from './lib/session.mjs';
import { until } from './lib/until.mjs';
import { hasEnded, records, upgraded } from './lib/upgraded.mjs';

const SYSTEMD = fileURLToPath(new URL('fixture/systemd.pl', import.meta.url));
const LOOPBACK = '127.0.0.1:0';

// The command of a unit with these sockets, and its notifications so far.
function unit(sockets, ...flags) {
  const notices = join(scratch(), 'notices');
  const command = ['perl', SYSTEMD, notices, ...sockets, '--', ...serving(...flags)];
  return { command, told: () => (existsSync(notices) ? readFileSync(notices, 'utf8').split('\n').slice(0, -1) : []) };
}

async function begin(t, sockets, ...flags) {
  return beginUnit(t, unit(sockets, ...flags));
}

async function beginUnit(t, { command, told }) {
  const gateway = await serveBy(command);
  t.after(() => gateway.stop());
  return { gateway, told, has: (notice) => until(notice, () => told().find((line) => line.startsWith(notice))) };
}

// The error of a failed start.
async function refused(sockets, ...flags) {
  const { command: [perl, ...args], told } = unit(sockets, ...flags);
  const child = spawn(perl, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const late = setTimeout(() => child.kill('SIGTERM'), 60_000);
  const [stderr, [status]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  clearTimeout(late);
  return { status, stderr, told: told() };
}

const exampleFile = (gateway) => {
  const [command, ...args] = exampleServer;
  const file = join(scratch(), 'mcp.json');
  writeFileSync(file, JSON.stringify({ mcpServers: { example: { command, args } }, gateway }));
  return file;
};

// -- callbacks -------------------------------------------------------------------------------------------------------

test('it tells when it listens, and what it serves', async (t) => {
  const { gateway, has } = await begin(t, [], '--', ...exampleServer);
  assert.equal(await has('READY=1'), `READY=1 STATUS=Serving ${gateway.url}`);
});

test('it tells when it reads its file again, and when it has', async (t) => {
  const { gateway, told, has } = await begin(t, [], '--config', exampleFile({}));
  await has('READY=1');
  gateway.child.kill('SIGHUP');
  await until('it has', () => told().length >= 3);
  assert.match(told()[1], /^RELOADING=1 MONOTONIC_USEC=[0-9]+$/);
  assert.equal(told()[2], told()[0]);
});

test('it tells when it stops', async (t) => {
  const { gateway, told, has } = await begin(t, [], '--', ...exampleServer);
  await has('READY=1');
  await gateway.stop();
  assert.equal(told().at(-1), 'STOPPING=1 STATUS=Draining: calls in flight may finish');
});

test('it tells why it cannot start', async (t) => {
  const { gateway } = await begin(t, [], '--', ...exampleServer);
  const { status, told } = await refused([], '--port', `${gateway.port}`, '--', ...exampleServer);
  assert.equal(status, 1);
  assert.deepEqual(told, [
    `STATUS=Cannot start: cannot listen on 127.0.0.1 port ${gateway.port}: Address already in use`,
  ]);
});

// -- an upgrade ------------------------------------------------------------------------------------------------------

const AS_LONG_AS_ANY = ['env', 'EXIT_TYPE=cgroup'];

// A unit with a session, and its main process. The next process waits for `release` before its first instruction.
async function beginUpgradable(t, prefix = []) {
  const folder = scratch();
  const [gate, program] = [join(folder, 'go'), join(folder, 'troupe')];
  writeFileSync(program, '#!/bin/bash\n' +
    `[ -z "$TROUPE_HANDED_OVER" ] || while ! [ -e ${gate} ]; do sleep 0.02; done\nexec -a "$0" ${PROGRAM} "$@"\n`,
  { mode: 0o755 });
  const { command, told } = unit([LOOPBACK], '--', ...exampleServer);
  const at = command.indexOf(PROGRAM);
  const started = await beginUnit(t, { command: [...prefix, ...command.with(at, program)], told });
  await started.has('READY=1');
  const [main] = started.gateway.children();
  return { ...started, main: main.pid, session: await openSession(started.gateway.url),
    release: () => writeFileSync(gate, '') };
}

async function upgradedUnit(t, prefix = []) {
  const one = await beginUpgradable(t, prefix);
  one.release();
  const next = await upgraded(t, one.gateway, one.main);
  await until('the other is ready', () => one.told().length >= 4);
  return { ...one, next };
}

test('it tells which process there is to look after when another takes over', async (t) => {
  const { gateway, told, main, session, next } = await upgradedUnit(t);
  const named = `MAINPID=${next.pid}`;
  assert.deepEqual(told().slice(1).toSorted(), [named, named, told()[0]], 'both name it, and it is ready');
  assert.equal((await session.delete()).status, 200);
  await until('the old process has ended', () => hasEnded(main));
  assert.equal((await openSession(gateway.url)).version, '2025-11-25');
  assert.equal(told().length, 4, 'what the old process does is nobody\'s business');
  await gateway.stop();
});

test('the end of the old process does not end the unit', async (t) => {
  const { gateway, main, session } = await upgradedUnit(t);
  process.kill(main, 'SIGKILL');
  await until('its session is gone', async () => (await session.ping()).status === 404);
  assert.equal((await openSession(gateway.url)).version, '2025-11-25');
  await gateway.stop();
});

test('the end of the new process ends the unit, unless that lasts as long as any process', async (t) => {
  const { gateway, next } = await upgradedUnit(t);
  gateway.signalled = true; // it must not be stopped
  process.kill(next.pid, 'SIGKILL');
  assert.equal(await gateway.exited, 1);
});

test('systemd looks after the old process again when the new one has ended', async (t) => {
  const { gateway, told, main, session, next } = await upgradedUnit(t, AS_LONG_AS_ANY);
  process.kill(next.pid, 'SIGKILL');
  await until('it is there again', () => told().length >= 6);
  assert.deepEqual(told().slice(4), [`MAINPID=${main}`, told()[0]]);
  assert.equal((await session.ping()).status, 200);
  assert.equal((await openSession(gateway.url)).version, '2025-11-25');
  await gateway.stop();
  assert.ok(hasEnded(main));
});

test('a process whose old one has ended before the hand-over names itself', async (t) => {
  const { gateway, told, main, release } = await beginUpgradable(t, AS_LONG_AS_ANY);
  process.kill(main, 'SIGUSR2');
  const starts = await until('it starts', () => records(gateway, 'another process starts to take over')[0]);
  process.kill(main, 'SIGKILL');
  release();
  await until('it is ready', () => told().length >= 3);
  assert.deepEqual(told().slice(1), [`MAINPID=${starts.process}`, told()[0]]);
  await gateway.stop();
});

test('a process that cannot take over says nothing', async (t) => {
  const folder = join(scratch(), 'logs');
  mkdirSync(folder);
  const flags = ['--access-log', join(folder, 'access'), '--', ...exampleServer];
  const { gateway, told, has } = await begin(t, [LOOPBACK], ...flags);
  await has('READY=1');
  rmSync(folder, { recursive: true });
  process.kill(gateway.children()[0].pid, 'SIGUSR2');
  await until('it says so', () => records(gateway, 'no upgrade: this process serves on')[0]);
  assert.equal(records(gateway, 'cannot start').length, 1);
  assert.equal(told().length, 1);
});

// -- passed sockets --------------------------------------------------------------------------------------------------

test('it listens on the socket that it is handed, whatever flags and file say', async (t) => {
  const { gateway } = await begin(t, [`${LOOPBACK}=clients`], '--host', '0.0.0.0', '--config',
    exampleFile({ port: 1, host: '0.0.0.0' }));
  assert.match(gateway.url, /^http:\/\/127\.0\.0\.1:[0-9]{4,}\/mcp$/);
  assert.ok(gateway.log.some((line) => line.includes('handed over')));
  const session = await openSession(gateway.url);
  assert.equal((await session.call(1, 'echo', { text: 'hi' })).error, undefined);
});

test('a socket for operators is known by its name', async (t) => {
  const { gateway } = await begin(t, [`${LOOPBACK}=admin`, LOOPBACK], '--admin-open', '--', ...exampleServer);
  const line = await until('it listens for operators', () => gateway.log.find((one) => one.includes('for operators')));
  assert.equal((await request(`${JSON.parse(line).url}/metrics`)).status, 200);
  assert.equal((await request(gateway.at('/metrics'))).status, 404);
  await openSession(gateway.url);
});

test('a unix socket that it is handed stays when it stops', async (t) => {
  const path = join(scratch(), 'socket');
  const { gateway } = await begin(t, [`unix:${path}`], '--', ...exampleServer);
  assert.equal(gateway.url, `unix:${path}`);
  await gateway.stop();
  assert.ok(existsSync(path));
});

test('sockets that are another process\' are left alone', async (t) => {
  const { command, told } = unit([LOOPBACK, LOOPBACK], '--', ...exampleServer);
  const { gateway } = await beginUnit(t, { command: ['env', 'OTHER_PID=1', ...command], told });
  assert.ok(!gateway.log.some((line) => line.includes('handed over')));
});

test('a socket beyond this machine takes credentials, wherever flags say it is', async () => {
  const { status, stderr } = await refused(['0.0.0.0:0'], '--', ...exampleServer);
  assert.equal(status, 1);
  assert.match(stderr, /0\.0\.0\.0 is beyond this machine/);
});

for (const [what, sockets, why] of [
  ['two sockets for clients', [LOOPBACK, LOOPBACK], /more than one socket for clients/],
  ['two sockets for operators', [`${LOOPBACK}=admin`, `${LOOPBACK}=admin`], /more than one socket for operators/],
  ['a socket on which nobody listens', ['udp:127.0.0.1:0'], /cannot listen on descriptor 3: it is no socket/],
])
  test(`${what} are refused in a line`, async () => {
    const { status, stderr } = await refused(sockets, '--', ...exampleServer);
    assert.equal(status, 2);
    assert.match(stderr, why);
    assert.equal(stderr.trim().split('\n').length, 1);
  });

test('servers are not told what systemd tells the gateway', async (t) => {
  const { gateway } = await begin(t, [LOOPBACK], '--pass-environment', '--env', 'OWN=1', '--', ...exampleServer);
  await openSession(gateway.url);
  const server = descendants(gateway.pid).at(-1);
  const names = readFileSync(`/proc/${server.pid}/environ`, 'utf8').split('\0').map((one) => one.split('=')[0]);
  assert.ok(names.includes('PATH') && names.includes('OWN'));
  assert.deepEqual(names.filter((one) => /^(LISTEN_|NOTIFY_|WATCHDOG_)/.test(one)), []);
});

// -- a restart -------------------------------------------------------------------------------------------------------

test('who connects while it is restarted waits, and is not turned away', async (t) => {
  const { gateway, told, has } = await begin(t, [LOOPBACK], '--', ...exampleServer);
  const session = await openSession(gateway.url);
  const call = await session.post(toolCall(1, 'slow', { steps: 10, delay_ms: 100 }));
  gateway.child.kill('SIGUSR1');
  await has('STOPPING=1');
  const newcomers = Array.from({ length: 20 }, () => post(gateway.url, initializeRequest()));
  const answer = (await call.all()).at(-1);
  assert.deepEqual([answer.id, answer.error], [1, undefined]);
  for (const one of await Promise.all(newcomers)) assert.equal(one.status, 200);
  const ready = () => told().filter((line) => line.startsWith('READY=1')).length;
  await until('it has told that it is there again', () => ready() >= 2);
  assert.equal(ready(), 2);
  assert.equal((await session.post(toolCall(2, 'echo', { text: 'hi' }))).status, 404);
});

test('a client that comes at any time of three restarts begins a session', async (t) => {
  const { gateway, told } = await begin(t, [LOOPBACK], '--', ...exampleServer);
  const statuses = [];
  let enough = false;
  const come = async () => {
    for (; !enough; await pause(20)) statuses.push((await post(gateway.url, initializeRequest())).status);
  };
  const clients = [come(), come(), come()];
  for (let starts = 2; starts <= 4; ++starts) {
    gateway.child.kill('SIGUSR1');
    await until('it is there again', () => told().filter((line) => line.startsWith('READY=1')).length === starts);
  }
  enough = true;
  await Promise.all(clients);
  t.diagnostic(`${statuses.length} clients`);
  assert.deepEqual([...new Set(statuses)], [200]);
});
