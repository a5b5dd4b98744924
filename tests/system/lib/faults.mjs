// Checks for faults in a cluster: they are noticed in time, clients get correct answers, and the cluster recovers.
import assert from 'node:assert/strict';
import { at, balanced, startCluster } from './cluster.mjs';
import { fixture } from './gateway.mjs';
import { Load } from './load.mjs';
import { LONG, long } from './long.mjs';
import { SANITIZED, SLOWNESS } from './processes.mjs';
import { openSession, toolCall } from './session.mjs';
import { assertBack, baseLine, debugState, MIB } from './state.mjs';
import { throughout, until, within } from './until.mjs';

// Long enough that only lost nodes are considered lost under load.
export const BEAT = SANITIZED ? 6 : 4;
export const NOTICE = BEAT * 1_000 + 12_000 * SLOWNESS;
const BACK = 60_000 * SLOWNESS;
// A client whose session is gone there leaves it behind at other nodes.
export const IDLE = ['--session-timeout', SANITIZED ? '20' : '10'];

// The memory that a load may leave in the heap of a node.
const MEMORY = 16 * MIB;
const CLEAN_LIMIT = 60_000 * SLOWNESS;

// How many milliseconds after `began` it happens.
const timeOf = (what, limit, began, happening) => within(what, happening, limit).then(() => Date.now() - began);

// Opens requests and streams through `asker` in a session of `owner`. All of them end when the owner is lost.
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

// The session of an owner that runs on, but cannot be reached, may return: it gets 503, not 404.
export async function assertNoticed(t, fault, asker, owner, waits, began, limit, { isEnded = false } = {}) {
  const { json, stream, listening, there } = waits;
  const ends = async () => {
    const reply = await json;
    const answer = (await reply.all()).at(-1);
    assert.deepEqual([reply.status, answer?.id, answer?.error?.code], [200, 'json', -32603], reply.received);
    assert.match(answer.error.message, /node.*lost/i);
  };
  const failed = await timeOf('the call fails', limit, began, ends());
  const ended = await timeOf('the stream of a call ends', limit, began, stream.done);
  const last = stream.messages.at(-1);
  assert.deepEqual([last.id, last.error?.code], ['stream', -32603], stream.received);
  const closed = await timeOf('the listening stream ends', limit, began, listening.done);
  await until('the owner is no member', async () => !(await asker.knows(owner)), limit);
  const known = Date.now() - began;
  for (const asked of [there.ping(), there.listen(), there.delete()]) {
    const reply = await asked;
    const [answer] = await reply.all();
    assert.deepEqual([reply.status, answer?.error.code], isEnded ? [404, -32600] : [503, -32603], asker.told(reply.received));
  }
  const told = { call: failed, stream: ended, listening: closed, member: known };
  t.diagnostic(`${fault}: ${asker.name} noticed of ${owner.name} after ms ${JSON.stringify(told)}`);
  assert.ok(Math.max(...Object.values(told)) <= limit, JSON.stringify(told));
}

export const security = (tls) => (tls ? 'with certificates' : 'without certificates');
// The chosen pairs of fault and link kind cover each of both once. All other pairs are long tests.
export const pairOptions = (isChosen) => ({ skip: isChosen ? false : long('each fault is met once, and so is each kind of link') });

// A single kind of node represents all others, and with certificates it is a different one.
export const victimsOf = (all, tls = false) => (LONG && !SANITIZED ? all : [tls ? all.at(-1) : all[0]]);
export const others = (cluster, ...but) => cluster.nodes.filter((node) => !but.includes(node));

export async function assertServes(nodes, path = '/mcp') {
  for (const owner of nodes) {
    const session = await openSession(owner.at(path)).catch((error) => assert.fail(owner.told(error.stack)));
    for (const node of nodes) {
      const answer = await at(node, session).call(node.name, 'echo', { message: node.name });
      assert.equal(answer.result?.content[0].text, node.name, node.told(JSON.stringify(answer)));
    }
    assert.equal((await session.delete()).status, 200);
  }
}

const linesOf = (cluster, prepare) => Promise.all(cluster.nodes.map((node) => baseLine(node, prepare)));

// Restarted nodes must hold no more than before.
export async function assertAllBack(cluster, memory = MEMORY) {
  for (const [index, node] of cluster.nodes.entries())
    await assertBack(node, cluster.before[index], memory, CLEAN_LIMIT);
}

// The state of idle nodes. The memory is measured after `use`.
export async function baseLines(cluster, use) {
  cluster.before = await linesOf(cluster);
  await use();
  await assertAllBack(cluster);
  cluster.before = await linesOf(cluster, () => {});
}

// `path` is the path that the load calls.
export async function settle(t, fault, cluster, load, longest = NOTICE, path = undefined) {
  await load.calm();
  await load.stop();
  t.diagnostic(`${fault}: ${load}`);
  assert.deepEqual(load.wrong, []);
  assert.ok(load.longest <= longest, `${load.longest} ms: ${load}`);
  await assertServes(cluster.nodes, path);
  await assertAllBack(cluster);
}

export const assertStays = (cluster, node, during) =>
  throughout(during, async () =>
    assert.ok(await node.knows(...others(cluster, node)), node.told('it knows the others')));

export async function rejoined(t, fault, cluster) {
  const began = Date.now();
  await cluster.whole(BACK);
  t.diagnostic(`${fault}: all are members again after ${Date.now() - began} ms`);
}

// A connection that the balancer keeps is not the node's fault.
const forgetful = (text) => text.replace(/keepalive_timeout \d+s/, 'keepalive_timeout 1s');

async function loadOf(t, place) {
  const load = new Load(place);
  t.after(() => load.stop());
  await load.calm();
  return load;
}

// Resolves with a load on all nodes, after a first round has set the memory baseline.
export async function loaded(t, cluster, path, change = (text) => text) {
  const front = `${await balanced(t, cluster, (text) => change(forgetful(text)))}${path}`;
  await baseLines(cluster, async () => (await loadOf(t, () => front)).stop());
  return loadOf(t, () => front);
}

export async function underLoad(t, options, change) {
  const cluster = await startCluster(t, { command: fixture('hostile'), flags: IDLE, heartbeat: BEAT, ...options });
  return { cluster, load: await loaded(t, cluster, '/mcp', change) };
}
