import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from './lib/concurrently.mjs';
import { gatewayWith } from './lib/config.mjs';
import { exampleServer, fixture, gatewayFor, serve } from './lib/gateway.mjs';
import { assertHeld, hold, latch } from './lib/held-calls.mjs';
import { request } from './lib/http.mjs';
import { isRunning } from './lib/processes.mjs';
import { scratch } from './lib/scratch.mjs';
import { initializeRequest, openSession, post, toolCall } from './lib/session.mjs';
import { until } from './lib/until.mjs';

const GRACE = 5_000;
const STOPPING = 4_000;
const SLACK = 20_000;

async function timed(promise) {
  const began = Date.now();
  return { value: await promise, took: Date.now() - began };
}

for (const signal of ['SIGTERM', 'SIGINT']) {
  test(`${signal} lets the call in flight finish and refuses new sessions`, async (t) => {
    const [command, ...args] = fixture('reload-server');
    const gateway = await gatewayWith(t, { mcpServers: { a: { command, args } }, gateway: { grace: '60s' } });
    const session = await openSession(gateway.url);
    const below = gateway.children();
    const { file, open } = latch();
    const reply = await hold(session, file);
    const exited = gateway.signal(signal);
    await until('new sessions are refused', async () => (await post(gateway.url, initializeRequest())).status === 503);
    assert.equal((await request(gateway.at('/readyz'))).status, 503);
    assert.equal((await request(gateway.at('/healthz'))).status, 200);
    assert.ok(!reply.ended);
    open();
    const ended = timed(exited);
    await assertHeld(reply);
    const { value: code, took } = await ended;
    assert.equal(code, 0, gateway.told(`exit code after ${signal}`));
    assert.ok(took < STOPPING + SLACK, `it took ${took} ms`);
    await until('its server is gone', () => !below.some(isRunning));
  });
}

test('a call longer than the grace is ended', async (t) => {
  const gateway = await gatewayFor(t, exampleServer);
  const session = await openSession(gateway.url);
  const below = gateway.children();
  const reply = await session.post(toolCall(1, 'slow', { steps: 600, delay_ms: 100 }, 'endless'));
  const { value: code, took } = await timed(gateway.signal('SIGTERM'));
  assert.equal(code, 0, gateway.told('exit code'));
  assert.ok(took > GRACE - 500 && took < GRACE + STOPPING + SLACK, `it took ${took} ms`);
  await reply.done;
  assert.ok(!reply.messages.some(({ result }) => result));
  await until('its server is gone', () => !below.some(isRunning));
});

test('a gateway with nothing to do stops at once', async (t) => {
  const [command, ...args] = exampleServer;
  const gateway = await gatewayWith(t, { mcpServers: { a: { command, args } }, gateway: { grace: '60s' } });
  const session = await openSession(gateway.url);
  const stream = await session.listen();
  const { value: code, took } = await timed(gateway.signal('SIGTERM'));
  assert.equal(code, 0, gateway.told('exit code'));
  assert.ok(took < STOPPING + SLACK, `it took ${took} ms`);
  await stream.done;
});

test('a server that ignores the end of its input and SIGTERM is killed', async (t) => {
  const gateway = await gatewayFor(t, fixture('stubborn'));
  await openSession(gateway.url);
  const below = gateway.children();
  const { value: code, took } = await timed(gateway.signal('SIGTERM'));
  assert.equal(code, 0, gateway.told('exit code'));
  assert.ok(took < STOPPING + SLACK, `it took ${took} ms`);
  await until('it is gone', () => !below.some(isRunning));
});

for (const signals of [1, 2]) {
  test(`a gateway whose log nobody reads stops after ${signals} SIGTERM`, async (t) => {
    const noise = 'yes "$(printf %01000d 7)" | head -n 2000 >&2; : > "$0"; exec "$@"';
    const written = join(scratch(), 'written');
    const gateway = await serve('--', 'sh', '-c', noise, written, ...exampleServer);
    t.after(() => gateway.child.kill('SIGKILL'));
    gateway.child.stderr.pause();
    await openSession(gateway.url);
    await until('more is logged than a pipe holds', () => existsSync(written));
    for (let i = 0; i < signals; ++i) gateway.child.kill('SIGTERM');
    await until('it has ended', () => gateway.hasExited);
    assert.equal(gateway.child.exitCode, 0);
  });
}
