// Sessions that are restored at a bad moment, or with leftovers from before.
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { allow, test } from './lib/concurrently.mjs';
import { at, missed } from './lib/cluster.mjs';
import { adminOf, ANY_PORT } from './lib/operator.mjs';
import { initializeRequest, post, Session, toolCall } from './lib/session.mjs';
import {
  ALONE, answerOf, asked, assertGone, assertMarks, counting, idOfMark, introduce, INTRODUCTION, listening, marksOn,
  NOTICE, patientAnswerOf, pidAt, resumeAfter, startRecovering, touch,
} from './lib/store.mjs';
import { until, within } from './lib/until.mjs';

allow(8);

const paramsOf = (entries, wanted) => entries.filter(({ method }) => method === wanted).map(({ params }) => params);

test('what a client saw and Redis never heard of is neither told again nor in the way of what comes', async (t) => {
  const { nodes, store } = await startRecovering(t, { heartbeat: 10 });
  const [one, two, three] = nodes;
  const session = await introduce(one.at(ALONE));
  await asked(session, 'resources/subscribe', { uri: 'test://one' });
  const stream = await listening(two, session);
  await touch(two, session, [1, 2, 3]);
  await until('they are seen', () => marksOn(stream).length === 3);
  await store.has('"mark":3');
  one.storeLink.silence();
  await touch(two, session, [4, 5, 6]);
  await until('they are seen', () => marksOn(stream).length === 6);
  await one.kill();
  await missed(one, two, three);
  const resumed = await listening(three, session, resumeAfter(idOfMark(stream, 6)));
  await assertMarks(two, session, resumed, [], 7);
  const ids = [...stream.events, ...resumed.events].filter(({ data }) => data).map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length, 'no id is given twice');
  resumed.destroy();
  const other = await listening(two, session, resumeAfter(idOfMark(stream, 3)));
  await assertMarks(two, session, other, [7], 8);
  await at(two, session).delete();
});

test('a DELETE is confirmed only once the store has forgotten the session', async (t) => {
  const { nodes, store } = await startRecovering(t);
  const [one, two, three] = nodes;
  const mended = await introduce(one.at(ALONE));
  const lost = await introduce(three.at(ALONE));
  await store.keeps(2);
  for (const node of [one, three]) node.storeLink.silence();
  const told = await Promise.all([mended.delete(), lost.delete(), at(one, lost).delete()]);
  for (const reply of told) {
    await reply.done;
    assert.equal(reply.status, 503, reply.received);
    assert.ok(reply.headers['retry-after']);
    assert.match(reply.received, /may be restored if this node is lost; repeat DELETE/);
  }
  const repeated = mended.delete();
  const [ping] = await Promise.all([mended.ping(), three.kill()]);
  assert.notEqual(ping.status, 200, 'it has ended here');
  one.storeLink.mend();
  let status = (await repeated).status;
  // The store may confirm it between two tries.
  await until('it has ended', async () => status !== 503 || ((status = (await mended.delete()).status), false));
  assert.ok(status === 200 || status === 404, `${status}`);
  await missed(three, one, two);
  assert.ok(await pidAt(two, lost), 'nobody was told that it has ended');
  assert.equal((await at(one, lost).delete()).status, 200);
  await one.kill();
  await missed(one, two);
  for (const session of [mended, lost]) await assertGone([two], session);
});

// More than the store's limit for a session.
const MUCH = 1_100;

test('a call of which more was said than is kept fails when it resumes, and is not taken for who listens', async (t) => {
  const { nodes, store } = await startRecovering(t, { nodes: 2 });
  const [one, two] = nodes;
  const session = await introduce(one.at(ALONE));
  await asked(session, 'resources/subscribe', { uri: 'test://one' });
  const steps = { message: 'x', steps: MUCH, ms: 0 };
  const answered = await session.post(toolCall('answered', 'echo', { ...steps, steps: 1 }, 'a'));
  await answered.done;
  const stream = await listening(one, session);
  await assertMarks(one, session, stream, [], 1);
  const call = await session.post(toolCall('lost', 'echo', { ...steps, steps: 10 * MUCH, ms: 3 }, 'p'));
  const progress = () => call.messages.filter(({ method }) => method === 'notifications/progress').length;
  await until('much is said', () => progress() > MUCH, 60_000, 200);
  await until('its beginning is not kept', async () => !(await store.dump()).includes('"progress":1,'));
  await one.kill();
  await Promise.all([call.done, stream.done]);

  const ids = (reply) => reply.events.map(({ id }) => id).filter(Boolean);
  const failed = await listening(two, session, resumeAfter(ids(call).at(-1)));
  const again = await listening(two, session, resumeAfter(ids(stream).at(-1)));
  await assertMarks(two, session, again, [], 2);
  const messages = await within('the stream of the call ends', failed.all());
  assert.deepEqual([messages.at(-1)?.id, messages.at(-1)?.error?.code], ['lost', -32603], failed.received);
  assert.deepEqual(marksOn(failed), []);
  const read = await listening(two, session, resumeAfter(ids(answered)[0]));
  const told = await within('the stream that was over ends', read.all());
  assert.equal(told.at(-1)?.result?.content[0].text, 'x', read.received);
  await at(two, session).delete();
});

for (const version of ['2025-03-26', '2025-06-18'])
  test(`a session of revision ${version} is restored in that revision`, async (t) => {
    const { nodes, heard, store } = await startRecovering(t, { nodes: 2 });
    const [one, two] = nodes;
    const session = await introduce(one.at(ALONE), { ...INTRODUCTION, protocolVersion: version });
    await store.keeps(1);
    await one.kill();
    const pid = await pidAt(two, session);
    assert.equal(paramsOf(heard(pid), 'initialize')[0].protocolVersion, version);
    const batch = await at(two, session).post([1, 2].map((id) => ({ jsonrpc: '2.0', id, method: 'ping' })));
    await batch.done;
    assert.equal(batch.status, version === '2025-03-26' ? 200 : 400, batch.received);
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
    const wrong = await at(two, session).post(ping, { 'mcp-protocol-version': '1999-01-01' });
    assert.equal(wrong.status, 400);
    await at(two, session).delete();
  });

test('a session that its client has not declared initialized is so when it says it, once', async (t) => {
  const { nodes, heard, store } = await startRecovering(t, { nodes: 2 });
  const [one, two] = nodes;
  const reply = await post(one.at(ALONE), { ...initializeRequest(), params: INTRODUCTION });
  await reply.done;
  const session = new Session(one.at(ALONE), reply.headers['mcp-session-id'], INTRODUCTION.protocolVersion);
  await until('it is kept', async () => (await store.sessionKeys()).length > 0);
  await one.kill();
  await missed(one, two);
  const pong = await at(two, session).ping();
  await pong.done;
  assert.equal(pong.status, 200, two.told(pong.received));
  const { pid } = heard().findLast(({ method }) => method === 'initialize');
  assert.equal(paramsOf(heard(pid), 'notifications/initialized').length, 0);
  assert.equal((await at(two, session).post({ jsonrpc: '2.0', method: 'notifications/initialized' })).status, 202);
  assert.equal(await pidAt(two, session), pid);
  assert.equal(paramsOf(heard(pid), 'notifications/initialized').length, 1);
  await at(two, session).delete();
});

test('an answer to a question of the server before is not taken for one to the new server', async (t) => {
  const { nodes, store, heard } = await startRecovering(t, { nodes: 2 });
  const [one, two] = nodes;
  const session = await introduce(one.at(ALONE));
  await store.keeps(1);
  const method = 'sampling/createMessage';
  const ask = (there, id) => there.post(toolCall(id, 'ask', { method, params: { of: id } }, 'p'));
  const question = (reply) => reply.message('the question', (message) => message.method === method);
  const old = await question(await ask(session, 'old'));
  await one.kill();
  const pid = await pidAt(two, session);
  const asking = await ask(at(two, session), 'new');
  const fresh = await question(asking);
  assert.deepEqual(fresh.params, { of: 'new' });
  assert.notEqual(fresh.id, old.id);
  const answers = (id, text) => at(two, session).post({ jsonrpc: '2.0', id, result: { text } });
  await (await answers(old.id, 'late')).done;
  assert.equal((await answers(fresh.id, 'in time')).status, 202);
  const told = (await asking.all()).at(-1);
  assert.deepEqual(JSON.parse(told.result.content[0].text).result, { text: 'in time' });
  assert.equal(heard(pid).filter((entry) => !entry.method && entry.result).length, 1);
  await at(two, session).delete();
});

test('a session whose server cannot start again is gone, and nobody waits', async (t) => {
  const { nodes, store, base } = await startRecovering(t, { nodes: 2 });
  const [one, two] = nodes;
  const session = await introduce(one.at(ALONE));
  await store.keeps(1);
  writeFileSync(`${base}.exits`, '');
  await one.kill();
  const began = Date.now();
  const answers = await Promise.all(counting(1, 10).map(() => patientAnswerOf(two, session)));
  const kinds = new Set(answers.map(({ status, code }) => `${status} ${code}`));
  t.diagnostic(`${[...kinds]} after ${Date.now() - began} ms`);
  assert.ok(Date.now() - began < 3 * NOTICE);
  for (const { status } of answers) assert.equal(status, 404);
  await until('it is forgotten', async () => (await store.sessionKeys()).length === 0);
  rmSync(`${base}.exits`);
  assert.equal((await answerOf(two, session)).status, 404);
  await (await introduce(two.at(ALONE))).delete();
});

test('a node that drains does not say of sessions that it cannot take that they are gone', async (t) => {
  const { nodes, store } = await startRecovering(t, { gateway: { grace: '6s' } });
  const [one, two, three] = nodes;
  const session = await introduce(one.at(ALONE));
  const own = await introduce(two.at(ALONE));
  await store.keeps(2);
  await one.kill();
  await missed(one, two, three);
  const exited = two.gateway.signal('SIGTERM');
  await until('it drains', () => two.logged('draining'));
  assert.ok(await pidAt(two, own), 'it serves what it has');
  const there = await answerOf(two, session).catch(({ code }) => ({ status: code }));
  t.diagnostic(`at the node that drains: ${JSON.stringify(there)}`);
  const began = Date.now();
  const elsewhere = await until('another has it', async () => {
    const answer = await answerOf(three, session);
    return answer.status !== 503 && answer;
  });
  t.diagnostic(`at another: ${elsewhere.status} after ${Date.now() - began} ms`);
  await at(three, own).delete();
  await exited;
  assert.ok(elsewhere.pid, JSON.stringify(elsewhere));
  assert.notEqual(there.status, 404, JSON.stringify(there));
  await at(three, session).delete();
});

test('a node that is full does not say of sessions that it cannot take that they are gone', async (t) => {
  const { nodes, store } = await startRecovering(t, { nodes: 2, flags: ['--max-sessions', '1', ...ANY_PORT] });
  const [one, two] = nodes;
  const session = await introduce(one.at(ALONE));
  const other = await introduce(two.at(ALONE));
  await store.keeps(2);
  await one.kill();
  await missed(one, two);
  const full = await answerOf(two, session);
  t.diagnostic(JSON.stringify(full));
  const { body: metrics } = await adminOf(two).ask('/metrics');
  assert.match(metrics, /^troupe_refused_total\{reason="unavailable"\} 1$/m, 'counted as every refusal');
  await other.delete();
  const pid = await until('it has room', async () => (await answerOf(two, session)).pid).catch(() => undefined);
  t.diagnostic(`with room: ${pid ? 'restored' : 'not restored'}`);
  assert.ok(pid);
  assert.equal(full.status, 503, full.received);
  await at(two, session).delete();
});

test('a session that a full node cannot take goes on at another', async (t) => {
  const { nodes, store } = await startRecovering(t, { flags: ['--max-sessions', '1'] });
  const [one, two, three] = nodes;
  const session = await introduce(one.at(ALONE));
  const other = await introduce(two.at(ALONE));
  await store.keeps(2);
  await one.kill();
  await missed(one, two, three);
  for (const n of [1, 2]) assert.equal((await answerOf(two, session)).status, 503, `time ${n}`);
  const began = Date.now();
  const elsewhere = await until('another has it', async () => {
    const answer = await answerOf(three, session);
    return answer.status !== 503 && answer;
  });
  t.diagnostic(`at another: ${elsewhere.status} after ${Date.now() - began} ms`);
  assert.ok(elsewhere.pid, JSON.stringify(elsewhere));
  assert.equal(await pidAt(two, session), elsewhere.pid, 'the full node passes on');
  assert.ok(await pidAt(three, other), 'it still serves what it had');
  await at(three, session).delete();
  await at(two, other).delete();
});

test('a node that saw a full node take a session for a moment does not look for it there for ever', async (t) => {
  const { nodes, store } = await startRecovering(t, { flags: ['--max-sessions', '1'] });
  const [one, two, three] = nodes;
  const session = await introduce(one.at(ALONE));
  const [full, filler] = [await introduce(two.at(ALONE)), await introduce(three.at(ALONE))];
  await store.keeps(3);
  await one.kill();
  await missed(one, two, three);
  const statuses = new Set();
  for (const _ of counting(1, 30))
    for (const { status } of await Promise.all([two, three].map((node) => answerOf(node, session)))) statuses.add(status);
  assert.deepEqual([...statuses], [503], 'both are full');
  await filler.delete();
  const elsewhere = await until('the node with room has it', async () => (await answerOf(three, session)).pid);
  assert.equal(await pidAt(two, session), elsewhere, 'the full node passes on');
  await at(three, session).delete();
  await at(two, full).delete();
});

test('sessions survive that all nodes are stopped and started, and that they are updated one by one', async (t) => {
  const { cluster, nodes } = await startRecovering(t, { gateway: { grace: '1s' } });
  const sessions = await Promise.all(nodes.map((node) => introduce(node.at(ALONE))));
  for (const session of sessions) await asked(session, 'resources/subscribe', { uri: 'test://one' });
  for (const node of nodes) {
    await node.restart();
    await cluster.whole();
    // The first session gets no request until the last node is up again.
    for (const session of sessions.slice(1)) assert.ok(await pidAt(node, session));
  }
  await Promise.all(nodes.map((node) => node.stop()));
  await Promise.all(nodes.map((node) => node.start()));
  await cluster.whole();
  for (const [n, session] of sessions.entries()) {
    const stream = await listening(nodes[(n + 1) % 3], session);
    await assertMarks(nodes[(n + 2) % 3], session, stream, [], n);
    await at(nodes[n], session).delete();
  }
});

test('what is on its way to a node while it is lost is not told that the session is gone', async (t) => {
  const { nodes, store } = await startRecovering(t);
  const [one, two, three] = nodes;
  const session = await introduce(one.at(ALONE));
  const gentle = await introduce(one.at(ALONE));
  await store.keeps(2);
  const before = await pidAt(two, session);
  one.freeze();
  const there = at(two, session);
  const asked = {
    'a listening stream': there.listen(),
    'a notification': there.post({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' }),
    'an answer': there.post({ jsonrpc: '2.0', id: 'question', result: {} }),
    'an end': at(three, gentle).delete(),
  };
  const told = {};
  for (const [what, asking] of Object.entries(asked)) told[what] = (await asking).status;
  t.diagnostic(JSON.stringify(told));
  const after = await pidAt(two, session);
  assert.notEqual(after, before, 'the session itself is restored');
  await one.kill();
  await at(two, session).delete();
  await at(three, gentle).delete();
  assert.deepEqual(Object.entries(told).filter(([, status]) => status === 404), []);
});
