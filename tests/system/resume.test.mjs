import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { suite, test } from './lib/concurrently.mjs';
import { fixture, gatewayFor, startGateway } from './lib/gateway.mjs';
import { long } from './lib/long.mjs';
import { random, SEED } from './lib/random.mjs';
import { DEBUG, debugState, MIB } from './lib/state.mjs';
import { LATEST, openSession, toolCall } from './lib/session.mjs';
import { until } from './lib/until.mjs';

const OLDER = ['2025-03-26', '2025-06-18'];
const STORED_EVENTS = 1_000;
const STORED_BYTES = 8 * MIB;

const withData = (reply) => reply.events.filter(({ data }) => data);
const lastId = (reply) => reply.events.findLast(({ id }) => id !== undefined)?.id;
const lastStep = (reply) => reply.events.findLast(({ data }) => data?.includes('notifications/progress')).id;
const streamOf = (id) => id.slice(0, id.lastIndexOf('-'));
const placeOf = (id) => Number(id.slice(id.lastIndexOf('-') + 1));
const progressOn = (reply) => reply.messages.filter(({ params }) => params).map(({ params }) => params.progress);
const urisOn = (reply) => reply.messages.filter(({ params }) => params?.uri).map(({ params }) => params.uri);
const counting = (length) => Array.from({ length }, (_, index) => index + 1);
const isEmpty = (reply) => withData(reply).length === 0;
const idle = (gateway) => until('the call is over', async () => (await debugState(gateway)).calls === 0);
const resume = (session, id) => session.listen({ 'last-event-id': id });

async function resumeToEnd(session, id) {
  const reply = await resume(session, id);
  await reply.done;
  return reply;
}

const flood = (session, args, id = 1) => session.post(toolCall(id, 'flood', { kind: 'progress', ...args }, 'mine'));
const floodLater = (session, args, id = 'later') => session.call(id, 'flood_later', { kind: 'updated', ...args });

const eventsOn = (reply, least) =>
  until(`${least} events have come`, () => withData(reply).length >= least && withData(reply));

// On a busy machine all events may have arrived, including the answer. It is requested again after the last step.
async function cutCall(session, args, after = 2) {
  const reply = await flood(session, args);
  await eventsOn(reply, after);
  reply.destroy();
  await reply.done;
  return reply;
}

// A finished stream is replayed at most twice in ten seconds. These tests mostly wait, so they come first.
suite('a stream that is over', { concurrency: 2 }, () => {
  let gateway;
  before(async () => (gateway = await startGateway(fixture('hostile'), DEBUG)));
  after(() => gateway.stop());

  test('that has nothing left to tell is a 200 that ends', async () => {
    const session = await openSession(gateway.url);
    const whole = await flood(session, { count: 3 });
    await whole.done;
    for (let time = 0; time < 5; ++time) {
      const resumed = await resumeToEnd(session, lastId(whole));
      assert.equal(resumed.status, 200);
      assert.ok(isEmpty(resumed), resumed.received);
    }
  });

  test('still tells the rest with the answer, as often as it is asked', async () => {
    const session = await openSession(gateway.url);
    const broken = await cutCall(session, { count: 100, every_ms: 5 });
    await idle(gateway);
    for (let time = 0; time < 3; ++time) {
      const resumed = await resumeToEnd(session, lastStep(broken));
      assert.equal(resumed.status, 200);
      assert.deepEqual([...progressOn(broken), ...progressOn(resumed)], counting(100));
      assert.equal(resumed.messages.at(-1).id, 1);
    }
  });
});

suite('events', () => {
  let gateway;
  before(async () => (gateway = await startGateway(fixture('hostile'))));
  after(() => gateway.stop());

  test('have ids that name their stream and are never the same in a session', async () => {
    const session = await openSession(gateway.url);
    const listening = await session.listen();
    const calls = await Promise.all([1, 2].map((id) => flood(session, { count: 5, every_ms: 5 }, id)));
    await Promise.all(calls.map(({ done }) => done));
    await floodLater(session, { count: 5 });
    await eventsOn(listening, 5);
    const streams = [listening, ...calls].map((reply) => withData(reply).map(({ id }) => id));
    const ids = streams.flat();
    assert.ok(ids.every((id) => /^[\x21-\x7e]+-\d+-\d+$/.test(id)), ids.join(' '));
    assert.equal(new Set(ids).size, ids.length);
    assert.ok(streams.every((on) => new Set(on.map(streamOf)).size === 1));
    assert.equal(new Set(streams.map(([id]) => streamOf(id))).size, 3);
    for (const on of streams) assert.deepEqual(on.map(placeOf), on.map(placeOf).toSorted((a, b) => a - b));
  });

  test('begin with one that has no data and tells when to come back, for clients that know of it', async () => {
    const session = await openSession(gateway.url, LATEST);
    const call = await flood(session, { count: 2 });
    const listening = await session.listen();
    await call.done;
    await until('the listening stream is primed', () => listening.events.length > 0);
    for (const [first] of [call.events, listening.events]) {
      assert.deepEqual([first.data ?? '', first.retry], ['', '3000']);
      assert.match(first.id, /-0$/);
    }
    assert.ok(call.events.slice(1).every(({ data }) => data));
  });

  test('without data are not sent to older clients, who would choke on them', async () => {
    for (const version of OLDER) {
      const session = await openSession(gateway.url, version);
      const call = await flood(session, { count: 3, every_ms: 5 });
      const first = (await eventsOn(call, 1))[0].id;
      await call.done;
      const listening = await session.listen();
      await floodLater(session, { count: 1 });
      await eventsOn(listening, 1);
      const again = await resumeToEnd(session, first);
      for (const { events } of [call, listening, again]) assert.ok(events.length && events.every(({ data }) => data));
      assert.deepEqual(progressOn(again), [2, 3]);
    }
  });
});

suite('a stream that broke', () => {
  let gateway;
  before(async () => (gateway = await startGateway(fixture('hostile'), DEBUG)));
  after(() => gateway.stop());

  test('of a call goes on with a GET where it broke, to its answer, and ends', async () => {
    const session = await openSession(gateway.url);
    const broken = await cutCall(session, { count: 40, every_ms: 10 });
    const resumed = await resume(session, lastStep(broken));
    assert.equal(resumed.status, 200);
    assert.ok(resumed.isStream);
    await resumed.done;
    assert.deepEqual([...progressOn(broken), ...progressOn(resumed)], counting(40));
    assert.equal(resumed.messages.at(-1).id, 1);
    assert.equal(new Set([...withData(broken), ...withData(resumed)].map(({ id }) => streamOf(id))).size, 1);
  });

  test('of a GET goes on where it broke, and lives', async () => {
    const session = await openSession(gateway.url);
    const broken = await session.listen();
    await floodLater(session, { count: 50, every_ms: 10 });
    await eventsOn(broken, 5);
    broken.destroy();
    await broken.done;
    const resumed = await resume(session, lastId(broken));
    const expected = counting(50).map((n) => `test://resource/${n}`);
    await until('all is told', () => urisOn(broken).length + urisOn(resumed).length >= 50);
    assert.deepEqual([...urisOn(broken), ...urisOn(resumed)], expected);
    assert.ok(!resumed.ended);
    assert.equal(new Set([...withData(broken), ...withData(resumed)].map(({ id }) => streamOf(id))).size, 1);
  });

  test('may break again and again', async () => {
    const session = await openSession(gateway.url);
    let part = await cutCall(session, { count: 300, every_ms: 10 });
    const got = progressOn(part);
    // A slow machine may deliver the rest at once.
    const isWhole = () => part.messages.some(({ id }) => id === 1);
    for (let round = 0; round < 5 && !isWhole(); ++round) {
      part = await resume(session, lastId(part));
      await until('it goes on', () => withData(part).length >= 2 || isWhole());
      part.destroy();
      await part.done;
      got.push(...progressOn(part));
    }
    if (!isWhole()) {
      part = await resumeToEnd(session, lastId(part));
      got.push(...progressOn(part));
    }
    assert.deepEqual(got, counting(300));
    assert.equal(part.messages.at(-1).id, 1);
  });

  test('begins with a fresh event that has no data when it is resumed', async () => {
    const session = await openSession(gateway.url);
    const broken = await cutCall(session, { count: 10, every_ms: 10 });
    const [first] = (await resumeToEnd(session, lastStep(broken))).events;
    assert.deepEqual([first.data ?? '', first.retry, first.id], ['', '3000', lastStep(broken)]);
  });

  test('before anything but its first event is resumed from there', async () => {
    const session = await openSession(gateway.url);
    const call = await flood(session, { count: 5, every_ms: 20 });
    await until('it is primed', () => call.events.length > 0);
    call.destroy();
    const resumed = await resumeToEnd(session, call.events[0].id);
    assert.deepEqual(progressOn(resumed), counting(5));
  });

  test('is resumed without what belongs to other streams', async () => {
    const session = await openSession(gateway.url);
    const listening = await session.listen();
    await floodLater(session, { count: 3 });
    await eventsOn(listening, 3);
    const broken = await cutCall(session, { count: 10, every_ms: 5 });
    const other = await flood(session, { count: 10, every_ms: 5 }, 'other');
    await other.done;
    const resumed = await resumeToEnd(session, broken.events[0].id);
    assert.deepEqual(resumed.messages.filter(({ id }) => id !== undefined).map(({ id }) => id), [1]);
    assert.deepEqual([urisOn(resumed), urisOn(listening).length], [[], 3]);
  });

  test('does not cancel its call', async () => {
    const session = await openSession(gateway.url);
    await cutCall(session, { count: 20, every_ms: 5 });
    await idle(gateway);
    assert.equal((await session.call(2, 'cancelled')).result.content[0].text, '[]');
  });

  test('asks the client again what it had asked on it', async () => {
    const session = await openSession(gateway.url, LATEST, { sampling: {} });
    const call = await session.post(toolCall(1, 'ask', { method: 'sampling/createMessage' }));
    const asked = await call.message('the question', ({ method }) => method === 'sampling/createMessage');
    const [primer] = call.events;
    call.destroy();
    const resumed = await resume(session, primer.id);
    const again = await resumed.message('the question again', ({ method }) => method === 'sampling/createMessage');
    assert.equal(again.id, asked.id);
    assert.equal((await session.post({ jsonrpc: '2.0', id: again.id, result: { text: 'thing' } })).status, 202);
    await resumed.done;
    assert.match(resumed.messages.at(-1).result.content[0].text, /thing/);
  });
});

suite('an event id', () => {
  let gateway;
  before(async () => (gateway = await startGateway(fixture('hostile'))));
  after(() => gateway.stop());

  test('that is none is refused: 400', async () => {
    const session = await openSession(gateway.url);
    const call = await flood(session, { count: 2 });
    await call.done;
    const id = lastId(call);
    const stream = streamOf(id);
    const tag = streamOf(stream);
    const wrong = ['0', '0-1', '-', '--', 'nonsense', tag, `${tag}-`, stream, `${stream}-`, `${stream}-x`];
    wrong.push(`${stream}--1`, `${id}0000`, `${id}-0`, ` ${id} x`, `${stream}-99999999999999999999999`);
    wrong.push(`${tag}-999999-1`);
    wrong.push(`${tag.slice(0, -1)}-1-1`, `x${id}`, 'x'.repeat(10_000), `${tag}-0x1-1`, `${tag}-1.5-1`);
    for (const text of wrong) {
      const reply = await resume(session, text);
      assert.equal(reply.status, 400, text.slice(0, 80));
      assert.equal((await reply.all())[0].error.code, -32600);
    }
    assert.equal((await session.ping()).status, 200);
  });

  test('of another session is refused, and nothing of it is told: 400', async () => {
    const [mine, other] = await Promise.all([openSession(gateway.url), openSession(gateway.url)]);
    const broken = await cutCall(other, { count: 20, every_ms: 5 });
    await (await flood(mine, { count: 20 })).done;
    const reply = await resume(mine, lastId(broken));
    assert.equal(reply.status, 400);
    await reply.done;
    assert.ok(!reply.received.includes('progress'));
    const resumed = await resumeToEnd(other, lastId(broken));
    assert.deepEqual([...progressOn(broken), ...progressOn(resumed)], counting(20));
  });

  test('of a session that is gone is a 404', async () => {
    const session = await openSession(gateway.url);
    const call = await flood(session, { count: 2 });
    await call.done;
    await session.delete();
    assert.equal((await resume(session, lastId(call))).status, 404);
  });
});

suite('what is kept for a client', () => {
  let gateway;
  before(async () => (gateway = await startGateway(fixture('hostile'), DEBUG)));
  after(() => gateway.stop());

  test('is limited in number, but the answer is there', async () => {
    const session = await openSession(gateway.url);
    const broken = await cutCall(session, { count: 3_000 });
    await idle(gateway);
    const { stored } = await debugState(gateway);
    assert.ok(stored.events <= STORED_EVENTS, JSON.stringify(stored));
    const resumed = await resumeToEnd(session, broken.events[0].id);
    const told = progressOn(resumed);
    assert.ok(told.length >= STORED_EVENTS / 2 && told.length <= STORED_EVENTS, String(told.length));
    assert.deepEqual(told, counting(3_000).slice(-told.length), 'the newest, in order');
    assert.equal(resumed.messages.at(-1).id, 1);
    await session.delete();
  });

  test('is limited in size, but the answer is there', async () => {
    const session = await openSession(gateway.url);
    const broken = await cutCall(session, { count: 400, bytes: 100_000 });
    await idle(gateway);
    const { stored } = await debugState(gateway);
    assert.ok(stored.bytes <= STORED_BYTES && stored.bytes > STORED_BYTES / 2, JSON.stringify(stored));
    const resumed = await resumeToEnd(session, lastStep(broken));
    assert.equal(resumed.messages.at(-1).id, 1);
    await session.delete();
  });

  test('is not driven out by notifications when it is an answer', async () => {
    const session = await openSession(gateway.url);
    const first = await cutCall(session, { count: 20, every_ms: 5 });
    await idle(gateway);
    const second = await flood(session, { count: 5_000 }, 2);
    await second.done;
    const resumed = await resumeToEnd(session, first.events[0].id);
    assert.equal(resumed.messages.at(-1)?.id, 1);
    await session.delete();
  });

  test('goes with the session', async () => {
    const session = await openSession(gateway.url);
    await cutCall(session, { count: 100 });
    assert.ok((await debugState(gateway)).stored.events > 0);
    await session.delete();
    await until('nothing is kept', async () => {
      const { stored, streams } = await debugState(gateway);
      return stored.events === 0 && stored.bytes === 0 && streams.detached === 0;
    });
  });

  test('goes a minute after the stream is finished', { skip: long('it waits a minute') }, async () => {
    const session = await openSession(gateway.url);
    const broken = await cutCall(session, { count: 20 });
    await idle(gateway);
    const began = Date.now();
    await until('nothing is kept', async () => (await debugState(gateway)).stored.events === 0, 70_000);
    assert.ok(Date.now() - began > 50_000);
    const resumed = await resumeToEnd(session, lastId(broken));
    assert.equal(resumed.status, 200);
    assert.ok(isEmpty(resumed));
  });
});

// -- replay and live events without loss or repetition -------------------------------------------------------------

// Fewer events than are kept, however long the break is.
const MANY = 900;

test(`a call of ${MANY} events is whole after many random breaks (seed ${SEED})`, async (t) => {
  const gateway = await gatewayFor(t, fixture('hostile'));
  const chance = random();
  const session = await openSession(gateway.url);
  let part = await flood(session, { count: MANY, every_ms: 10 });
  const got = [];
  let breaks = 0;
  for (;;) {
    const enough = chance.between(1, 60);
    await until('it goes on', () => part.ended || part.events.length > enough);
    const done = part.ended;
    part.destroy();
    await part.done;
    got.push(...part.events);
    if (done) break;
    ++breaks;
    part = await resume(session, got.findLast(({ id }) => id).id);
    assert.equal(part.status, 200);
  }
  const messages = got.filter(({ data }) => data);
  assert.deepEqual(messages.slice(0, -1).map(({ data }) => JSON.parse(data).params.progress), counting(MANY));
  assert.equal(JSON.parse(messages.at(-1).data).id, 1);
  assert.equal(new Set(messages.map(({ id }) => id)).size, messages.length);
  assert.ok(breaks >= 5, `${breaks} breaks`);
});

// Without a listener, fewer messages are kept than for a call.
const [ROUNDS, PIECE] = [16, 50];

test(`a listening stream of ${ROUNDS * PIECE} events is whole after many random breaks (seed ${SEED})`, async (t) => {
  const gateway = await gatewayFor(t, fixture('hostile'));
  const chance = random();
  const session = await openSession(gateway.url);
  let part = await session.listen();
  const got = [];
  for (let round = 1; round <= ROUNDS; ++round) {
    await floodLater(session, { count: PIECE, every_ms: 2 }, round);
    const expected = round * PIECE;
    const isAllTold = () => got.length + withData(part).length >= expected;
    for (let isOver = false; !isOver; ) {
      const enough = chance.between(1, PIECE);
      await until('it goes on', () => withData(part).length >= enough || isAllTold());
      isOver = isAllTold();
      part.destroy();
      await part.done;
      got.push(...withData(part));
      part = await resume(session, lastId(part) ?? got.at(-1).id);
      assert.equal(part.status, 200);
    }
  }
  const uris = got.map(({ data }) => JSON.parse(data).params.uri);
  const piece = counting(PIECE).map((n) => `test://resource/${n}`);
  assert.deepEqual(uris, Array.from({ length: ROUNDS }, () => piece).flat());
});
