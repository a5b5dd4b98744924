// Many sessions that survive their node under continuous load. Each test runs alone on the machine, because a node that
// renews its lease too late gives its sessions up.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at, missed } from './lib/cluster.mjs';
import { ALONE, counting, introduce, NOTICE, patientAnswerOf, pidAt, startRecovering } from './lib/store.mjs';
import { until } from './lib/until.mjs';
import { PATIENCE, Watch } from './lib/watch.mjs';

test('of many calls at once through all nodes that are left one server answers each', async (t) => {
  const { nodes, store, heard } = await startRecovering(t);
  const [one, ...left] = nodes;
  const sessions = await Promise.all(counting(1, 10).map(() => introduce(one.at(ALONE))));
  await store.keeps(10);
  await one.kill();
  const began = Date.now();
  for (const answers of await Promise.all(
    sessions.map((session) => Promise.all(counting(1, 10).map((n) => patientAnswerOf(left[n % 2], session)))),
  )) {
    for (const { pid, ...answer } of answers) assert.ok(pid, JSON.stringify(answer));
    assert.equal(new Set(answers.map(({ pid }) => pid)).size, 1, JSON.stringify(answers));
  }
  t.diagnostic(`100 calls of 10 sessions were answered ${Date.now() - began} ms after the kill`);
  assert.ok(Date.now() - began < 4 * NOTICE);
  assert.equal(heard().filter(({ method }) => method === 'start').length, 20);
  for (const session of sessions) assert.equal((await at(left[0], session).delete()).status, 200);
});

test('sessions go on while each node is killed in turn, and nothing of them is left when they end', async (t) => {
  const { cluster, nodes, store } = await startRecovering(t);
  const sessions = await Promise.all(counting(0, 11).map((n) => introduce(nodes[n % 3].at(ALONE))));
  const watches = sessions.map((session, n) => new Watch([nodes[n % 3], nodes[(n + 1) % 3]], session));
  const all = () => watches.reduce((sum, { answers }) => sum + answers.filter(({ pid }) => pid).length, 0);
  const grows = async (by) => {
    const before = all();
    await until('calls are answered', () => all() >= before + by, PATIENCE);
  };
  for (const victim of nodes) {
    await grows(100);
    await victim.kill();
    const owned = watches.map(({ answers }) => answers.length);
    await until('each session is answered again', () =>
      watches.every(({ answers }, n) => answers.slice(owned[n]).some(({ pid }) => pid)), PATIENCE);
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
  await Promise.all(watches.map((watch) => watch.gets(20)));
  assert.equal(await one.gateway.signal('SIGTERM'), 0);
  const all = () => watches.every(({ pids }) => pids.length > 1);
  await until('all have moved', all, PATIENCE).catch(() => undefined);
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

test('sessions of a node that died begin again no faster than they may, and all do', async (t) => {
  const { nodes, store, heard } = await startRecovering(t, { nodes: 2, flags: ['--restores-per-second', '2'] });
  const [one, two] = nodes;
  const sessions = await Promise.all(counting(1, 14).map(() => introduce(one.at(ALONE))));
  await store.keeps(sessions.length);
  const before = heard().filter(({ method }) => method === 'start').length;
  await one.kill();
  await missed(one, two);
  const pids = await Promise.all(sessions.map((session) => pidAt(two, session)));
  assert.equal(new Set(pids).size, sessions.length);
  const starts = heard().filter(({ method }) => method === 'start').slice(before).map((entry) => entry.at);
  const took = Math.max(...starts) - Math.min(...starts);
  t.diagnostic(`14 processes were started within ${took} ms`);
  assert.equal(starts.length, sessions.length);
  // Two at once, then two each second: six seconds. The first start may be reported late.
  assert.ok(took > 2_500, `${took} ms`);
  await Promise.all(sessions.map((session) => at(two, session).delete()));
});
