// What a test of faults in a cluster asks: is it noticed in time, is everybody told the truth, and is it made good.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { at, balanced, startCluster } from './cluster.mjs';
import { fixture } from './gateway.mjs';
import { Load } from './load.mjs';
import { SANITIZED, SLOWNESS } from './processes.mjs';
import { openSession, toolCall } from './session.mjs';
import { debugState } from './state.mjs';
import { until } from './until.mjs';

// Long, as under load nobody may be taken for lost but who is.
export const BEAT = SANITIZED ? 6 : 4;
export const NOTICE = BEAT * 1_000 + 3_000 * SLOWNESS;
const BACK = 15_000 * SLOWNESS;
// A client that was told that its session is gone leaves it behind where it is not.
export const IDLE = ['--session-timeout', SANITIZED ? '10' : '5'];

const within = (what, limit, began, happening) =>
  Promise.race([
    happening.then((value) => ({ value, took: Date.now() - began })),
    until(what, () => false, limit).catch(() => assert.fail(`not within ${limit} ms: ${what}`)),
  ]);

// What waits, through the asker, for a session of the owner: everything ends when the owner is lost.
export async function waiting(owner, asker) {
  const session = await openSession(owner.url);
  const there = at(asker, session);
  const json = there.post(toolCall('json', 'never'));
  const stream = await there.post(toolCall('stream', 'flood', { kind: 'progress', count: 2, every_ms: 3_600_000 }, 'p'));
  await stream.message('it begins', ({ method }) => method === 'notifications/progress');
  const listening = await there.listen();
  assert.equal(listening.status, 200);
  await until('it is relayed', async () => (await debugState(asker)).cluster.relayed_elsewhere >= 3);
  return { session, there, json, stream, listening };
}

export async function assertNoticed(t, fault, asker, owner, { json, stream, listening, there }, began, limit) {
  const ends = async () => {
    const reply = await json;
    const answer = (await reply.all()).at(-1);
    assert.deepEqual([reply.status, answer?.id, answer?.error?.code], [200, 'json', -32603], reply.received);
    assert.match(answer.error.message, /node.*lost/i);
  };
  const failed = await within('the call fails', limit, began, ends());
  const ended = await within('the stream of a call ends', limit, began, stream.done);
  const last = stream.messages.at(-1);
  assert.deepEqual([last.id, last.error?.code], ['stream', -32603], stream.received);
  const closed = await within('the listening stream ends', limit, began, listening.done);
  await until('the owner is no member', async () => !(await asker.knows(owner)), limit);
  const known = Date.now() - began;
  for (const asked of [there.ping(), there.listen(), there.delete()]) {
    const reply = await asked;
    const [answer] = await reply.all();
    assert.deepEqual([reply.status, answer?.error.code], [404, -32600], asker.told(reply.received));
  }
  const told = { call: failed.took, stream: ended.took, listening: closed.took, member: known };
  t.diagnostic(`${fault}: ${asker.name} noticed of ${owner.name} after ms ${JSON.stringify(told)}`);
  assert.ok(Math.max(...Object.values(told)) <= limit, JSON.stringify(told));
}

// Where one takes long, it stands for all.
export const victimsOf = (all) => (SANITIZED ? all.slice(-1) : all);
export const others = (cluster, ...but) => cluster.nodes.filter((node) => !but.includes(node));

export async function assertServes(nodes) {
  for (const owner of nodes) {
    const session = await openSession(owner.url);
    for (const node of nodes) {
      const { result } = await at(node, session).call(node.name, 'echo', { message: node.name });
      assert.equal(result?.content[0].text, node.name, node.told(''));
    }
    assert.equal((await session.delete()).status, 200);
  }
}

async function assertEmpty(cluster) {
  const held = async () => {
    const state = await cluster.state();
    const { sessions, calls, brokers, streams, stored, upstreams } = state;
    const relayed = [state.cluster.relayed_here, state.cluster.relayed_elsewhere];
    const counts = [sessions, calls, brokers - cluster.idle.brokers, ...Object.values(streams), stored.events];
    return { counts: [...counts, upstreams.length, ...relayed], state };
  };
  let last;
  const isEmpty = async () => (last = await held()).counts.every((count) => count === 0);
  await until('all is let go of', isEmpty, 30_000 * SLOWNESS).catch(
    (error) => assert.fail(`${error.message}: ${JSON.stringify(last.state)}`),
  );
  await until('no server is left', () => cluster.nodes.every((node) => node.children().length === 0));
}

export async function settle(t, fault, cluster, load, longest = NOTICE) {
  await load.stop();
  t.diagnostic(`${fault}: ${load}`);
  assert.deepEqual(load.wrong, []);
  assert.ok(load.count('answered') > 100, String(load));
  assert.ok(load.longest <= longest, `${load.longest} ms: ${load}`);
  await assertServes(cluster.nodes);
  await assertEmpty(cluster);
}

export async function assertStays(cluster, node, during) {
  for (const began = Date.now(); Date.now() - began < during; await pause(50))
    assert.ok(await node.knows(...others(cluster, node)), node.told('it knows the others'));
}

export async function rejoined(t, fault, cluster) {
  const began = Date.now();
  await cluster.whole(BACK);
  t.diagnostic(`${fault}: all are members again after ${Date.now() - began} ms`);
}

export async function underLoad(t, options, change) {
  const cluster = await startCluster(t, { command: fixture('hostile'), flags: IDLE, heartbeat: BEAT, ...options });
  const front = `${await balanced(t, cluster, change)}/mcp`;
  const load = new Load(() => front);
  t.after(() => load.stop());
  await until('the load runs', () => load.count('answered') > 100, 30_000 * SLOWNESS);
  return { cluster, load };
}

