import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from './lib/concurrently.mjs';
import { exampleServer, fixture, gatewayFor, startGateway, wrapped } from './lib/gateway.mjs';
import { rawConnection } from './lib/http.mjs';
import { LONG } from './lib/long.mjs';
import { descriptors, isRunning } from './lib/processes.mjs';
import { initializeRequest, openSession, postBytes, toolCall } from './lib/session.mjs';
import { steady, until } from './lib/until.mjs';

const ROUNDS = LONG ? 200 : 60;
const AT_ONCE = 4;
const CLEAN_LIMIT = 60_000;
// A present client responds faster, even on a busy machine.
const SHORT = ['--session-timeout', '6'];

async function roundsOf(round) {
  let left = ROUNDS;
  const worker = async () => {
    while (left-- > 0) await round();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

async function oneRound(gateway) {
  const session = await openSession(gateway.url);
  await session.call(1, 'add', { a: 1, b: 2 });
  return session;
}

// The first session opens resources that stay, such as those of threads.
async function baseLine(gateway) {
  const session = await oneRound(gateway);
  await session.delete();
  await until('the first server has ended', () => gateway.children().length === 0);
  return steady('the number of descriptors', () => descriptors(gateway.pid));
}

async function assertClean(gateway, before) {
  await until('no server is left', () => gateway.children().length === 0, CLEAN_LIMIT);
  await until(
    `no more than ${before} descriptors are open`,
    () => descriptors(gateway.pid) <= before,
    CLEAN_LIMIT,
  );
  await (await oneRound(gateway)).delete();
}

async function assertDiesWithItsServers(gateway, count) {
  const below = gateway.children();
  assert.equal(below.length, count);
  assert.equal(await gateway.signal('SIGKILL'), 'SIGKILL');
  await until('every process below it is gone', () => !below.some(isRunning));
}

test(`${ROUNDS} sessions that are deleted leave nothing behind`, async (t) => {
  const gateway = await gatewayFor(t, exampleServer);
  const before = await baseLine(gateway);
  await roundsOf(async () => {
    const session = await oneRound(gateway);
    assert.equal((await session.delete()).status, 200);
  });
  await assertClean(gateway, before);
});

test(`${ROUNDS} clients that vanish leave nothing behind`, async (t) => {
  const gateway = await gatewayFor(t, exampleServer, ...SHORT);
  const before = await baseLine(gateway);
  await roundsOf(async () => {
    const session = await openSession(gateway.url);
    const stream = await session.listen();
    await session.call(1, 'add', { a: 1, b: 2 });
    const reply = await session.post(toolCall(2, 'slow', { steps: 3, delay_ms: 30 }, 'gone'));
    reply.destroy();
    stream.destroy();
  });
  await assertClean(gateway, before);
});

test('clients that vanish before they are answered leave nothing behind', async (t) => {
  const late = ['sh', '-c', 'sleep 0.2; exec "$0" "$@"', ...exampleServer];
  const gateway = await gatewayFor(t, late, ...SHORT);
  const before = await baseLine(gateway);
  for (let round = 0; round < 5; ++round) {
    const connection = rawConnection(gateway.port, postBytes(gateway.url, initializeRequest()));
    await until('its server is starting', () => gateway.children().length > 0);
    connection.socket.destroy();
    await until('its server is gone', () => gateway.children().length === 0);
  }
  await assertClean(gateway, before);
});

test('a killed server leaves nothing behind, nor does what its wrapper started', async (t) => {
  const gateway = await gatewayFor(t, wrapped(exampleServer));
  const before = await baseLine(gateway);
  const session = await oneRound(gateway);
  const below = gateway.children();
  assert.equal(below.length, 2);
  process.kill(below[0].pid, 'SIGKILL');
  await until('the wrapper and the server are gone', () => !below.some(isRunning));
  await until('the session is gone', async () => (await session.ping()).status === 404);
  await assertClean(gateway, before);
});

test('a deleted session takes the server below a wrapper with it', async (t) => {
  const gateway = await gatewayFor(t, wrapped(fixture('stubborn')));
  const session = await openSession(gateway.url);
  const below = gateway.children();
  assert.equal(below.length, 2);
  await session.delete();
  await until('the wrapper and the server are gone', () => !below.some(isRunning), CLEAN_LIMIT);
});

test('a client killed in the middle of an answer leaves nothing behind', async (t) => {
  const gateway = await gatewayFor(t, exampleServer, ...SHORT);
  const before = await baseLine(gateway);
  const [program, ...args] = fixture('caller', gateway.url);
  const client = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => client.kill('SIGKILL'));
  await once(client.stdout, 'data');
  client.kill('SIGKILL');
  await assertClean(gateway, before);
});

test('a killed gateway leaves no process behind', async () => {
  const gateway = await startGateway(exampleServer);
  const sessions = await Promise.all([oneRound(gateway), oneRound(gateway), oneRound(gateway)]);
  await sessions[0].post(toolCall(2, 'slow', { steps: 100, delay_ms: 100 }, 'cut'));
  await assertDiesWithItsServers(gateway, 3);
});

test('a killed gateway leaves no process behind below a wrapper', async () => {
  const gateway = await startGateway(wrapped(exampleServer));
  await oneRound(gateway);
  await assertDiesWithItsServers(gateway, 2);
});
