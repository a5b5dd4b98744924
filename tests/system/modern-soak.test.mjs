// Thousands of stateless callers (2026-07-28) that call once and never return, which no message announces.
import assert from 'node:assert/strict';
import http from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { test } from './lib/concurrently.mjs';
import { gatewayWith } from './lib/config.mjs';
import { exampleServer } from './lib/gateway.mjs';
import { request } from './lib/http.mjs';
import { LONG } from './lib/long.mjs';
import { fieldsOf, modernRequest } from './lib/modern.mjs';
import { residentBytes, SANITIZED } from './lib/processes.mjs';
import { POST_HEADERS } from './lib/session.mjs';
import { assertBack, baseLine, DEBUG, debugState, MIB } from './lib/state.mjs';
import { until } from './lib/until.mjs';

const CALLERS = LONG ? 10_000 : SANITIZED ? 400 : 1_000;
const AT_ONCE = 32;
const PROCESSES = LONG ? 150 : 100;
// The memory of a kept lease: its messages, machines and actors.
const LEASE_BYTES = 16 * 1024;
// The allowed growth of memory from the first half of the callers to the second.
const BOUND = 2 * MIB;

const [command, ...args] = exampleServer;
const CALL = modernRequest(1, 'tools/call', { name: 'add', arguments: { a: 40, b: 2 } });
const BODY = JSON.stringify(CALL);

// Makes one call as a unique caller.
async function callsOnce(gateway, agent, name) {
  const headers = { ...POST_HEADERS, ...fieldsOf(CALL), 'troupe-affinity': name };
  const reply = await request(gateway.at('/servers/one/mcp'), { method: 'POST', headers, body: BODY, agent });
  await reply.done;
  if (reply.status === 200) assert.equal(reply.messages.at(-1).result.content[0].text, '42', reply.received);
  else assert.match(reply.headers['retry-after'] ?? '', /^\d+$/, `${reply.status} ${reply.received}`);
  return reply.status;
}

// Each caller retries when refused, until it is served. Resolves with the number of refusals.
async function comeAndGo(gateway, name, count) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: AT_ONCE });
  let next = 0;
  let refused = 0;
  const worker = async () => {
    for (let n = next++; n < count; n = next++)
      while ((await callsOnce(gateway, agent, `${name}-${n}`)) === 503) {
        refused += 1;
        await pause(100);
      }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  agent.destroy();
  return refused;
}

// The maximum of each count while `happening` runs.
async function mostDuring(gateway, happening) {
  const most = { processes: 0, bytes: 0 };
  const look = setInterval(() => {
    most.processes = Math.max(most.processes, gateway.children().length);
    most.bytes = Math.max(most.bytes, residentBytes(gateway.pid));
  }, 50);
  const value = await happening().finally(() => clearInterval(look));
  return { ...most, value };
}

const allGone = (gateway) =>
  until('nobody is waited for', async () => (await debugState(gateway)).leases.now === 0, 120_000);

async function startGateway(t, options, gatewayOptions, ...flags) {
  const mcpServers = { one: { command, args, affinity: 'header', ...options } };
  const gateway = await gatewayWith(t, { mcpServers, gateway: gatewayOptions }, DEBUG, ...flags);
  const before = await baseLine(gateway, async () => {
    await comeAndGo(gateway, 'warm', AT_ONCE);
    await allGone(gateway);
  });
  return { gateway, before };
}

const TIMEOUT = { timeout: LONG ? 900_000 : 240_000 };

test(`${CALLERS} callers with a process each leave none, and memory stays flat`, TIMEOUT, async (t) => {
  const { gateway, before } = await startGateway(t, {}, { leaseTime: '1s' }, '--max-sessions', String(PROCESSES));
  const after = [];
  for (const half of ['first', 'second']) {
    const most = await mostDuring(gateway, () => comeAndGo(gateway, half, CALLERS / 2));
    await allGone(gateway);
    await until('no process is left', () => gateway.children().length === 0);
    after.push(residentBytes(gateway.pid));
    const [during, then] = [most.bytes, after.at(-1)].map((bytes) => ((bytes - before.memory) / MIB).toFixed(2));
    t.diagnostic(`${half} half: at most ${most.processes} processes and ${during} MiB more, then ${then} MiB`);
    t.diagnostic(`told to come again: ${most.value} times`);
    assert.ok(most.processes <= PROCESSES, `${most.processes} processes`);
    assert.ok(most.bytes - before.memory <= PROCESSES * LEASE_BYTES + BOUND, `${most.bytes}`);
  }
  assert.ok(after[1] - after[0] <= BOUND, `${after}`);
  await assertBack(gateway, before);
});

test(`${CALLERS} callers of one shared server are each waited for, for little, and then forgotten`, TIMEOUT, async (t) => {
  const patience = LONG ? 60 : 5; // seconds
  const { gateway, before } = await startGateway(t, { sharing: 'shared' }, { leaseTime: `${patience}s` });
  const began = Date.now();
  assert.equal(await comeAndGo(gateway, 'some', CALLERS), 0);
  const { leases } = await debugState(gateway);
  const bytes = residentBytes(gateway.pid) - before.memory;
  // On a busy machine the first leases expire before the last callers arrive.
  const isPrompt = Date.now() - began < patience * 1_000;
  assert.ok(leases.now <= CALLERS && leases.now >= (isPrompt ? CALLERS : 1), `${leases.now} are waited for`);
  assert.ok(gateway.children().length <= 1);
  t.diagnostic(`${(bytes / MIB).toFixed(1)} MiB more for ${leases.now}, ${(bytes / leases.now / 1024).toFixed(1)} KiB each`);
  assert.ok(bytes <= CALLERS * LEASE_BYTES + BOUND, `${bytes}`);
  await allGone(gateway);
  await assertBack(gateway, before);
});
