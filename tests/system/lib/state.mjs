// The resources that a gateway holds, to check that it releases them.
import assert from 'node:assert/strict';
import { complete, request } from './http.mjs';
import { descriptors, residentBytes } from './processes.mjs';
import { openSession } from './session.mjs';
import { steady, until } from './until.mjs';

export const MIB = 1024 * 1024;
export const DEBUG = '--debug-state';
const CLEAN_LIMIT = 60_000;
// Counting the resources of a gateway takes some milliseconds.
const CLEAN_INTERVAL = 100;

// Gateways behind one front report the sum of their state.
export async function debugState(gateway) {
  if (gateway.debugState) return gateway.debugState();
  const reply = await complete('the state', request(gateway.at('/debug/state')));
  assert.equal(reply.status, 200, reply.received);
  return JSON.parse(reply.received);
}

// All counts that must return to their baseline. Drop counters only grow, and are excluded.
async function holdings(gateway) {
  const { dropped, upstreams, servers, streams, stored, cluster, limits, problems, ...counts } = await debugState(gateway);
  return {
    ...counts,
    relayedHere: cluster?.relayed_here ?? 0,
    relayedElsewhere: cluster?.relayed_elsewhere ?? 0,
    ...streams,
    stored: stored.events,
    storedBytes: stored.bytes,
    upstreams: upstreams.length,
    servers: servers.length,
    children: gateway.children().length,
    descriptors: descriptors(gateway.pid),
  };
}

const above = (now, before) =>
  Object.entries(now)
    .filter(([name, count]) => count > before[name])
    .map(([name, count]) => `${name} ${count} > ${before[name]}`);

// The allocator returns freed memory gradually, while the program works.
function aboveMemory(gateway, before, bound) {
  const grown = residentBytes(gateway.pid) - before.memory;
  return grown > bound ? [`${(grown / MIB).toFixed(1)} MiB more resident > ${bound / MIB}`] : [];
}

const warm = new WeakSet();

// The first session opens resources that stay, such as those of threads.
async function warmUp(gateway) {
  if (warm.has(gateway)) return;
  warm.add(gateway);
  const session = await openSession(gateway.url);
  await (await session.ping()).done;
  await session.delete();
  await until('the first server has ended', () => gateway.children().length === 0, CLEAN_LIMIT);
}

// Call it first, unless earlier actions belong to the baseline.
export async function baseLine(gateway, prepare = warmUp) {
  await prepare(gateway);
  const read = async () => JSON.stringify(await holdings(gateway));
  const counts = JSON.parse(await steady('what the gateway holds', read));
  return { counts, memory: residentBytes(gateway.pid) };
}

export async function assertBack(gateway, before, bound = 16 * MIB, limit = CLEAN_LIMIT) {
  assert.ok(!gateway.hasExited, gateway.told('the gateway is alive'));
  let left = [];
  const isBack = async () => {
    left = [...above(await holdings(gateway), before.counts), ...aboveMemory(gateway, before, bound)];
    return left.length === 0;
  };
  await until('everything is back at the base line', isBack, limit, CLEAN_INTERVAL).catch((error) => {
    throw new Error(gateway.told(`${error.message}: ${left.join(', ')}`));
  });
}

// Asserts that a scenario releases all resources.
export async function leavesNothing(gateway, scenario, bound = undefined) {
  const before = await baseLine(gateway);
  await scenario();
  await assertBack(gateway, before, bound);
}
