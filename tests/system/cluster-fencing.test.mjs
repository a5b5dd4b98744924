// Of a session there is one owner: whoever loses touch with the others, or with Redis, never answers beside another.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { test } from './lib/at-once.mjs';
import { at } from './lib/cluster.mjs';
import { residentBytes, SLOWNESS } from './lib/processes.mjs';
import { openSession, toolCall } from './lib/session.mjs';
import { debugState, MIB } from './lib/state.mjs';
import {
  ALONE, answerOf, assertGone, counting, introduce, LEASE, NOTICE, pidAt, startRecovering,
} from './lib/store.mjs';
import { until } from './lib/until.mjs';

const MS = 1_000;
const LONG = 30_000 * SLOWNESS;
const stays = (pid) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

// What a client is told that only has to come again, or whose call was in flight.
const BEARABLE = new Set([503, 'lost', 'ECONNREFUSED', 'ECONNRESET']);

// Asks all the time at these nodes, until it is stopped; what it was told, in the order of when it was told.
class Watch {
  answers = [];
  #stopped = false;

  constructor(nodes, session) {
    this.workers = nodes.map((node) => this.#ask(node, session));
  }

  async #ask(node, session) {
    while (!this.#stopped) {
      const asked = Date.now();
      const answer = await answerOf(node, session).catch(({ code }) => ({ node: node.name, status: code }));
      this.answers.push({ ...answer, asked, told: Date.now() });
      if (!answer.pid) await pause(10);
    }
  }

  async stop() {
    this.#stopped = true;
    await Promise.all(this.workers);
    return this.answers;
  }

  get pids() {
    return [...new Set(this.answers.map(({ pid }) => pid).filter(Boolean))];
  }

  // Asked after another had begun to answer, a server does not answer any more.
  assertSuccession() {
    const began = new Map();
    for (const { pid, told } of this.answers) if (pid && !began.has(pid)) began.set(pid, told);
    for (const one of this.answers.filter(({ pid }) => pid))
      for (const [pid, since] of began)
        if (began.get(one.pid) < since)
          assert.ok(one.asked <= since, `${one.pid} answers after ${pid} did: ${JSON.stringify(one)}`);
  }

  // What no client of such a session should ever be told.
  unexpected() {
    const refused = this.answers.filter(({ pid }) => !pid);
    const kindOf = ({ status, code }) => (code === -32603 && status === 200 ? 'lost' : status);
    return [...new Set(refused.map(kindOf))].filter((kind) => !BEARABLE.has(kind));
  }

  // How often what was told at which node.
  get summary() {
    const kinds = {};
    for (const { node, status, code, pid } of this.answers) {
      const kind = `${node} ${pid ? `pid ${pid}` : [status, code].join(' ')}`;
      kinds[kind] = (kinds[kind] ?? 0) + 1;
    }
    return JSON.stringify(kinds);
  }
}

async function assertOne(nodes, session, pid, count) {
  for (const n of counting(1, count)) {
    const answer = await answerOf(nodes[n % nodes.length], session);
    assert.equal(answer.pid, pid, JSON.stringify(answer));
  }
}

const assertRefused = (answer) => {
  assert.equal(answer.status, 503, JSON.stringify(answer));
  assert.match(answer.retry ?? '', /^\d+$/);
};

for (const third of ['has asked for it', 'has not asked for it'])
  test(`a frozen owner that wakes up does not answer beside the new one; the third node ${third}`, async (t) => {
    const { cluster, nodes } = await startRecovering(t);
    const [one, two, three] = nodes;
    const session = await introduce(one.at(ALONE));
    const before = await pidAt(one, session);
    const pending = session.post(toolCall('pending', 'echo', { message: 'old', ms: 500 })).catch(() => ({}));
    await until('it runs', async () => (await debugState(one)).calls === 1);
    one.freeze();
    // They wait in its sockets for the time when it wakes up.
    const waiting = counting(1, 20).map((n) => session.post(toolCall(n, 'pid')).catch(() => ({})));
    const began = Date.now();
    const relayed = await answerOf(two, session);
    assert.deepEqual([relayed.status, relayed.code], [200, -32603], 'what was on its way to it fails');
    t.diagnostic(`it is noticed ${Date.now() - began} ms after the freeze`);
    const after = await pidAt(two, session);
    t.diagnostic(`another has it ${Date.now() - began} ms after the freeze`);
    assert.ok(Date.now() - began < LEASE * MS + NOTICE, `${Date.now() - began}`);
    assert.notEqual(after, before);
    if (third === 'has asked for it') assert.equal(await pidAt(three, session), after);
    one.thaw();
    await until('the old server is gone', () => !stays(before));
    await cluster.whole();
    const watch = new Watch(nodes, session);
    for (const reply of await Promise.all([pending, ...waiting])) {
      await reply.done;
      const answer = reply.messages?.at(-1);
      assert.ok(!answer?.result || answer.result.content[0].text === `${after}`, one.told(reply.received));
    }
    await until('200 calls were answered', () => watch.answers.length >= 200, LONG);
    await watch.stop();
    t.diagnostic(watch.summary);
    assert.deepEqual(watch.pids, [after]);
    assert.deepEqual(watch.unexpected(), [], watch.summary);
    await assertOne(nodes, session, after, 30);
    assert.equal(one.children().length, 0);
    await at(one, session).delete();
    await assertGone(nodes, session);
  });

test('an owner that another node cannot reach keeps the session, and that node says so', async (t) => {
  const { cluster, nodes } = await startRecovering(t, { proxied: true });
  const [one, two, three] = nodes;
  const session = await introduce(one.at(ALONE));
  const pid = await pidAt(two, session);
  cluster.links.cut(one, two);
  await until('they have lost each other', async () => !(await two.knows(one)) && !(await one.knows(two)));
  const cutOff = counting(1, 100).map(() => answerOf(two, session));
  await assertOne([one, three], session, pid, 100);
  const refused = await Promise.all(cutOff);
  t.diagnostic(`refused after at most ${Math.max(...refused.map(({ took }) => took))} ms`);
  for (const answer of refused) assertRefused(answer);
  assert.ok(Math.max(...refused.map(({ took }) => took)) < NOTICE + 1_000);
  assertRefused(await answerOf(two, session));
  assert.equal(two.children().length, 0);
  cluster.links.mend(one, two);
  await cluster.whole();
  await assertOne(nodes, session, pid, 30);
  await at(two, session).delete();
  await assertGone(nodes, session);
});

for (const fault of ['cut', 'silence'])
  test(`an owner that loses Redis (${fault}) gives its sessions up, and another has them`, async (t) => {
    const { nodes, heard } = await startRecovering(t);
    const [one, two, three] = nodes;
    const session = await introduce(one.at(ALONE));
    const before = await pidAt(two, session);
    const stream = await at(three, session).listen();
    const watch = new Watch(nodes, session);
    const began = Date.now();
    one.storeLink[fault]();
    await until('the old server is gone', () => !stays(before), NOTICE);
    t.diagnostic(`given up after ${Date.now() - began} ms`);
    await stream.done;
    const moved = until('another has it', () => watch.pids.length > 1, NOTICE);
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

test('an owner that reaches neither Redis nor a node gives its sessions up, before another has them', async (t) => {
  const { cluster, nodes, heard } = await startRecovering(t, { proxied: true });
  const [one, two, three] = nodes;
  const session = await introduce(one.at(ALONE));
  const before = await pidAt(two, session);
  const watch = new Watch(nodes, session);
  await until('all are asked', () => watch.answers.length > 50);
  const began = Date.now();
  one.storeLink.silence();
  for (const other of [two, three]) cluster.links.silence(one, other);
  await until('another has it', () => watch.pids.length > 1, 2 * NOTICE);
  t.diagnostic(`taken over after ${Date.now() - began} ms`);
  const after = watch.pids[1];
  const asked = () => watch.answers.filter(({ pid }) => pid === after).length;
  await until('much is asked then', () => asked() > 200, LONG);
  assert.ok(!stays(before), 'the old server is gone');
  assertRefused(await answerOf(one, session));
  one.storeLink.mend();
  for (const other of [two, three]) cluster.links.mend(one, other);
  await cluster.whole();
  await until('the old owner forwards', async () => (await answerOf(one, session)).pid === after, LONG);
  await watch.stop();
  t.diagnostic(watch.summary);
  watch.assertSuccession();
  assert.deepEqual(watch.pids, [before, after]);
  assert.deepEqual(watch.unexpected(), [], watch.summary);
  await assertOne(nodes, session, after, 50);
  assert.equal(heard().filter(({ method }) => method === 'start').length, 2);
  await at(one, session).delete();
});

const PLAIN = '/servers/plain/mcp';
const BOTH = { servers: { a: {}, plain: { recovery: 'none' } } };

for (const fault of ['killed', 'frozen'])
  test(`when Redis is ${fault}, sessions that it does not keep go on, and new ones begin`, async (t) => {
    const { nodes, store } = await startRecovering(t, BOTH);
    const [one, two, three] = nodes;
    const kept = await introduce(one.at(ALONE));
    const plain = await introduce(two.at(PLAIN));
    const pids = [await pidAt(one, kept), await pidAt(one, plain)];
    const listening = await at(three, kept).listen();
    const memory = nodes.map(({ pid }) => residentBytes(pid));
    if (fault === 'killed') await store.kill();
    else store.freeze();
    const began = Date.now();
    await until('its server is gone', () => !stays(pids[0]), NOTICE);
    t.diagnostic(`given up ${Date.now() - began} ms after Redis was ${fault}`);
    await listening.done;
    await assertOne(nodes, plain, pids[1], 100);
    const refused = await Promise.all(counting(0, 29).map((n) => answerOf(nodes[n % 3], kept)));
    const kinds = new Set(refused.map(({ node, status }) => `${node} ${status}`));
    t.diagnostic(`refused: ${[...kinds]}, at most ${Math.max(...refused.map(({ took }) => took))} ms`);
    const unkept = await introduce(one.at(ALONE));
    const another = await introduce(three.at(PLAIN));
    assert.equal((await at(one, another).delete()).status, 200, 'new sessions of other servers begin');
    // What would be kept of many calls is not held for ever.
    for (const n of counting(1, 300)) await answerOf(nodes[n % 3], plain);
    nodes.forEach((node, index) => {
      assert.ok(!node.hasExited);
      assert.ok(residentBytes(node.pid) - memory[index] < 16 * MIB, `${node.name} grows`);
    });
    if (fault === 'killed') await store.start();
    else store.thaw();
    if (fault === 'frozen') {
      const pid = await until('it is back', async () => (await answerOf(two, kept)).pid, LONG).catch(async (error) => {
        const told = await Promise.all(nodes.map((node) => answerOf(node, kept)));
        assert.fail(`${error.message}; then nodes say ${JSON.stringify(told)}`);
      });
      assert.notEqual(pid, pids[0]);
      await assertOne(nodes, kept, pid, 30);
      assert.equal((await at(three, kept).delete()).status, 200);
    } else {
      await until('an empty Redis knows nothing', async () => (await answerOf(two, kept)).status === 404, LONG);
    }
    await assertOne(nodes, plain, pids[1], 10);
    assert.equal((await at(two, unkept).delete()).status, 200, 'one that began without Redis goes on');
    await until('nothing is kept', async () => (await store.sessionKeys()).length === 0);
    const fresh = await until('new sessions are kept again', async () => {
      const session = await openSession(one.at(ALONE));
      if (await store.keeps(1, 1_000).then(() => true, () => false)) return session;
      await session.delete();
    }, LONG);
    const pid = await pidAt(two, fresh);
    await one.kill();
    assert.notEqual(await pidAt(three, fresh), pid, 'and are restored');
    await at(two, fresh).delete();
    await at(three, plain).delete();
    for (const answer of refused) assertRefused(answer);
  });

test('sessions that are used all the time survive that Redis is away for less than a lease', async (t) => {
  const { nodes, store } = await startRecovering(t, { heartbeat: 6 });
  const [one] = nodes;
  const session = await introduce(one.at(ALONE));
  const pid = await pidAt(one, session);
  const watch = new Watch(nodes, session);
  store.freeze();
  const began = Date.now();
  await until('it was away', () => Date.now() - began > 1_500);
  store.thaw();
  await until('much was asked', () => watch.answers.length > 300, LONG);
  await watch.stop();
  t.diagnostic(watch.summary);
  assert.ok(watch.answers.every((answer) => answer.pid === pid), watch.summary);
  await one.kill();
  assert.ok(await pidAt(nodes[1], session), 'and it is still kept');
  await at(nodes[1], session).delete();
});

test('sessions go on while each node is killed in turn, and nothing of them is left when they end', async (t) => {
  const { cluster, nodes, store } = await startRecovering(t);
  const sessions = await Promise.all(counting(0, 11).map((n) => introduce(nodes[n % 3].at(ALONE))));
  const watches = sessions.map((session, n) => new Watch([nodes[n % 3], nodes[(n + 1) % 3]], session));
  const all = () => watches.reduce((sum, { answers }) => sum + answers.filter(({ pid }) => pid).length, 0);
  const grows = async (by) => {
    const before = all();
    await until('calls are answered', () => all() >= before + by, LONG);
  };
  for (const victim of nodes) {
    await grows(100);
    await victim.kill();
    const owned = watches.map(({ answers }) => answers.length);
    await until('each session is answered again', () =>
      watches.every(({ answers }, n) => answers.slice(owned[n]).some(({ pid }) => pid)), LONG);
    await victim.start();
    await cluster.whole();
  }
  await grows(100);
  await Promise.all(watches.map((watch) => watch.stop()));
  const longest = Math.max(...watches.flatMap(({ answers }) => answers.map(({ took = 0 }) => took)));
  t.diagnostic(`${all()} answered, servers of each: ${watches.map(({ pids }) => pids.length)}, at most ${longest} ms`);
  for (const watch of watches) {
    watch.assertSuccession();
    assert.deepEqual(watch.unexpected(), [], watch.summary);
  }
  await until('each has one node', async () => (await cluster.state()).sessions === 12);
  await until('each has one server', () => nodes.flatMap((node) => node.children()).length === 12);
  for (const [n, session] of sessions.entries()) assert.equal((await at(nodes[n % 3], session).delete()).status, 200);
  await until('no server is left', () => nodes.every((node) => node.children().length === 0));
  await until('nothing is kept', async () => (await store.sessionKeys()).length === 0);
  await until('nodes hold nothing', async () => {
    const { sessions: left, calls, streams, cluster: relays } = await cluster.state();
    const counts = [left, calls, ...Object.values(streams), relays.relayed_here, relays.relayed_elsewhere];
    return counts.every((count) => count === 0);
  });
});

test('sessions that are used all the time are handed over by a node that drains', async (t) => {
  const { nodes } = await startRecovering(t, { heartbeat: 60, gateway: { grace: '1s' } });
  const [one, two, three] = nodes;
  const sessions = await Promise.all(counting(1, 12).map(() => introduce(one.at(ALONE))));
  const watches = sessions.map((session) => new Watch([two, three], session));
  await until('all are asked', () => watches.every(({ answers }) => answers.length > 20));
  assert.equal(await one.gateway.signal('SIGTERM'), 0);
  const all = () => watches.every(({ pids }) => pids.length > 1);
  await until('all have moved', all, LONG).catch(() => undefined);
  await Promise.all(watches.map((watch) => watch.stop()));
  const kinds = watches.flatMap((watch) => watch.unexpected());
  const lost = watches.flatMap(({ answers }) => answers).filter(({ status, code }) => status === 200 && code);
  t.diagnostic(`moved: ${watches.filter(({ pids }) => pids.length > 1).length} of 12; sessions told ${kinds}`);
  t.diagnostic(`calls lost: ${lost.length}, such as ${lost[0]?.received}`);
  for (const watch of watches) watch.assertSuccession();
  await Promise.all(sessions.map((session) => at(two, session).delete()));
  assert.deepEqual(kinds, []);
  assert.ok(all());
});

// What others may do who write to the same Redis.
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
