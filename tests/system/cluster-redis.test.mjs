// Sessions of a cluster while Redis is unreachable or returns invalid data.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { test } from './lib/concurrently.mjs';
import { at } from './lib/cluster.mjs';
import { residentBytes } from './lib/processes.mjs';
import { openSession, toolCall } from './lib/session.mjs';
import { debugState, MIB } from './lib/state.mjs';
import {
  ALONE, answerOf, counting, introduce, LEASE, listening, NOTICE, patientAnswerOf, pidAt, resumeAfter,
  startRecovering,
} from './lib/store.mjs';
import { until } from './lib/until.mjs';
import { assertOne, assertRefused, PATIENCE, Watch } from './lib/watch.mjs';

const PLAIN = '/servers/plain/mcp';
const BOTH = { servers: { a: {}, plain: { recovery: 'none' } } };

for (const fault of ['killed', 'frozen'])
  test(`when Redis is ${fault}, sessions that it keeps wait for it, and all others go on`, async (t) => {
    const { nodes, store } = await startRecovering(t, BOTH);
    const [one, two, three] = nodes;
    const kept = await introduce(one.at(ALONE));
    const plain = await introduce(two.at(PLAIN));
    const pids = [await pidAt(one, kept), await pidAt(one, plain)];
    const stream = await at(three, kept).listen();
    const memory = nodes.map(({ pid }) => residentBytes(pid));
    const pending = kept.call('pending', 'echo', { message: 'old', ms: 2 * LEASE * 1_000 });
    await until('it runs', async () => (await debugState(one)).calls === 1);
    if (fault === 'killed') await store.kill();
    else store.freeze();
    const began = Date.now();
    // A request sent just before is answered when Redis is back.
    const asked = [];
    const isRefused = async () => {
      const answers = nodes.map((node) => answerOf(node, kept));
      asked.push(...answers);
      const soon = await Promise.race([Promise.all(answers), pause(2_500)]);
      return soon?.every(({ status }) => status === 503);
    };
    await until('it is refused', isRefused, 3 * NOTICE);
    t.diagnostic(`refused ${Date.now() - began} ms after Redis was ${fault}`);
    await assertOne(nodes, plain, pids[1], 100);
    const refused = await Promise.all(counting(0, 29).map((n) => answerOf(nodes[n % 3], kept)));
    const kinds = new Set(refused.map(({ node, status }) => `${node} ${status}`));
    t.diagnostic(`refused: ${[...kinds]}, at most ${Math.max(...refused.map(({ took }) => took))} ms`);
    const unkept = await introduce(one.at(ALONE));
    const another = await introduce(three.at(PLAIN));
    assert.equal((await at(one, another).delete()).status, 200, 'new sessions of other servers begin');
    // The data of many calls must not be held forever.
    for (const n of counting(1, 300)) await answerOf(nodes[n % 3], plain);
    nodes.forEach((node, index) => {
      assert.ok(!node.hasExited);
      assert.ok(residentBytes(node.pid) - memory[index] < 16 * MIB, `${node.name} grows`);
    });
    await until('its server has answered', async () => (await debugState(one)).calls === 0);
    const back = Date.now();
    if (fault === 'killed') await store.start();
    else store.thaw();
    await until('it goes on', async () => (await answerOf(two, kept)).pid === pids[0], PATIENCE).catch(async (error) => {
      const told = await Promise.all(nodes.map((node) => answerOf(node, kept)));
      assert.fail(`${error.message}; then nodes say ${JSON.stringify(told)}`);
    });
    t.diagnostic(`it goes on ${Date.now() - back} ms after Redis was back`);
    await assertOne(nodes, kept, pids[0], 30);
    assert.ok(!stream.ended, 'who listens still does');
    assert.equal((await pending).result.content[0].text, 'old');
    for (const answer of await Promise.all(asked)) if (answer.pid !== pids[0]) assertRefused(answer);
    await store.keeps(1);
    assert.equal((await at(three, kept).delete()).status, 200);
    await assertOne(nodes, plain, pids[1], 10);
    assert.equal((await at(two, unkept).delete()).status, 200, 'one that began without Redis goes on');
    await until('nothing is kept', async () => (await store.sessionKeys()).length === 0);
    const fresh = await until('new sessions are kept again', async () => {
      const session = await openSession(one.at(ALONE));
      if (await store.keeps(1, 1_000).then(() => true, () => false)) return session;
      await session.delete();
    }, PATIENCE);
    const pid = await pidAt(two, fresh);
    await one.kill();
    assert.notEqual(await pidAt(three, fresh), pid, 'and are restored');
    await at(two, fresh).delete();
    await at(three, plain).delete();
    for (const answer of refused) assertRefused(answer);
  });

test('sessions that are used all the time survive that Redis is away for less than a lease', async (t) => {
  const { nodes, store } = await startRecovering(t, { heartbeat: 10 });
  const [one] = nodes;
  const session = await introduce(one.at(ALONE));
  const pid = await pidAt(one, session);
  const watch = new Watch(nodes, session);
  store.freeze();
  const began = Date.now();
  await until('it was away', () => Date.now() - began > 1_500);
  store.thaw();
  await watch.gets(300);
  await watch.stop();
  t.diagnostic(watch.summary);
  assert.ok(watch.answers.every((answer) => answer.pid === pid), watch.summary);
  await one.kill();
  await until('it goes on, as it is still kept', async () => (await answerOf(nodes[1], session)).pid, PATIENCE);
  await at(nodes[1], session).delete();
});

test('calls for a session that no node has wait for a Redis that is away for less than a lease', async (t) => {
  const { nodes, store } = await startRecovering(t, { nodes: 2, heartbeat: 30 });
  const [one, two] = nodes;
  const sessions = await Promise.all(counting(1, 3).map(() => introduce(one.at(ALONE))));
  await store.keeps(sessions.length);
  assert.equal(await one.gateway.signal('SIGTERM'), 0, one.told('exit code'));
  store.freeze();
  // Redis does not answer this request before its connection times out.
  const answers = [answerOf(two, sessions[0])];
  await one.start();
  for (const node of nodes) await until('it has lost Redis', () => node.logged('the store is lost'));
  answers.push(answerOf(two, sessions[1]), answerOf(one, sessions[2]));
  // A refusal would arrive at once.
  await Promise.race([Promise.any(answers), pause(500)]);
  store.thaw();
  for (const answer of await Promise.all(answers)) assert.ok(answer.pid, JSON.stringify(answer));
  await Promise.all(sessions.map((session) => at(two, session).delete()));
});

test('a node that has lost all others goes on with a Redis that comes back empty at once', async (t) => {
  const { nodes, store } = await startRecovering(t, { nodes: 2, heartbeat: 10 });
  const [one, two] = nodes;
  const session = await introduce(one.at(ALONE));
  const pid = await pidAt(one, session);
  await two.kill();
  await until('it is alone', async () => (await one.others()).length === 0);
  await store.kill();
  await store.start();
  await store.keeps(1);
  assert.equal(await pidAt(one, session), pid);
  assert.ok(!one.logged('session is given up'), one.told(''));
});

test('a call is failed with its node though Redis has forgotten meanwhile that it is awaited', async (t) => {
  const { nodes, store } = await startRecovering(t, { nodes: 2, heartbeat: 8 });
  const [one, two] = nodes;
  const session = await introduce(one.at(ALONE));
  const call = await session.post(toolCall('lost', 'echo', { message: 'never', ms: 60_000 }));
  await until('its stream has begun', () => call.events.length > 0);
  await store.kill();
  await store.start();
  await store.keeps(1);
  await store.has('{"answers":["lost"]}');
  await one.kill();
  const resumed = await listening(two, session, resumeAfter(call.events.at(-1).id));
  await resumed.done;
  const [{ id, error }] = resumed.messages;
  assert.deepEqual([id, error?.code, resumed.messages.length], ['lost', -32603, 1], resumed.received);
});

test('a session stays with the node that took it when Redis restarts from an older state', async (t) => {
  const { nodes, store } = await startRecovering(t, { heartbeat: 2 });
  const [one, two, three] = nodes;
  const session = await introduce(one.at(ALONE));
  await store.keeps(1);
  await one.kill();
  await store.ask('SAVE');
  const { pid } = await patientAnswerOf(two, session);
  await store.kill();
  await store.start();
  const isSo = async (key) => (await store.keys(`*:${key}`)).length === 1;
  const answersAlone = async () => {
    assert.equal(await pidAt(two, session), pid, 'it answers all the time');
    const { pid: other, status } = await answerOf(three, session);
    assert.ok(other === pid || status === 503, `${other} ${status}`);
  };
  await until('it is noticed', async () => (await answersAlone(), isSo('moved')));
  await until('nodes may take sessions', async () => (await answersAlone(), !(await isSo('moved'))));
  await assertOne([two, three], session, pid, 20);
  assert.ok(!two.logged('session is given up'), two.told(''));
});

// Invalid data that another writer might leave in the same Redis.
const SPOILT = {
  'a record that is none': (store, hash) => store.ask('HSET', hash, 'record', '{"format":1,"path":'),
  'a record of another format': (store, hash) => store.ask('HSET', hash, 'record', '{"format":99}'),
  'a record of a server that is not there': async (store, hash) =>
    store.ask('HSET', hash, 'record', (await store.ask('HGET', hash, 'record')).replace('"path":"a"', '"path":"b"')),
  'events of another type': (store, _, events) => store.ask('SET', events, 'text'),
  'events without sense': (store, _, events) =>
    store.ask('XADD', events, '*', 'stream', '-1', 'place', '99999999999999999999', 'vital', 'x', 'text', '{'),
  'an owner that never was': (store, hash) => store.ask('HSET', hash, 'owner', 'x'.repeat(100_000)),
};

test('what a spoilt Redis says harms nobody', async (t) => {
  const { nodes, store } = await startRecovering(t, { nodes: 2 });
  const [one, two] = nodes;
  const sessions = {};
  const begin = async () => {
    const known = await store.keys('*:s:*');
    const session = await introduce(one.at(ALONE));
    const hash = await until('it is kept', async () => (await store.keys('*:s:*')).find((key) => !known.includes(key)));
    const record = () => store.ask('HGET', hash, 'record');
    await until('it is kept as initialized', async () => (await record()).includes('"initialized":true'));
    return { session, hash };
  };
  for (const [what, spoil] of Object.entries(SPOILT)) {
    const { session, hash } = await begin();
    sessions[what] = session;
    await spoil(store, hash, hash.replace(':s:', ':e:'));
  }
  const { session: sound } = await begin();
  await one.kill();
  assert.ok(await pidAt(two, sound));
  for (const [what, session] of Object.entries(sessions)) {
    const { status, pid } = await answerOf(two, session);
    t.diagnostic(`${what}: ${status} ${pid ? 'restored' : ''}`);
    assert.ok([200, 404, 503].includes(status), what);
  }
  assert.ok(!two.hasExited);
  assert.ok(await pidAt(two, sound));
});
