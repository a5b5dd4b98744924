// Streams of one session at several nodes: their contents, and where a client resumes after a break.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { suite, test } from './lib/concurrently.mjs';
import { at, lasting, startCluster } from './lib/cluster.mjs';
import { fixture } from './lib/gateway.mjs';
import { unreadStream } from './lib/hostile-client.mjs';
import { peakMemory } from './lib/processes.mjs';
import { LATEST, openSession, postBytes, toolCall } from './lib/session.mjs';
import { debugState, MIB } from './lib/state.mjs';
import { until } from './lib/until.mjs';

// The line limit of a server's output.
const LINE_LIMIT = 10 * MIB;
const SAMPLING = { sampling: {}, elicitation: {} };
// A relayed stream buffers as much as a connection, on either node.
const READER_BOUND = 64 * MIB;

const withData = (reply) => reply.events.filter(({ data }) => data);
const lastId = (reply) => reply.events.findLast(({ id }) => id !== undefined)?.id;
const progressOn = (reply) => reply.messages.filter(({ params }) => params).map(({ params }) => params.progress);
const urisOn = (reply) => reply.messages.filter(({ params }) => params?.uri).map(({ params }) => params.uri);
const counting = (length) => Array.from({ length }, (_, index) => index + 1);
const eventsOn = (reply, least) => until(`${least} events have come`, () => withData(reply).length >= least);
const textOf = ({ result }) => result?.content[0].text;
const flood = (session, args, id = 1) => session.post(toolCall(id, 'flood', { kind: 'progress', ...args }, 'mine'));
const floodLater = (session, args, id = 'later') => session.call(id, 'flood_later', { kind: 'updated', ...args });

suite('a session', () => {
  let cluster;
  let one;
  let two;
  let three;
  const t = lasting();
  before(async () => {
    cluster = await startCluster(t, { command: fixture('hostile') });
    [one, two, three] = cluster.nodes;
  });
  after(() => t.end());

  const everywhere = (session) => cluster.nodes.map((node) => at(node, session));

  test('is told on a stream at one node what a call at another caused, once and in order', async () => {
    const session = await openSession(one.url);
    const streams = [];
    for (const there of [at(two, session), at(three, session), session]) streams.push(await there.listen());
    for (const there of everywhere(session)) {
      const before = streams.flatMap(urisOn).length;
      await floodLater(there, { count: 20 });
      await until('all is told', () => streams.flatMap(urisOn).length >= before + 20);
    }
    const expected = [1, 2, 3].flatMap(() => counting(20).map((n) => `test://resource/${n}`));
    assert.deepEqual(streams.map(urisOn), [expected, [], []]);
    await session.delete();
    await Promise.all(streams.map(({ done }) => done));
  });

  test('has its stream taken over by a waiting one at another node when the first breaks', async () => {
    const session = await openSession(one.url);
    const first = await at(two, session).listen();
    const second = await at(three, session).listen();
    await floodLater(session, { count: 3 });
    await until('the first is told', () => urisOn(first).length === 3);
    first.destroy();
    await until('the second takes over', async () => {
      const { primary, shadow } = (await debugState(one)).streams;
      return primary === 1 && shadow === 0;
    });
    await floodLater(session, { count: 2 });
    await until('the second is told', () => urisOn(second).length === 2);
    await session.delete();
  });

  test('streams an answer through another node as it comes', async () => {
    const session = await openSession(one.url);
    const reply = await flood(at(two, session), { count: 5, every_ms: 1_200 });
    await eventsOn(reply, 1);
    assert.ok(reply.isStream && !reply.ended && progressOn(reply).length < 5);
    await reply.done;
    assert.deepEqual(progressOn(reply), counting(5));
    assert.equal(textOf(reply.messages.at(-1)), 'flooded');
    await session.delete();
  });

  test('goes on at another node where the stream of a call broke at the first', async () => {
    const session = await openSession(one.url);
    const order = [two, three, one, two];
    let part = await flood(at(three, session), { count: 60, every_ms: 100 });
    const got = [];
    for (const node of order) {
      // On a busy machine the answer may arrive before all streams had their turn.
      const isOver = () => part.messages.some(({ id }) => id === 1);
      await until('events have come', () => isOver() || withData(part).length >= 3);
      if (isOver()) break;
      part.destroy();
      await part.done;
      got.push(...progressOn(part));
      part = await at(node, session).listen({ 'last-event-id': lastId(part) });
      assert.equal(part.status, 200);
    }
    await part.done;
    assert.deepEqual([...got, ...progressOn(part)], counting(60));
    assert.equal(part.messages.at(-1).id, 1);
    await session.delete();
  });

  test('goes on at another node where a listening stream broke at the first', async () => {
    const session = await openSession(one.url);
    const broken = await at(two, session).listen();
    await floodLater(session, { count: 40, every_ms: 10 });
    await eventsOn(broken, 5);
    broken.destroy();
    await broken.done;
    const resumed = await at(three, session).listen({ 'last-event-id': lastId(broken) });
    await until('all is told', () => urisOn(broken).length + urisOn(resumed).length >= 40);
    const expected = counting(40).map((n) => `test://resource/${n}`);
    assert.deepEqual([...urisOn(broken), ...urisOn(resumed)], expected);
    await session.delete();
  });

  test('is asked on a listening stream at another node, and answers at a third', async () => {
    const session = await openSession(one.url, LATEST, SAMPLING);
    const stream = await at(two, session).listen();
    await at(three, session).call(1, 'ask_later', { method: 'elicitation/create' });
    const { id } = await stream.message('the question', ({ method }) => method === 'elicitation/create');
    await at(three, session).post({ jsonrpc: '2.0', id, result: { action: 'decline' } });
    await until('it is heard', async () => /decline/.test(textOf(await session.call(2, 'answers'))));
    await session.delete();
  });

  for (const bytes of [LINE_LIMIT - 1_000, LINE_LIMIT - 100])
    test(`gives an answer with a text of ${bytes} bytes back through another node, on a stream`, async () => {
      const session = await openSession(one.url);
      const stream = await at(two, session).post(toolCall(3, 'big', { bytes }, 'mine'));
      await stream.done;
      await session.delete();
      assert.ok(stream.isStream);
      const answer = stream.messages.at(-1);
      assert.deepEqual([answer.id, textOf(answer)?.length], [3, bytes], `received ${stream.received.length} bytes`);
    });

  test('whose listener left at another node has a listening stream no more', async () => {
    const session = await openSession(one.url);
    const stream = await at(two, session).listen();
    await until('it listens', async () => (await debugState(one)).streams.primary === 1);
    const left = Date.now();
    stream.destroy();
    await until('the owner noticed', async () => {
      const { streams, cluster: counts } = await debugState(one);
      return streams.primary === 0 && counts.relayed_here === 0;
    });
    assert.ok(Date.now() - left < 14_000, `it took ${Date.now() - left} ms`);
    await session.delete();
  });

  test('with a client that does not read a flood through another node costs no node much memory', async (t) => {
    const session = await openSession(one.url);
    const there = at(two, session);
    const call = toolCall(1, 'flood', { kind: 'progress', count: 6_000, bytes: 50_000 }, 'mine');
    const grown = await peakMemory(one.pid, () =>
      peakMemory(two.pid, async () => {
        const lazy = await unreadStream(two.port, postBytes(there.url, call, there.headers));
        await until('the flood is over', async () => (await debugState(one)).calls === 0, 60_000);
        return lazy;
      }),
    );
    const bytes = { owner: grown.bytes, other: grown.value.bytes };
    t.diagnostic(`300 MB of which nothing was read: ${JSON.stringify(bytes)}`);
    assert.ok(bytes.owner < READER_BOUND && bytes.other < READER_BOUND, JSON.stringify(bytes));
    assert.equal((await at(three, session).ping()).status, 200);
    grown.value.value.socket.destroy();
    await session.delete();
    await until('nothing is relayed', async () => (await cluster.state()).cluster.relayed_here === 0);
  });

  test('with a client that reads a flood slowly through another node gets all of it', async () => {
    const session = await openSession(one.url);
    const reply = await flood(at(two, session), { count: 400, bytes: 50_000 });
    const slow = setInterval(() => (reply.socket.isPaused() ? reply.socket.resume() : reply.socket.pause()), 10);
    let got = [];
    let part = reply;
    try {
      await reply.done;
      got = progressOn(reply);
      while (!part.messages.some(({ id }) => id === 1)) {
        part = await at(three, session).listen({ 'last-event-id': lastId(part) });
        assert.equal(part.status, 200);
        await part.done;
        got.push(...progressOn(part));
      }
    } finally {
      clearInterval(slow);
    }
    // 8 MiB are kept for resumption, so what is missing is one contiguous range.
    assert.deepEqual(got, got.toSorted((a, b) => a - b));
    assert.equal(new Set(got).size, got.length);
    assert.equal(got.at(-1), 400);
    await session.delete();
  });

  test('gets every event of a long stream through another node', async () => {
    const session = await openSession(one.url);
    const reply = await flood(at(two, session), { count: 5_000, bytes: 2_000 });
    await reply.done;
    assert.deepEqual(progressOn(reply), counting(5_000));
    assert.equal(textOf(reply.messages.at(-1)), 'flooded');
    await session.delete();
  });
});
