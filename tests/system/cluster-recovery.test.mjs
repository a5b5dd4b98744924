// Sessions that survive their node: another node starts a server for them, and continues under the same id.
import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { allow, test } from './lib/concurrently.mjs';
import { at, missed } from './lib/cluster.mjs';
import { toolCall } from './lib/session.mjs';
import { debugState } from './lib/state.mjs';
import {
  ALONE, answerOf, asked, assertGone, assertMarks, counting, idOfMark, introduce, INTRODUCTION, listening, marksOn,
  NOTICE, pidAt, resumeAfter, startRecovering, touch,
} from './lib/store.mjs';
import { until, within } from './lib/until.mjs';

allow(6);

// A busy machine needs time to detect the loss and to start a server.
const SOON = 2 * NOTICE;
const URIS = ['test://one', 'test://two/ü?q=1#f'];
// Messages that a server receives before the first call.
const SUBSCRIBE = 'resources/subscribe';
const TOLD = ['initialize', 'notifications/initialized', 'logging/setLevel', SUBSCRIBE, SUBSCRIBE];
const told = (heard, pid) =>
  heard(pid).filter(({ method }) => TOLD.includes(method)).map(({ method, params }) => ({ method, params }));
const paramsOf = (entries, wanted) => entries.filter(({ method }) => method === wanted).map(({ params }) => params);
const starts = (heard) => heard().filter(({ method }) => method === 'start').length;

async function agreed(url) {
  const session = await introduce(url);
  await asked(session, 'logging/setLevel', { level: 'warning' });
  for (const uri of [...URIS, 'test://left']) await asked(session, 'resources/subscribe', { uri });
  await asked(session, 'resources/unsubscribe', { uri: 'test://left' });
  return session;
}

async function timed(t, what, limit, act) {
  const began = Date.now();
  const value = await act();
  const took = Date.now() - began;
  t.diagnostic(`${what}: ${took} ms`);
  assert.ok(took <= limit, `${what}: ${took} ms, allowed are ${limit}`);
  return value;
}

test('a session whose node is killed goes on at the next with what was agreed on, and at the one after', async (t) => {
  const { cluster, nodes, store, heard } = await startRecovering(t);
  const [one, two, three] = nodes;
  const session = await agreed(one.at(ALONE));
  const stream = await listening(two, session);
  const before = await pidAt(two, session);
  await assertMarks(two, session, stream, [], 1);
  await store.has('"mark":1');

  await one.kill();
  const second = await timed(t, 'the first call after the kill', SOON, () => pidAt(two, session));
  assert.notEqual(second, before);
  await stream.done;
  assert.deepEqual(told(heard, second).map(({ method }) => method), TOLD);
  assert.deepEqual(paramsOf(heard(second), 'initialize'), [INTRODUCTION]);
  assert.deepEqual(paramsOf(heard(second), 'initialize'), paramsOf(heard(before), 'initialize'));
  assert.deepEqual(paramsOf(heard(second), 'logging/setLevel'), [{ level: 'warning' }]);
  assert.deepEqual(paramsOf(heard(second), 'resources/subscribe'), URIS.map((uri) => ({ uri })));
  const again = await listening(two, session);
  assert.equal(await pidAt(three, session), second, 'the third node forwards');
  await assertMarks(three, session, again, [], 2);
  assert.deepEqual(await Promise.all([two, three].map(async (node) => (await debugState(node)).sessions)), [1, 0]);
  assert.equal(starts(heard), 2);

  await one.start();
  await until('the first, in a new life, forwards', async () => (await answerOf(one, session)).pid === second);
  await two.kill();
  const third = await timed(t, 'the first call after the second kill', SOON, () => pidAt(three, session));
  assert.ok(third !== second && third !== before);
  assert.deepEqual(told(heard, third), told(heard, second));
  assert.equal(await pidAt(one, session), third);
  assert.equal((await at(one, session).delete()).status, 200);
  await two.start();
  await cluster.whole();
  await assertGone(nodes, session);
});

test('the official client notices nothing but a pause, and hears each update once', async (t) => {
  const { nodes, store, heard } = await startRecovering(t);
  let place = nodes[1];
  const go = (url, init) => fetch(place.at(ALONE), init);
  const delays = { initialReconnectionDelay: 200, maxReconnectionDelay: 500, reconnectionDelayGrowFactor: 1 };
  const reconnectionOptions = { ...delays, maxRetries: 100 };
  const transport = new StreamableHTTPClientTransport(new URL(nodes[0].at(ALONE)), { fetch: go, reconnectionOptions });
  const client = new Client({ name: 'official', version: '1' }, { capabilities: { roots: {} } });
  const marks = [];
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void marks.push(params._meta.mark));
  place = nodes[0];
  await client.connect(transport);
  t.after(() => client.close());
  await client.setLoggingLevel('error');
  await client.subscribeResource({ uri: 'test://one' });
  const call = async (name, args) => (await client.callTool({ name, arguments: args })).content[0].text;
  const says = async (mark) => {
    assert.equal(await call('touch', { uri: 'test://one', mark }), 'true');
    await until(`update ${mark} comes`, () => marks.includes(mark));
  };
  const pids = new Set([await call('pid')]);
  place = nodes[1];
  await says(1);
  for (const [dies, mark] of [[0, 2], [1, 3]]) {
    await store.has(`"mark":${mark - 1}`);
    await nodes[dies].kill();
    // A call before this point would count as in flight.
    await missed(nodes[dies], nodes[dies + 1]);
    place = nodes[dies + 1];
    pids.add(await timed(t, `the official client after the kill of ${nodes[dies].name}`, SOON, () => call('pid')));
    await says(mark);
    assert.ok((await client.listTools()).tools.length > 0);
  }
  assert.deepEqual([pids.size, marks], [3, [1, 2, 3]]);
  for (const pid of pids) {
    const [hello] = paramsOf(heard(Number(pid)), 'initialize');
    assert.deepEqual([hello.clientInfo.name, hello.capabilities], ['official', { roots: {} }]);
    assert.deepEqual(paramsOf(heard(Number(pid)), 'logging/setLevel'), [{ level: 'error' }]);
  }
  await transport.terminateSession();
});

test('a listening stream resumes at another node with what it had not seen, in order, and goes on', async (t) => {
  const { nodes, store } = await startRecovering(t);
  const [one, two, three] = nodes;
  const session = await introduce(one.at(ALONE));
  await asked(session, 'resources/subscribe', { uri: 'test://one' });
  const stream = await listening(two, session);
  await touch(three, session, counting(1, 30));
  await until('all are seen', () => marksOn(stream).length === 30);
  await store.has('"mark":30');
  await one.kill();
  await stream.done;

  const resumed = await timed(t, 'resumed', SOON, () => listening(two, session, resumeAfter(idOfMark(stream, 12))));
  await missed(one, two, three);
  await until('what was missed is replayed', () => marksOn(resumed).length === 18);
  assert.deepEqual(marksOn(resumed), counting(13, 30));
  await assertMarks(three, session, resumed, counting(13, 30), 31);
  const idsOn = (reply) => counting(13, 30).map((mark) => idOfMark(reply, mark));
  assert.deepEqual(idsOn(resumed), idsOn(stream));
  const seen = new Set(stream.events.map(({ id }) => id));
  assert.ok(!seen.has(idOfMark(resumed, 31)), 'what is new has an id of its own');

  await store.has('"mark":31');
  await two.kill();
  await resumed.done;
  const last = await listening(three, session, resumeAfter(idOfMark(resumed, 28)));
  await assertMarks(three, session, last, [29, 30, 31], 32);
  const nothing = await listening(three, session, resumeAfter(idOfMark(last, 32)));
  await assertMarks(three, session, nothing, [], 33);
  await at(three, session).delete();
});

// The steps of a call that the client has seen.
const SEEN = 10;

test('a call in flight fails with -32603 when its stream resumes, after what was missed of it', async (t) => {
  const { nodes, store, heard } = await startRecovering(t);
  const [one, two, three] = nodes;
  const session = await introduce(one.at(ALONE));
  const steps = { message: 'x', steps: 10_000, ms: 20 };
  // A stream through the node that exits, one through another node, and one call without a stream yet.
  const direct = await session.post(toolCall('direct', 'echo', steps, 'd'));
  const through = await at(two, session).post(toolCall(17, 'echo', steps, 't'));
  const json = at(two, session).post(toolCall('json', 'never'));
  const progressOn = (reply) => reply.messages.map(({ params }) => params?.progress).filter(Boolean);
  const isAt = (progress) => ({ data }) => data && JSON.parse(data).params?.progress === progress;
  const idOf = (reply, progress) => reply.events.find(isAt(progress)).id;
  await until('both make progress', () => [direct, through].every((reply) => progressOn(reply).length > SEEN));
  await store.has(`"progress":${SEEN},`, 2);
  await until('the server has all', () => heard().filter(({ method }) => method === 'tools/call').length === 3);
  await one.kill();
  await Promise.all([direct.done, through.done]);
  const [error] = (await (await json).all()).slice(-1);
  assert.deepEqual([error.id, error.error?.code], ['json', -32603], JSON.stringify(error));
  assert.deepEqual([through.messages.at(-1).id, through.messages.at(-1).error?.code], [17, -32603], through.received);
  for (const [id, reply] of [['direct', direct], [17, through]])
    for (const node of [three, two]) {
      const resumed = await listening(node, session, resumeAfter(idOf(reply, 3)));
      const messages = await within('the stream ends', resumed.all());
      const { id: failed, error: why } = messages.at(-1);
      assert.deepEqual([failed, why?.code], [id, -32603], resumed.received);
      assert.equal(messages.filter((message) => 'error' in message || 'result' in message).length, 1);
      const progress = progressOn(resumed);
      assert.deepEqual(progress, counting(4, progress.length + 3), 'in order and once');
      assert.ok(progress.length + 3 >= SEEN, 'all that Redis had heard is there');
    }
  const second = await pidAt(two, session);
  const again = heard(second).filter(({ params }) => ['echo', 'never'].includes(params?.name));
  assert.deepEqual(again, [], 'no call is made twice');
  await at(two, session).delete();
});

test('an answer that nobody had read is there when the stream resumes', async (t) => {
  const { nodes, store } = await startRecovering(t);
  const [one, two] = nodes;
  const session = await introduce(one.at(ALONE));
  const reply = await session.post(toolCall('answered', 'echo', { message: 'well', steps: 3, ms: 50 }, 'p'));
  const first = await until('it begins', () => reply.events.find(({ id }) => id !== undefined));
  await reply.done;
  assert.equal(reply.messages.at(-1).result?.content[0].text, 'well');
  await until('it is kept', async () => /"text":"well"/.test(await store.dump()));
  await one.kill();
  const resumed = await listening(two, session, resumeAfter(first.id));
  const messages = await resumed.all();
  assert.deepEqual(messages, reply.messages.slice(-messages.length));
  assert.equal(messages.at(-1).result?.content[0].text, 'well', resumed.received);
  await at(two, session).delete();
});

for (const transport of ['with calls in flight', 'idle'])
  test(`a node that drains hands its sessions over at once, ${transport}`, async (t) => {
    const { nodes, heard } = await startRecovering(t, { heartbeat: 60, gateway: { grace: '2s' } });
    const [one, two, three] = nodes;
    const session = await introduce(one.at(ALONE));
    await asked(session, 'resources/subscribe', { uri: 'test://one' });
    const before = await pidAt(two, session);
    const stream = await listening(two, session);
    await touch(two, session, [1, 2]);
    await until('both are seen', () => marksOn(stream).length === 2);
    const never = transport === 'idle' ? undefined : at(two, session).post(toolCall('never', 'never'));
    if (never) await until('the server has the call', () => heard(before).some(({ params }) => params?.name === 'never'));
    const exited = one.gateway.signal('SIGTERM');
    const began = Date.now();
    let moved;
    let longest = 0;
    const answers = [];
    while (!moved && Date.now() - began < 30_000) {
      const answer = await answerOf(answers.length % 2 ? two : three, session);
      answers.push(answer);
      longest = Math.max(longest, answer.took);
      if (answer.pid && answer.pid !== before) moved = answer.pid;
    }
    const others = answers.filter(({ pid }) => !pid);
    t.diagnostic(`moved after ${Date.now() - began} ms; ${answers.length} calls took at most ${longest} ms`);
    t.diagnostic(`not answered: ${JSON.stringify(others)}`);
    assert.ok(moved, 'it was taken over');
    assert.ok(Date.now() - began < 30_000, 'without waiting for the lease of a minute');
    assert.deepEqual(others.filter(({ status, code }) => !(status === 503 || code === -32603)), []);
    if (never) assert.equal((await (await never).all()).at(-1).error?.code, -32603);
    assert.equal(await exited, 0, one.told(''));
    await stream.done;
    for (const node of [two, three]) assert.equal(await pidAt(node, session), moved);
    const resumed = await listening(two, session, resumeAfter(idOfMark(stream, 1)));
    await assertMarks(three, session, resumed, [2], 3);
    await at(two, session).delete();
  });

test('nothing is restored of a server without recovery, nor of several of which one has none', async (t) => {
  const { nodes, store, heard } = await startRecovering(t, { servers: { kept: {}, plain: { recovery: 'none' } } });
  const [one, ...left] = nodes;
  const open = (path) => introduce(one.at(path));
  const [kept, plain, merged] = await Promise.all(['/servers/kept/mcp', '/servers/plain/mcp', '/mcp'].map(open));
  await store.keeps(1);
  assert.equal((await store.keys('troupe:s:*')).length, 1, 'only one is kept');
  await one.kill();
  await missed(one, ...left);
  assert.ok(await pidAt(left[0], kept));
  const before = starts(heard);
  await assertGone(left, plain);
  await assertGone(left, merged);
  assert.equal(starts(heard), before, 'and no server is started');
  await at(left[0], kept).delete();
});

test('a session of several servers as one is restored with all of them', async (t) => {
  const { nodes, store, heard } = await startRecovering(t, { servers: { a: {}, b: {} } });
  const [one, two, three] = nodes;
  const session = await introduce(one.url);
  await asked(session, 'tools/list', {});
  await asked(session, 'logging/setLevel', { level: 'error' });
  for (const server of ['a', 'b']) await asked(session, SUBSCRIBE, { uri: `troupe://${server}/test://one` });
  const pids = (node) => Promise.all(['a__pid', 'b__pid'].map((name) => pidAt(node, session, name)));
  const before = await pids(two);
  await store.has('test://one', 2);
  await one.kill();
  const after = await pids(two);
  assert.ok(new Set([...before, ...after]).size === 4, JSON.stringify([before, after]));
  for (const pid of after) {
    await until('it is told all', () => told(heard, pid).length === 4);
    assert.deepEqual(paramsOf(heard(pid), 'resources/subscribe'), [{ uri: 'test://one' }]);
    const levels = (of) => paramsOf(heard(of), 'logging/setLevel');
    assert.deepEqual(levels(pid), levels(before[after.indexOf(pid)]));
  }
  const stream = await listening(three, session);
  for (const mark of ['a', 'b']) await at(two, session).call(mark, `${mark}__touch`, { uri: 'test://one', mark });
  await until('both updates come', () => marksOn(stream).length === 2);
  assert.deepEqual(marksOn(stream), ['a', 'b']);
  await at(two, session).delete();
});
