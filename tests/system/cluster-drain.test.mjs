// A draining node with calls that run on another node or come from one: every caller gets an answer.
import assert from 'node:assert/strict';
import { test } from './lib/concurrently.mjs';
import { at, startCluster, statusOf } from './lib/cluster.mjs';
import { IDLE, loaded, NOTICE, rejoined, settle } from './lib/faults.mjs';
import { fixture } from './lib/gateway.mjs';
import { assertHeld, hold, latch } from './lib/held-calls.mjs';
import { SLOWNESS } from './lib/processes.mjs';
import { openSession, toolCall } from './lib/session.mjs';
import { debugState } from './lib/state.mjs';
import { until } from './lib/until.mjs';

const PATH = '/servers/a/mcp';
// Far longer than anything that ends without waiting for it.
const LONG = '60s';
const SOON = 30_000;
// A busy machine needs some of it for the steps before its end.
const GRACE_MS = 4_000 + 8_000 * SLOWNESS;
const ROUNDING_MS = 100;
// The check interval of HAProxy.
const BALANCER_MS = 1_000;
// An idle node exits within 2 s.
const PROBE_MS = 200;
const PROBES_OF_DRAIN = 20;
const SERVED_MS = (3 * GRACE_MS) / 4 - ROUNDING_MS;

async function twoNodesOf(t, grace, options) {
  const [command, ...args] = fixture('reload-server');
  const config = { mcpServers: { a: { command, args } }, gateway: { grace } };
  return startCluster(t, { nodes: 2, config, ...options });
}

const twoNodes = async (t, grace) => (await twoNodesOf(t, grace)).nodes;

function drains(node) {
  const began = Date.now();
  return node.gateway.signal('SIGTERM').then((code) => ({ code, took: Date.now() - began }));
}

const isDraining = (node) => until('it drains', () => node.logged('draining'));

async function assertFailed(reply) {
  const answer = (await reply.all()).at(-1);
  assert.deepEqual([answer?.id, answer?.error?.code], ['held', -32603], reply.received);
}

// A call that has become a stream, and one that has not.
async function heldCalls(t, node, owner, [streaming, plain]) {
  const { file, open } = latch();
  const reply = await hold(at(node, streaming), file);
  const answer = at(node, plain).post(toolCall('held', 'hold', { file }));
  await until('both run', async () => (await debugState(owner)).calls === 2);
  return { reply, answer, open };
}

test('a node that drains under load serves what it owns through the others, until its grace nearly ends', async (t) => {
  const [command, ...args] = fixture('hostile');
  const config = { mcpServers: { a: { command, args } }, gateway: { grace: `${GRACE_MS}ms` } };
  const cluster = await startCluster(t, { config, flags: IDLE });
  const path = '/servers/a/mcp';
  const load = await loaded(t, cluster, path);
  const [victim, ...survivors] = cluster.nodes;
  const owned = await Promise.all(survivors.map(() => openSession(victim.at(path))));
  const stream = await at(survivors[0], owned[0]).listen();
  const ended = stream.done.then(() => Date.now());

  const began = Date.now();
  const exited = victim.gateway.signal('SIGTERM');
  await until('it is not ready', async () => (await statusOf(victim, '/readyz')) === 503, NOTICE);
  const knows = (node) =>
    until('the others know', async () =>
      (await node.others()).some(({ name, draining }) => name === victim.name && draining), NOTICE);
  const [begun] = await Promise.all([openSession(victim.at(path)), ...survivors.map(knows)]);
  t.diagnostic(`the others knew after ${Date.now() - began} ms`);
  // Keeps the session from being idle.
  const listening = await at(survivors[1], begun).listen();
  // After this time sessions end as soon as their calls do. Later observations are not conclusive.
  const isInGrace = () => Date.now() - began < SERVED_MS;
  let served = 0;
  while (isInGrace()) {
    for (const [index, session] of owned.entries()) {
      const { result, error } = await at(survivors[index], session).call(++served, 'echo', { message: `${served}` });
      if (isInGrace()) assert.equal(result?.content[0].text, `${served}`, JSON.stringify(error));
    }
    assert.equal((await openSession(survivors[0].at(path)).then((one) => one.delete())).status, 200);
  }
  const code = await exited;
  const lived = Date.now() - began;
  t.diagnostic(`${served} calls were served; it ended after ${lived} ms of a grace of ${GRACE_MS} ms; ${load}`);
  assert.equal(code, 0, victim.told(''));
  assert.ok(lived >= SERVED_MS && lived < GRACE_MS + NOTICE, `${lived} ms`);
  const failed = Math.min(load.first('lost'), load.first('gone')) - began;
  assert.ok(failed >= SERVED_MS, `a call failed after ${failed} ms`);
  const listened = (await ended) - began;
  assert.ok(listened >= SERVED_MS, `a listening stream ended after ${listened} ms`);
  for (const [index, session] of owned.entries())
    await until('its sessions are gone', async () => (await at(survivors[index], session).ping()).status === 404);
  const { result } = await at(survivors[0], begun).call(++served, 'echo', { message: 'here' });
  assert.equal(result?.content[0].text, 'here', 'what began meanwhile began elsewhere');
  await at(survivors[0], begun).delete();
  await listening.done;
  await victim.start();
  await rejoined(t, 'a drained node', cluster);
  await settle(t, 'a drained node', cluster, load, NOTICE, path);
  assert.equal(load.count('broken off'), 0, String(load));
});

test('a node without sessions ends when the calls that it has passed on are answered', async (t) => {
  const [owner, node] = await twoNodes(t, LONG);
  const sessions = await Promise.all([1, 2].map(() => openSession(owner.at(PATH))));
  const { reply, answer, open } = await heldCalls(t, node, owner, sessions);
  const exited = drains(node);
  await isDraining(node);
  assert.ok(!reply.ended);
  open();
  await assertHeld(reply);
  await assertHeld(await answer);
  const { code, took } = await exited;
  assert.equal(code, 0, node.told('exit code'));
  assert.ok(took < SOON, `it took ${took} ms`);
  await Promise.all(sessions.map((session) => session.delete()));
});

// The answers of `/readyz` to a regular client until the node has drained, and whether the client was late. The node
// waits for twice the client's interval.
async function heardOfDrain(node) {
  const heard = [];
  let [isLate, last] = [false, Infinity];
  const hears = async () => {
    const asked = Date.now();
    heard.push(await statusOf(node, '/readyz'));
    isLate ||= Date.now() - last > 2 * BALANCER_MS;
    last = asked;
    return heard.at(-1) === undefined;
  };
  const gone = until('it is gone', hears, SOON, BALANCER_MS);
  await until('it was asked twice', () => heard.length >= 2);
  const { code } = await drains(node);
  assert.equal(code, 0, node.told('exit code'));
  await gone;
  return { heard, isLate };
}

test('who asks regularly whether a node is ready hears that it is not before it is gone', async (t) => {
  const cluster = await twoNodesOf(t, LONG);
  const [, node] = cluster.nodes;
  let told = await heardOfDrain(node);
  // On a busy machine the interval may be irregular.
  while (told.isLate && !told.heard.includes(503)) {
    await node.start();
    await cluster.whole();
    told = await heardOfDrain(node);
  }
  assert.deepEqual([...new Set(told.heard)], [200, 503, undefined]);
});

// HAProxy considers a node that refuses connections dead, and closes all connections to it.
test('a node that is asked whether it is ready takes connections until it has answered all calls', async (t) => {
  const [owner, node] = await twoNodes(t, LONG);
  const session = await openSession(owner.at(PATH));
  const heard = [];
  const isHeard = (status, count) => () => heard.filter((one) => one === status).length >= count;
  const hears = async () => heard.push(await statusOf(node, '/readyz'));
  const gone = until('it is gone', async () => (await hears()) && heard.at(-1) === undefined, 4 * SOON, PROBE_MS);
  await until('it was asked twice', isHeard(200, 2));
  const { file, open } = latch();
  const answer = at(node, session).post(toolCall('held', 'hold', { file }));
  await until('it runs', async () => (await debugState(owner)).calls === 1);
  const exited = drains(node);
  await until('it was asked for longer than it waits for calm', isHeard(503, PROBES_OF_DRAIN), SOON);
  open();
  await assertHeld(await answer);
  assert.equal((await exited).code, 0, node.told('exit code'));
  await gone;
  await session.delete();
});

test('calls that a node has passed on and that outlast its grace fail', async (t) => {
  const [owner, node] = await twoNodes(t, '300ms');
  const sessions = await Promise.all([1, 2].map(() => openSession(owner.at(PATH))));
  const { reply, answer, open } = await heldCalls(t, node, owner, sessions);
  const exited = drains(node);
  await assertFailed(reply);
  await assertFailed(await answer);
  const { code, took } = await exited;
  assert.equal(code, 0, node.told('exit code'));
  assert.ok(took < SOON, `it took ${took} ms`);
  open();
  await Promise.all(sessions.map((session) => session.delete()));
});

test('calls of a node that outlast its grace fail, wherever they came from', async (t) => {
  const [owner, node] = await twoNodes(t, '300ms');
  const sessions = await Promise.all([1, 2, 3, 4].map(() => openSession(owner.at(PATH))));
  const { file } = latch();
  const asked = sessions.map((session, index) => (index < 2 ? session : at(node, session)));
  const replies = await Promise.all([0, 2].map((index) => hold(asked[index], file)));
  const plain = [1, 3].map((index) => asked[index].post(toolCall('held', 'hold', { file })));
  await until('all run', async () => (await debugState(owner)).calls === 4);
  const exited = drains(owner);
  for (const reply of [...replies, ...plain]) await assertFailed(await reply);
  assert.equal((await exited).code, 0, owner.told('exit code'));
});

test('who listens at a node that stops is to listen at another at once, and misses nothing', async (t) => {
  const [one, two] = await twoNodes(t, LONG);
  const [session, other] = [await openSession(one.at(PATH)), await openSession(two.at(PATH))];
  const [own, passedOn] = [await session.listen(), await at(one, other).listen()];
  const staying = await at(two, session).listen();
  const { file, open } = latch();
  const reply = await hold(session, file);
  const exited = drains(one);
  await Promise.all([own.done, passedOn.done]);
  for (const { events } of [own, passedOn]) assert.match(events.at(-1).retry, /^\d+$/);
  assert.ok(!staying.ended && !reply.ended);
  const { id } = own.events.findLast((event) => event.id !== undefined);
  const resumed = await at(two, session).listen({ 'last-event-id': id });
  assert.equal(resumed.status, 200, resumed.received);
  assert.ok(!resumed.ended && !staying.ended);
  open();
  await assertHeld(reply);
  assert.equal((await at(two, session).delete()).status, 200);
  assert.equal((await exited).code, 0, one.told('exit code'));
  await other.delete();
});

for (const tls of [false, true])
  test(`the last that a node says before it goes is heard, ${tls ? 'with' : 'without'} certificates`, async (t) => {
    const cluster = await twoNodesOf(t, LONG, { tls });
    const [owner, node] = cluster.nodes;
    for (let round = 0; round < 10; round += 1) {
      const session = await openSession(owner.at(PATH));
      const exited = drains(owner);
      await isDraining(owner);
      const { status } = await at(node, session).delete();
      assert.equal(status, 200, `round ${round}: ${owner.told('')} ${node.told('')}`);
      const { code, took } = await exited;
      assert.equal(code, 0, owner.told('exit code'));
      assert.ok(took < SOON, `it took ${took} ms`);
      await owner.start();
      await cluster.whole();
    }
  });

test('a call in flight on a node that drains is answered through another node', async (t) => {
  const [victim, other] = (await twoNodesOf(t, LONG, { nodes: 3 })).nodes;
  const session = await openSession(victim.at(PATH));
  const { file, open } = latch();
  const reply = at(other, session).post(toolCall('held', 'hold', { file }));
  await until('it runs', async () => (await debugState(victim)).calls === 1);
  const exited = victim.gateway.signal('SIGTERM');
  await isDraining(victim);
  open();
  await assertHeld(await reply);
  await at(other, session).delete();
  assert.equal(await exited, 0);
});
