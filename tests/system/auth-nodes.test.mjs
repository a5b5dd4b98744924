// Two callers on three nodes: neither can use the other's ids at any node, even after the session's node is lost.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { suite, test } from './lib/concurrently.mjs';
import { at, HEARTBEAT, lasting, missed, startCluster } from './lib/cluster.mjs';
import { bearer, KeyFile, newKey } from './lib/credentials.mjs';
import { fixture } from './lib/gateway.mjs';
import { whole } from './lib/http.mjs';
import {
  answer, assertAlike, assertStranger, assertStrangerToSse, assertUntouched, attempts, busySession, cancelled, forged,
  goneFrom, lastId, note, rpc, textOf,
} from './lib/ownership.mjs';
import { SLOWNESS } from './lib/processes.mjs';
import { openSession, Session, toolCall } from './lib/session.mjs';
import { openSseSession } from './lib/sse.mjs';
import {
  ALONE, asked, idOfMark, listening, marksOn, NOTICE, patientAnswerOf, pidAt, resumeAfter, startRecovering, touch,
} from './lib/store.mjs';
import { until } from './lib/until.mjs';

// A busy machine may need some of this time for each step of a session.
const IDLE_SECONDS = 5 + 3 * SLOWNESS;
const IDLE = ['--session-timeout', String(IDLE_SECONDS)];
const HEARD = 'notifications/resources/updated';

const [hostile, ...hostileArgs] = fixture('hostile');
const pagedServer = (label) => {
  const [command, ...args] = fixture('merged', JSON.stringify({ label, items: 5, page: 2 }));
  return { command, args };
};
const SERVERS = { a: { command: hostile, args: hostileArgs }, b: pagedServer('b'), c: pagedServer('c') };
const keys = ['ada', 'bob'].map((name) => newKey(name));
const [ada, bob] = keys.map(({ secret }) => bearer(secret));
const authOf = () => ({ keys: new KeyFile(...keys).path });
const startGuarded = (t, options = {}) =>
  startCluster(t, { config: { mcpServers: SERVERS, gateway: { auth: authOf() } }, ...options });
const PATH = '/servers/a/mcp';
const messagesTo = (reply) => reply.all().then((all) => all.filter(({ method }) => method === undefined));

// Begins a session at one node whose requests go to another.
const openAcross = async (from, to, path, version, who) =>
  at(to, await openSession(from.at(path), version, { sampling: {}, elicitation: {}, roots: {} }, who));

suite('on three nodes', { concurrency: 4 }, () => {
  let cluster;
  const t = lasting();
  before(async () => (cluster = await startGuarded(t)));
  after(() => t.end());

  test('a session is unknown to another caller at each node, whichever of them has it', async () => {
    await Promise.all(cluster.nodes.map(async (owner) => {
      const busy = await busySession(owner.at(PATH), ada);
      for (const node of cluster.nodes) await assertStranger(node, busy, bob);
      await assertUntouched(busy);
      assert.equal((await busy.session.delete()).status, 200);
    }));
  });

  test('a session of HTTP+SSE is unknown to another caller at each node, whichever of them has it', async () => {
    await Promise.all(cluster.nodes.map(async (owner) => {
      const session = await openSseSession(owner, undefined, {}, ada);
      const running = session.call('running', 'a__sleep', { ms: 1_000 });
      for (const node of cluster.nodes) await assertStrangerToSse(node, session, bob);
      assert.equal(textOf(await running), 'rested');
      assert.equal(textOf(await session.call('cancelled', 'a__cancelled')), '[]');
      session.close();
    }));
  });

  test('an event id of another caller is an unknown one in a session of one\'s own', async () => {
    const [one, two, three] = cluster.nodes;
    const busy = await busySession(one.at(PATH), ada);
    for (const node of [one, two, three]) {
      const mine = await openAcross(two, node, PATH, undefined, bob);
      const unknown = await whole(mine.listen({ 'last-event-id': forged(busy.known.seen) }));
      assert.ok(unknown.status >= 400, JSON.stringify(unknown));
      for (const version of ['2025-11-25', '2025-03-26']) {
        const later = { 'last-event-id': busy.known.seen, 'mcp-protocol-version': version };
        assert.deepEqual(await whole(mine.listen(later)), unknown, version);
      }
      assert.equal((await mine.delete()).status, 200);
    }
    await assertUntouched(busy);
  });

  test('ids of another caller\'s requests are unknown ones in a session of one\'s own, also in a batch', async () => {
    const [one, two, three] = cluster.nodes;
    const busy = await busySession(one.at(PATH), ada);
    const { call, question } = busy.known;
    const messages = (id) => [
      answer(id, 'from somebody else'),
      cancelled(id),
      note('notifications/progress', { progressToken: id, progress: 1 }),
    ];
    for (const node of [one, two, three])
      for (const version of ['2025-11-25', '2025-03-26']) {
        const mine = await openAcross(three, node, PATH, version, bob);
        const unknown = await Promise.all(messages('nobody').map((message) => whole(mine.post(message))));
        assert.ok(unknown.every(({ status }) => status === 202), JSON.stringify(unknown));
        for (const id of [call, question, 'asking'])
          assert.deepEqual(await Promise.all(messages(id).map((message) => whole(mine.post(message)))), unknown, id);
        if (version === '2025-03-26') {
          const [answers, notes] = [[], []];
          for (const id of [call, question, 'asking']) {
            const [first, ...others] = messages(id);
            answers.push(first);
            notes.push(...others);
          }
          assert.deepEqual(await whole(mine.post(answers)), unknown[0]);
          const [answered, ...more] = await messagesTo(await mine.post([...notes, rpc('ping', {}, 'mine')]));
          assert.deepEqual([answered.id, answered.result, more], ['mine', {}, []]);
        }
        assert.equal((await mine.delete()).status, 200);
      }
    await assertUntouched(busy);
  });

  test('progress goes to who asked, where two callers chose the same id and token', async () => {
    const asking = await Promise.all([ada, bob].map(async (who, index) => {
      const session = await openAcross(cluster.nodes[index], cluster.nodes[2], PATH, undefined, who);
      const flood = toolCall('same', 'flood', { kind: 'progress', count: 10 + index, every_ms: 10 }, 'token');
      return (await session.post(flood)).all();
    }));
    for (const [index, messages] of asking.entries()) {
      const steps = messages.filter(({ params }) => params).map(({ params }) => params.progress);
      assert.deepEqual(steps, Array.from({ length: 10 + index }, (_, n) => n + 1));
      assert.equal(messages.at(-1).id, 'same');
    }
  });

  test('a subscription is its caller\'s: another is told nothing, and cannot end it', async () => {
    const [one, two, three] = cluster.nodes;
    const hers = await openAcross(one, two, PATH, undefined, ada);
    const his = await openAcross(one, three, PATH, undefined, bob);
    const streams = await Promise.all([hers, his].map((session) => session.listen()));
    const uri = 'test://resource/1';
    await (await hers.post(rpc('resources/subscribe', { uri }))).all();
    await (await his.post(rpc('resources/unsubscribe', { uri }))).all();
    await hers.call('later', 'flood_later', { kind: 'updated', count: 1 });
    await streams[0].message('she is told', ({ method }) => method === HEARD);
    await his.call('later', 'flood_later', { kind: 'changed', count: 1 });
    await streams[1].message('he is told his own', ({ method }) => method?.endsWith('list_changed'));
    assert.deepEqual(streams[1].messages.filter(({ method }) => method === HEARD), []);
    for (const stream of streams) stream.destroy();
  });

  test('a cursor of another caller is an unknown one', async () => {
    const [one, two, three] = cluster.nodes;
    const hers = await openAcross(one, two, '/mcp', undefined, ada);
    const his = await openAcross(one, three, '/mcp', undefined, bob);
    const list = async (session, cursor) => (await (await session.post(rpc('tools/list', { cursor }))).all()).at(-1);
    const { nextCursor } = (await list(hers)).result;
    assert.ok((await list(hers, nextCursor)).result.tools.length > 0, 'for her it goes on');
    const unknown = await list(his, forged(nextCursor));
    assert.equal(unknown.error?.code, -32602);
    assert.deepEqual(await list(his, nextCursor), unknown);
  });
});

// -- idle time -------------------------------------------------------------------------------------------------------

const UNKNOWN = { call: 1, question: 1, seen: 'x' };

const waysAt = (node, session) =>
  Object.entries(attempts(node, session, UNKNOWN)).map(([what, ask]) => ({ node, what: `${what} at ${node.name}`, ask }));

// Requests the session as another caller at each node in these ways until the session ends. Resolves with the ways that
// were answered while it existed.
async function pester(ways, session, cluster) {
  const answered = new Set();
  const proven = new Set();
  let isOver = false;
  const pesterAt = async ({ name }) => {
    const there = ways.filter(({ node }) => node.name === name);
    for (let n = 0; !isOver && there.length > 0; ++n) {
      const { what, ask } = there[n % there.length];
      assert.equal((await whole(ask(session.id, bob))).status, 404, what);
      answered.add(what);
    }
  };
  const hasEnded = async () => {
    const before = [...answered];
    if ((await cluster.state()).sessions === 0) return true;
    before.forEach((what) => proven.add(what));
    return false;
  };
  const end = until('it ends', hasEnded).finally(() => (isOver = true));
  await Promise.all([end, ...cluster.nodes.map(pesterAt)]);
  return proven;
}

test('who asks for the session of another does not keep it alive', async (t) => {
  const cluster = await startGuarded(t, { flags: IDLE });
  const tried = new Set();
  let ways;
  const untried = () => ways.filter(({ what }) => !tried.has(what));
  // A busy machine may not try all ways before a session ends. The others are tried with another session.
  do {
    // Measured before the session begins, because its answer may arrive late.
    const began = Date.now();
    const session = await openSession(cluster.nodes[0].at(PATH), undefined, {}, ada);
    ways = cluster.nodes.flatMap((node) => waysAt(node, session));
    for (const what of await pester(untried(), session, cluster)) tried.add(what);
    assert.ok(Date.now() - began > IDLE_SECONDS * 1_000 - 1_000, 'nor does he end it');
    for (const node of cluster.nodes) assert.equal((await at(node, session).ping()).status, 404);
    t.diagnostic(`${tried.size} of ${ways.length} ways were tried`);
  } while (untried().length > 0);
});

// -- loss of a node --------------------------------------------------------------------------------------------------

test('when the node that has the session is killed, others are told of it what they are told of none', async (t) => {
  const cluster = await startGuarded(t, { heartbeat: HEARTBEAT });
  const [one, two, three] = cluster.nodes;
  const busy = await busySession(one.at(PATH), ada);
  const mine = await busySession(two.at(PATH), bob);
  const lost = busy.running.then((reply) => reply.done, () => {});
  await one.kill();
  await Promise.all([lost, busy.stream.done, busy.asking.done]);
  await missed(one, two, three);
  for (const node of [two, three]) {
    await assertStranger(node, busy, bob);
    await assertStranger(node, mine, ada);
    for (const [what, attempt] of Object.entries(attempts(node, busy.session, busy.known)))
      await assertAlike(`${what}, by its owner`, attempt, busy.session.id, busy.unknown, ada);
  }
  await assertUntouched(mine);
});

test('a session that was restored is unknown to another caller at each node, and its owner goes on', async (t) => {
  const { nodes, store, heard } = await startRecovering(t, { gateway: { auth: authOf() } });
  const [one, two, three] = nodes;
  const session = await openSession(one.at(ALONE), undefined, {}, ada);
  await asked(session, 'resources/subscribe', { uri: 'test://one' });
  const stream = await listening(two, session);
  await touch(two, session, ['before']);
  await until('it is heard', () => marksOn(stream).includes('before'));
  const seen = idOfMark(stream, 'before');
  await store.keeps(1);
  await one.kill();
  await missed(one, two, three);
  const known = { call: 'running', question: 'question-1', seen };
  const gone = async () => goneFrom(two.at(ALONE), ada);
  // At first no node has the session, then the one that its owner used.
  for (const state of ['in Redis only', 'restored']) {
    const unknown = [forged(session.id), await gone()];
    const attempt = (node) => Object.entries(attempts(node, session, known));
    for (const node of [two, three])
      for (const [what, ask] of attempt(node)) {
        await until(`${node.name} can tell`, async () => (await whole(ask(session.id, bob))).status !== 503, NOTICE);
        await assertAlike(`${what}, ${state}`, ask, session.id, unknown, bob);
      }
    assert.equal(heard().filter(({ method }) => method === 'start').length, state === 'restored' ? 4 : 2, state);
    if (state === 'restored') break;
    assert.ok(await pidAt(three, session));
  }
  const again = await listening(two, session, resumeAfter(seen));
  await touch(three, session, ['after']);
  await until('what comes is hers', () => marksOn(again).includes('after'));
  assert.deepEqual(marksOn(again), ['after']);
  const his = await openSession(two.at(ALONE), undefined, {}, bob);
  for (const node of [two, three]) {
    const foreign = await whole(at(node, his).listen(resumeAfter(seen)));
    assert.deepEqual(foreign, await whole(at(node, his).listen(resumeAfter(forged(seen)))));
    assert.ok(foreign.status >= 400, JSON.stringify(foreign));
  }
  assert.equal((await patientAnswerOf(two, session.as(bob))).status, 404);
  assert.equal((await at(two, session).delete()).status, 200);
});

test('who asks for a kept session of another does not keep it in Redis for longer', async (t) => {
  const { nodes, store } = await startRecovering(t, { gateway: { auth: authOf() }, flags: IDLE });
  const [one, two, three] = nodes;
  const session = await openSession(one.at(ALONE), undefined, {}, ada);
  await store.keeps(1);
  await one.kill();
  await missed(one, two, three);
  const [key] = (await store.sessionKeys()).filter((name) => /:s:/.test(name));
  const ends = async () => Number(await store.ask('PEXPIRETIME', key));
  const before = await ends();
  const began = Date.now();
  const statuses = new Set();
  await until('they are refused, and time passes', async () => {
    for (const node of [two, three]) statuses.add((await at(node, session.as(bob)).ping()).status);
    return statuses.has(404) && Date.now() - began >= 2_000;
  });
  assert.ok(statuses.delete(404), 'they are refused');
  assert.deepEqual([...statuses].filter((status) => status !== 503), []);
  // A node takes the session to read its owner, and may give it back after its answer.
  await until('it is kept until the time that it was kept before', async () => (await ends()) <= before + 100);
  assert.ok(await pidAt(three, session), 'its owner goes on');
});
