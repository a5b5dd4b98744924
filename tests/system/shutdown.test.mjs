import assert from 'node:assert/strict';
import { test } from './lib/at-once.mjs';
import { exampleServer, fixture, gatewayFor } from './lib/gateway.mjs';
import { request } from './lib/http.mjs';
import { isRunning } from './lib/processes.mjs';
import { initializeRequest, openSession, post, toolCall } from './lib/session.mjs';
import { until } from './lib/until.mjs';

const GRACE = 5_000;
const STOPPING = 4_000;
const SLACK = 4_000;

async function timed(promise) {
  const began = Date.now();
  return { value: await promise, took: Date.now() - began };
}

for (const signal of ['SIGTERM', 'SIGINT']) {
  test(`${signal} lets the call in flight finish and refuses new sessions`, async (t) => {
    const gateway = await gatewayFor(t, exampleServer);
    const session = await openSession(gateway.url);
    const below = gateway.children();
    const reply = await session.post(toolCall(1, 'slow', { steps: 20, delay_ms: 100 }, 'last'));
    const exited = timed(gateway.signal(signal));
    await until('new sessions are refused', async () => (await post(gateway.url, initializeRequest())).status === 503);
    assert.equal((await request(gateway.at('/readyz'))).status, 503);
    assert.equal((await request(gateway.at('/healthz'))).status, 200);
    assert.ok(!reply.ended);
    const answer = (await reply.all()).at(-1);
    assert.deepEqual([answer.id, answer.error], [1, undefined]);
    const { value: code, took } = await exited;
    assert.equal(code, 0, gateway.told(`exit code after ${signal}`));
    assert.ok(took < GRACE + SLACK, `it took ${took} ms`);
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
  const gateway = await gatewayFor(t, exampleServer);
  const session = await openSession(gateway.url);
  const stream = await session.listen();
  const { value: code, took } = await timed(gateway.signal('SIGTERM'));
  assert.equal(code, 0, gateway.told('exit code'));
  assert.ok(took < SLACK, `it took ${took} ms`);
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
