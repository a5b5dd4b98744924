// Sessions that leave a node at an operator's rate, and the cancelled drain.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { test } from 'node:test';
import { at, startCluster, statusOf } from './lib/cluster.mjs';
import { gatewayWith } from './lib/config.mjs';
import { fixture } from './lib/gateway.mjs';
import { ANY_PORT, adminOf } from './lib/operator.mjs';
import { SLOWNESS } from './lib/processes.mjs';
import { openSession, toolCall } from './lib/session.mjs';
import { debugState } from './lib/state.mjs';
import { ALONE, answerOf, counting, introduce, startRecovering } from './lib/store.mjs';
import { operate } from './lib/terminal.mjs';
import { throughout, until } from './lib/until.mjs';

const PATIENCE = 60_000 * SLOWNESS;
const STEADY_MS = 1_500;
const PAUSE_MS = 2_000;
// The allowed delay of the last session: long for a busy machine, but shorter than half the rate would take.
const LATE_MS = 9_500 * SLOWNESS;
// The part of a second's sessions that may leave at once after a delay, and the first, which leaves immediately.
const BURST = 0.25;
// A single process for all sessions of a node, because a test has hundreds of them.
const SHARED = { a: { sharing: 'shared' } };

const recovering = (t, options) =>
  startRecovering(t, { nodes: 3, servers: SHARED, flags: ANY_PORT, heartbeat: 60, gateway: { grace: '5s' }, ...options });

const drains = (node, ...flags) => operate(['drain', ...flags, '--admin', adminOf(node).url]);
const undrains = (node) => operate(['undrain', '--admin', adminOf(node).url]);
const progressOf = async (node) => (await adminOf(node).api('node')).drain;
const sessionsAt = async (node) => (await debugState(node)).sessions;
const introducedAt = (node, count) => Promise.all(counting(1, count).map(() => introduce(node.at(ALONE))));
const isDrainingFor = async (node, other) =>
  (await other.others()).find(({ name }) => name === node.name)?.draining;

// A client that sends messages continuously, and retries when refused. Each message is new.
class ContinuousClient {
  #stopped = false;
  asked = [];
  failed = [];

  constructor(session, nodes, name) {
    Object.assign(this, { session, nodes, name });
    this.ended = this.#go();
  }

  async #go() {
    await pause(Math.random() * PAUSE_MS);
    for (let turn = 0; !this.#stopped; turn += 1) {
      await this.#ask(`${this.name}-${turn}`, this.nodes[turn % this.nodes.length]);
      await pause(PAUSE_MS);
    }
  }

  async #ask(message, node) {
    this.asked.push(message);
    for (;;) {
      const reply = await at(node, this.session).post(toolCall(message, 'echo', { message }));
      const answers = (await reply.all()).filter(({ id }) => id === message);
      if (reply.status !== 503) {
        const [{ result } = {}] = answers;
        const isRight = answers.length === 1 && result?.content[0].text === message;
        return isRight || this.failed.push(`${message}: ${reply.status} ${reply.received}`);
      }
      await pause(50);
    }
  }

  stop() {
    this.#stopped = true;
    return this.ended;
  }
}

const heardOf = (heard) =>
  heard().filter(({ method }) => method === 'tools/call').map(({ params }) => params.arguments?.message);

// Reads the number of departed sessions until the node has exited.
async function measured(node, rate, began) {
  let last = { to_move: Infinity };
  for (;; await pause(50)) {
    const asked = Date.now() - began;
    const now = await progressOf(node).catch(() => undefined);
    if (!now) return { ...last, gone: Date.now() - began };
    const allowed = 1 + rate * ((Date.now() - began) / 1_000 + BURST);
    assert.ok(now.moved <= allowed, `${now.moved} have left within ${asked} ms`);
    const took = Date.now() - began;
    if (now.to_move === 0) return { ...now, took, gone: took };
    last = { ...now, took };
  }
}

test('200 sessions leave at the rate that was told, and their clients go on elsewhere', async (t) => {
  const rate = 20;
  const servers = { ...SHARED, b: { recovery: 'none' } };
  const { nodes, store, heard } = await recovering(t, { servers });
  const [one, two, three] = nodes;
  const sessions = await introducedAt(one, 200);
  await store.keeps(200, PATIENCE);
  const staying = await openSession(one.at('/servers/b/mcp'));
  const talks = sessions.map((session, index) => new ContinuousClient(session, [two, three], `talk${index}`));
  await until('all talk', () => talks.every(({ asked }) => asked.length > 1), PATIENCE);
  const slow = at(two, sessions[0]).post(toolCall('slow', 'echo', { message: 'slow', ms: 4_000 }));
  await until('a call is under way', () => heardOf(heard).includes('slow'));

  const began = Date.now();
  const typed = drains(one, '--rate', `${rate}/s`);
  await until('it drains', () => progressOf(one));
  assert.equal(await statusOf(one, '/readyz'), 503);
  for (const node of [two, three]) await until('others know', () => isDrainingFor(one, node));
  const result = await measured(one, rate, began);
  t.diagnostic(`${result.moved} had left after ${result.took} ms, ${result.to_move} had not; ${result.stay} stay`);
  // More sessions may have left after the last reading.
  const since = (result.gone - result.took) / 1_000;
  assert.ok(result.to_move <= 3 + rate * (since + BURST) && result.stay === 1, JSON.stringify(result));
  const wanted = (200 / rate) * 1_000;
  assert.ok(result.gone > wanted * 0.9 && result.took < wanted + LATE_MS, JSON.stringify(result));
  assert.equal((await (await slow).all()).at(-1).result.content[0].text, 'slow');

  const { code, err, lines } = await typed;
  assert.deepEqual([code, err], [0, ''], one.told(lines.join('\n')));
  t.diagnostic(`${lines.length} lines, such as: ${lines.slice(0, 3).join('; ')}; ${lines.slice(-2).join('; ')}`);
  const moved = lines.map((line) => Number(/^to move \d+, moved (\d+), stay 1, calls \d+$/.exec(line)?.[1] ?? NaN));
  assert.ok(moved.filter((count) => count > 0 && count < 200).length > 1, lines.join('\n'));
  assert.equal(lines.at(-1), 'it has ended');
  assert.equal((await one.gateway.exited), 0);
  await until('all are elsewhere', async () => (await sessionsAt(two)) + (await sessionsAt(three)) === 200, PATIENCE);
  const asked = talks.map((talk) => talk.asked.length);
  await until('all go on', () => talks.every((talk, index) => talk.asked.length > asked[index] + 1), PATIENCE);
  await Promise.all(talks.map((talk) => talk.stop()));
  assert.deepEqual(talks.flatMap(({ failed }) => failed), []);
  const messages = [...talks.flatMap((talk) => talk.asked), 'slow'].toSorted();
  assert.deepEqual(heardOf(heard).toSorted(), messages, 'each was heard once');
  // The session is over, but a Redis that has lost data cannot tell that at first.
  assert.ok([404, 503].includes((await at(two, staying).ping()).status));
  await Promise.all(sessions.map((session) => at(two, session).delete()));
});

test('a drain that is called off leaves the rest where it is, and a later one goes on to the end', async (t) => {
  const { nodes, store } = await recovering(t, { nodes: 2 });
  const [one, two] = nodes;
  const sessions = await introducedAt(one, 30);
  await store.keeps(30, PATIENCE);
  const began = Date.now();
  const typed = drains(one, '--rate', '1', '--json');
  await until('some have left', async () => (await progressOf(one))?.moved >= 5, PATIENCE);
  const begun = await openSession(one.at(ALONE));
  assert.equal(await sessionsAt(two), 1, 'it begins elsewhere');
  const { code, out } = await undrains(one);
  const most = 1 + (Date.now() - began) / 1_000 + BURST;
  assert.deepEqual([code, out], [0, 'it stays: sessions that have left do not come back, and new ones begin here again\n']);
  const { code: failed, err, lines } = await typed;
  assert.deepEqual([failed, err], [1, 'troupe: it is to stay after all: somebody has ordered troupe undrain\n']);
  const told = lines.map((line) => JSON.parse(line));
  assert.deepEqual(told.at(-1), { state: 'stays' });
  assert.equal(told[0].drain.rate, '1/s');
  assert.equal(await statusOf(one, '/readyz'), 200);
  await until('the other knows', async () => (await isDrainingFor(one, two)) === false);

  const left = await until('what was told has left', () => sessionsAt(one));
  await throughout(STEADY_MS, async () => assert.ok((await sessionsAt(one)) >= left - 1));
  const rest = await sessionsAt(one);
  assert.ok(rest >= 30 - most - 1 && rest <= 25, `${rest} stayed, ${most} might have left`);
  const own = await openSession(one.at(ALONE));
  assert.equal(await sessionsAt(one), rest + 1);
  for (const session of [...sessions, begun, own])
    for (const node of nodes) assert.ok((await answerOf(node, session)).pid, node.told(''));
  assert.equal((await sessionsAt(one)) + (await sessionsAt(two)), 32);
  assert.equal((await undrains(one)).err, 'troupe: it does not drain\n');

  const again = await drains(one, '--rate', '600/min');
  assert.deepEqual([again.code, again.err], [0, ''], again.out);
  assert.equal(await one.gateway.exited, 0);
  for (const session of [...sessions, begun, own]) assert.ok((await answerOf(two, session)).pid, two.told(''));
  assert.equal(await sessionsAt(two), 32);
});

test('clients that know only the node which drains go on through it, and another may order it', async (t) => {
  const { nodes, store } = await recovering(t, { nodes: 2 });
  const [one, two] = nodes;
  const sessions = await introducedAt(one, 5);
  await store.keeps(5);
  const stream = await sessions[0].listen();
  const slow = sessions[1].post(toolCall('slow', 'echo', { message: 'slow', ms: 10_000 }));
  const { code, lines } = await operate(
    ['drain', '--rate', '4', '--no-wait', '--node', one.name, '--admin', adminOf(two).url]);
  assert.deepEqual([code, lines], [0, ['it drains: sessions leave at 4/s, and when all have, it ends']]);
  await stream.done;
  await until('all but the busy one have left', async () => (await progressOf(one))?.to_move === 1, PATIENCE);
  for (const session of sessions.filter((_, index) => index !== 1)) {
    const { pid } = await answerOf(one, session);
    assert.equal(pid, (await answerOf(two, session)).pid);
  }
  assert.equal((await (await slow).all()).at(-1).result.content[0].text, 'slow');
  assert.equal(await one.gateway.exited, 0);
  for (const session of sessions) assert.ok((await answerOf(two, session)).pid);
});

test('a drain without a rate, and SIGTERM, let all go at once that had not left', async (t) => {
  for (const order of [(node) => drains(node), (node) => node.gateway.signal('SIGTERM')]) {
    const { nodes, store } = await recovering(t, { nodes: 2 });
    const [one, two] = nodes;
    const sessions = await introducedAt(one, 5);
    await store.keeps(5);
    assert.equal((await drains(one, '--rate', '1/min', '--no-wait')).code, 0);
    await until('one has left', async () => (await progressOf(one))?.moved === 1);
    await order(one);
    assert.equal(await one.gateway.exited, 0);
    for (const session of sessions) assert.ok((await answerOf(two, session)).pid);
  }
});

test('a rate that is none is wrong usage', async () => {
  for (const rate of ['0', '-1', 'abc', '1.5', '10001', '20/h', '']) {
    const { code, out, err } = await operate(['drain', `--rate=${rate}`]);
    assert.deepEqual([code, out], [2, ''], err);
    assert.match(err, /^troupe: .*--rate.*\n$/);
  }
  assert.equal((await operate(['drain', '--no-wait'])).code, 2);
});

test('where nothing can leave, a rate is refused in a line, and the gateway stays', async (t) => {
  const [command, ...args] = fixture('reload-server');
  const config = { mcpServers: { a: { command, args } } };
  const refused = async (node, why) => {
    const { code, out, err } = await drains(node, '--rate', '5');
    assert.deepEqual([code, out, err], [1, '', `troupe: ${why}\n`]);
    assert.equal((await undrains(node)).err, 'troupe: it does not drain\n');
    assert.equal(await statusOf(node, '/readyz'), 200);
  };
  await refused(await gatewayWith(t, config, ...ANY_PORT),
    'this gateway is no node of a cluster: its sessions can go nowhere, at no rate');
  const { nodes: [storeless] } = await startCluster(t, { nodes: 2, config, flags: ANY_PORT });
  await refused(storeless, 'no session can leave this node: its cluster has no store that keeps sessions');
  const { nodes: [alone] } = await recovering(t, { nodes: 1 });
  await refused(alone, 'no other node of the cluster takes sessions now');
});
