// Thousands of sessions: memory stays flat.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exampleServer, gatewayFor } from './lib/gateway.mjs';
import { LONG } from './lib/long.mjs';
import { residentBytes } from './lib/processes.mjs';
import { openSession, toolCall } from './lib/session.mjs';
import { openSseSession } from './lib/sse.mjs';
import { assertBack, baseLine, DEBUG, debugState, MIB } from './lib/state.mjs';
import { until } from './lib/until.mjs';

const SESSIONS = LONG ? 10_000 : 600;
const AT_ONCE = 8;
const BOUND = MIB;

const add = (id) => toolCall(id, 'add', { a: id, b: 1 });
const sumOf = ({ result }) => Number(result.content[0].text);

async function streamableHttp(gateway, n) {
  const session = await openSession(gateway.url);
  assert.equal(sumOf((await (await session.post(add(n))).all()).at(-1)), n + 1);
  assert.equal((await session.delete()).status, 200);
}

async function withStreams(gateway, n) {
  const session = await openSession(gateway.url);
  const listening = await session.listen();
  const reply = await session.post(toolCall(n, 'slow', { steps: 2, delay_ms: 1 }, 'mine'));
  assert.equal((await reply.all()).at(-1).id, n);
  const resumed = await session.listen({ 'last-event-id': reply.events[0].id });
  assert.equal((await resumed.all()).at(-1).id, n);
  assert.equal((await session.delete()).status, 200);
  await listening.done;
}

async function overSse(gateway, n) {
  const session = await openSseSession(gateway);
  assert.equal(sumOf(await session.ask(add(n))), n + 1);
  session.close();
}

async function soak(gateway, count) {
  const kinds = [streamableHttp, streamableHttp, withStreams, overSse];
  let next = 0;
  const worker = async () => {
    for (let n = next++; n < count; n = next++) await kinds[n % kinds.length](gateway, n);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  await until('no session is left', async () => (await debugState(gateway)).sessions === 0);
  await until('no server is left', () => gateway.children().length === 0);
  return residentBytes(gateway.pid);
}

test(`${SESSIONS} sessions opened and closed leave memory flat`, { timeout: 600_000 }, async (t) => {
  const gateway = await gatewayFor(t, exampleServer, DEBUG);
  const before = await baseLine(gateway);
  const began = Date.now();
  const first = await soak(gateway, SESSIONS / 2);
  const second = await soak(gateway, SESSIONS / 2);
  const mebibytes = (bytes) => (bytes / MIB).toFixed(2);
  const seconds = ((Date.now() - began) / 1_000).toFixed(1);
  t.diagnostic(
    `${seconds} s; resident before ${mebibytes(before.memory)}, after half ${mebibytes(first)}, ` +
      `after all ${mebibytes(second)} MiB`,
  );
  await until(`no more than ${mebibytes(BOUND)} MiB more than after half`, () => residentBytes(gateway.pid) <= first + BOUND);
  await assertBack(gateway, before);
});
