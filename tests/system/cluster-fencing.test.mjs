// A session has one owner: a node that loses contact with others or with Redis never answers beside a new owner.
import assert from 'node:assert/strict';
import { test } from './lib/concurrently.mjs';
import { at } from './lib/cluster.mjs';
import { complete } from './lib/http.mjs';
import { toolCall } from './lib/session.mjs';
import {
  ALONE, answerOf, assertGone, counting, introduce, LEASE, listening, NOTICE, pidAt, resumeAfter, startRecovering,
} from './lib/store.mjs';
import { until, within } from './lib/until.mjs';
import { assertOne, assertRefused, isThere, PATIENCE, Watch } from './lib/watch.mjs';

// The time until an owner that alone has lost Redis releases sessions that no other node has taken.
const GIVEN_UP = NOTICE + 3 * LEASE * 1_000;
const ALONE_LOST = 'this node alone has lost the store: sessions that it keeps are left to the others';
const LEASE_LOST = 'the store may take this node for lost: sessions that it keeps wait here';

const clusters = new WeakMap();

async function start(t, options) {
  const made = await startRecovering(t, options);
  clusters.set(t, made.nodes);
  return made;
}

// A test in which the first node is disturbed and its session moves once. If another node gets no processor time for as
// long as a lease, it loses its lease and the session moves again, as it must: the test proves nothing then.
function testMove(name, body) {
  test(name, async (t) => {
    try {
      await body(t);
    } catch (error) {
      const starved = (clusters.get(t) ?? []).slice(1).filter((node) => node.logged(LEASE_LOST));
      if (starved.length === 0) throw error;
      t.skip(`a node that was not disturbed has lost its lease: ${starved.map(({ name }) => name)}; ${error.message}`);
    }
  });
}

test('an owner that alone has lost Redis fails the calls of its sessions though nobody asks another node', async (t) => {
  const { nodes, store } = await startRecovering(t);
  const [one, two] = nodes;
  const session = await introduce(one.at(ALONE));
  const before = await pidAt(one, session);
  const call = await session.post(toolCall('lost', 'echo', { message: 'never', ms: 60_000 }));
  await until('its stream has begun', () => call.events.length > 0);
  await store.has('{"answers":["lost"]}');
  const began = Date.now();
  one.storeLink.silence();
  await until('the old server is gone', () => !isThere(before), GIVEN_UP);
  t.diagnostic(`given up after ${Date.now() - began} ms`);
  await until('it says why', () => one.logged(ALONE_LOST));
  await within('the stream of the call ends', call.done);
  const resumed = await listening(two, session, resumeAfter(call.events.at(-1).id));
  await within('the resumed stream ends', resumed.done);
  const [{ id, error }] = resumed.messages;
  assert.deepEqual([id, error?.code, resumed.messages.length], ['lost', -32603, 1], resumed.received);
  const after = await pidAt(two, session);
  one.storeLink.mend();
  await until('the old owner forwards', async () => (await answerOf(one, session)).pid === after, PATIENCE);
  await at(one, session).delete();
});

test('an owner that another node cannot reach keeps the session, and that node says so', async (t) => {
  const { cluster, nodes } = await startRecovering(t, { proxied: true });
  const [one, two, three] = nodes;
  const session = await introduce(one.at(ALONE));
  const pid = await pidAt(two, session);
  await cluster.links.cut(one, two);
  await until('they have lost each other', async () => !(await two.knows(one)) && !(await one.knows(two)));
  const cutOff = counting(1, 100).map(() => answerOf(two, session));
  await assertOne([one, three], session, pid, 100);
  const refused = await Promise.all(cutOff);
  t.diagnostic(`refused after at most ${Math.max(...refused.map(({ took }) => took))} ms`);
  for (const answer of refused) assertRefused(answer);
  assert.ok(Math.max(...refused.map(({ took }) => took)) < 2 * NOTICE);
  assertRefused(await answerOf(two, session));
  assert.equal(two.children().length, 0);
  await cluster.links.mend(one, two);
  await cluster.whole();
  await assertOne(nodes, session, pid, 30);
  await at(two, session).delete();
  await assertGone(nodes, session);
});

const standstills = [
  ['frozen', 'has asked for it', 'freeze', 'thaw'],
  ['frozen', 'has not asked for it', 'freeze', 'thaw'],
  ['suspended', 'has not asked for it', 'suspend', 'wake'],
];
for (const [state, third, stop, goOn] of standstills)
  testMove(`a ${state} owner that wakes up does not answer beside the new one; the third node ${third}`, async (t) => {
    const { cluster, nodes, heard, leased } = await start(t);
    const [one, two, three] = nodes;
    if (state === 'suspended') {
      one.suspendable();
      await one.restart();
      await cluster.whole();
      await leased();
    }
    const session = await introduce(one.at(ALONE));
    const before = await pidAt(one, session);
    // The call is answered while the owner is frozen.
    const pending = session.post(toolCall('pending', 'echo', { message: 'old', ms: 4_500 })).catch(() => ({}));
    await until('it runs', () => heard(before).some(({ params }) => params?.name === 'echo'));
    one[stop]();
    const began = Date.now();
    const relaying = answerOf(two, session);
    // The requests wait in the node's sockets until it wakes up.
    const waiting = counting(1, 20).map((n) => session.post(toolCall(n, 'pid')).catch(() => ({})));
    const relayed = await relaying;
    assert.deepEqual([relayed.status, relayed.code], [200, -32603], 'what was on its way to it fails');
    t.diagnostic(`it is noticed ${Date.now() - began} ms after the freeze`);
    const after = await pidAt(two, session);
    t.diagnostic(`another has it ${Date.now() - began} ms after the freeze`);
    assert.ok(Date.now() - began < LEASE * 1_000 + 2 * NOTICE, `${Date.now() - began}`);
    assert.notEqual(after, before);
    if (third === 'has asked for it') assert.equal(await pidAt(three, session), after);
    one[goOn]();
    await until('the old server is gone', () => !isThere(before));
    await cluster.whole();
    const watch = new Watch(nodes, session);
    for (const [n, asked] of [pending, ...waiting].entries()) {
      const reply = await complete(`the answer to request ${n}, sent to the frozen node`, asked);
      const answer = reply.messages?.at(-1);
      assert.ok(!answer?.result || answer.result.content[0].text === `${after}`, one.told(reply.received));
    }
    await watch.gets(200);
    await watch.stop();
    t.diagnostic(watch.summary);
    assert.deepEqual(watch.pids, [after]);
    assert.deepEqual(watch.unexpected(), [], watch.summary);
    await assertOne(nodes, session, after, 30);
    assert.equal(one.children().length, 0);
    await at(one, session).delete();
    await assertGone(nodes, session);
  });

testMove('an owner that reaches neither Redis nor a node gives its sessions up, before another has them', async (t) => {
  const { cluster, nodes, heard } = await start(t, { proxied: true });
  const [one, two, three] = nodes;
  const session = await introduce(one.at(ALONE));
  const before = await pidAt(two, session);
  const watch = new Watch(nodes, session);
  await watch.gets(50);
  const began = Date.now();
  one.storeLink.silence();
  for (const other of [two, three]) await cluster.links.silence(one, other);
  await until('another has it', () => watch.pids.length > 1, 3 * NOTICE);
  t.diagnostic(`taken over after ${Date.now() - began} ms`);
  const after = watch.pids[1];
  await watch.gets(200, ({ pid }) => pid === after);
  assert.ok(!isThere(before), 'the old server is gone');
  assertRefused(await answerOf(one, session));
  one.storeLink.mend();
  for (const other of [two, three]) await cluster.links.mend(one, other);
  await cluster.whole();
  await until('the old owner forwards', async () => (await answerOf(one, session)).pid === after, PATIENCE);
  await watch.stop();
  t.diagnostic(watch.summary);
  watch.assertSuccession();
  assert.deepEqual(watch.pids, [before, after]);
  assert.deepEqual(watch.unexpected(), [], watch.summary);
  await assertOne(nodes, session, after, 50);
  assert.equal(heard().filter(({ method }) => method === 'start').length, 2);
  await at(one, session).delete();
});

for (const fault of ['cut', 'silence'])
  testMove(`an owner that loses Redis (${fault}) gives its sessions up, and another has them`, async (t) => {
    const { nodes, heard } = await start(t);
    const [one, two, three] = nodes;
    const session = await introduce(one.at(ALONE));
    const before = await pidAt(two, session);
    const stream = await at(three, session).listen();
    const watch = new Watch(nodes, session);
    const began = Date.now();
    one.storeLink[fault]();
    // A request makes another node take the session. The old one may hold all requests of the watch.
    const ask = () => void at(two, session).ping().catch(() => {});
    await until('the old server is gone', () => (ask(), !isThere(before)), GIVEN_UP);
    t.diagnostic(`given up after ${Date.now() - began} ms`);
    await within('the stream ends', stream.done);
    const moved = until('another has it', () => watch.pids.length > 1, 2 * NOTICE);
    const taken = await moved.then(() => Date.now() - began, () => undefined);
    t.diagnostic(taken ? `taken over after ${taken} ms` : 'not taken over');
    await watch.stop();
    t.diagnostic(watch.summary);
    watch.assertSuccession();
    assert.ok(taken, `another node goes on: ${watch.summary}`);
    assert.deepEqual(watch.unexpected(), [], watch.summary);
    const after = watch.pids.at(-1);
    await assertOne([two, three], session, after, 50);
    one.storeLink.mend();
    await until('the old owner forwards', async () => (await answerOf(one, session)).pid === after);
    await assertOne(nodes, session, after, 100);
    assert.equal(heard().filter(({ method }) => method === 'start').length, 2);
    await at(one, session).delete();
  });
