// Connections that compete for a stream, and streams that close for polling.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { suite, test } from './lib/concurrently.mjs';
import { fixture, gatewayFor } from './lib/gateway.mjs';
import { LONG } from './lib/long.mjs';
import { LATEST, openSession, toolCall } from './lib/session.mjs';
import { DEBUG, debugState } from './lib/state.mjs';
import { until } from './lib/until.mjs';

const LEAPS = LONG ? 60 : 10;
const LIMIT = 6_000 * LEAPS;
// The steps of a call that still runs when a busy machine resumes it.
const MANY = 150;
const EVERY = 80;

const lastId = (reply) => reply.events.findLast(({ id }) => id !== undefined).id;
const progressOn = (reply) => reply.messages.filter(({ params }) => params).map(({ params }) => params.progress);
const counting = (length) => Array.from({ length }, (_, index) => index + 1);
const urisOn = (reply) => reply.messages.filter(({ params }) => params?.uri).map(({ params }) => params.uri);
const numbersOn = (reply) => urisOn(reply).map((uri) => Number(uri.split('/').at(-1)));
const streamsOf = async (gateway) => (await debugState(gateway)).streams;
const isSilent = ({ messages }) => messages.length === 0;

const flood = (session, args) => session.post(toolCall(1, 'flood', { kind: 'progress', ...args }, 'mine'));
const floodLater = (session, args, id) => session.call(id, 'flood_later', { kind: 'updated', ...args });
const eventsOn = (reply, least) => until(`${least} messages have come`, () => reply.messages.length >= least);
const resume = (session, id) => session.listen({ 'last-event-id': id });

test('a call whose connection hangs is taken over by who resumes it, and the old connection is ended', async (t) => {
  const gateway = await gatewayFor(t, fixture('hostile'));
  const session = await openSession(gateway.url);
  const hanging = await flood(session, { count: MANY, every_ms: EVERY });
  await eventsOn(hanging, 3);
  const from = lastId(hanging);
  const place = hanging.messages.length;
  const resumed = await resume(session, from);
  assert.equal(resumed.status, 200);
  await until('the old connection is ended', () => hanging.ended);
  await resumed.done;
  assert.ok(!hanging.messages.some(({ id }) => id === 1));
  assert.equal(resumed.messages.at(-1).id, 1);
  const replayed = progressOn(resumed);
  assert.equal(replayed.at(-1), MANY);
  assert.deepEqual(replayed, counting(MANY).slice(-replayed.length));
  assert.ok(MANY - replayed.length >= place && progressOn(hanging).at(-1) >= MANY - replayed.length);
});

test('a listening stream that hangs is taken over by who resumes it', async (t) => {
  const gateway = await gatewayFor(t, fixture('hostile'), DEBUG);
  const session = await openSession(gateway.url);
  const hanging = await session.listen();
  await floodLater(session, { count: 3 }, 1);
  await eventsOn(hanging, 3);
  const resumed = await resume(session, lastId(hanging));
  await until('the old connection is ended', () => hanging.ended);
  await floodLater(session, { count: 3 }, 2);
  await eventsOn(resumed, 3);
  assert.deepEqual([urisOn(resumed).length, urisOn(hanging).length], [3, 3]);
  assert.deepEqual(await streamsOf(gateway), { primary: 1, shadow: 0, call: 0, detached: 0 });
});

test('of connections that take a stream from each other the third must wait, silent and alive', async (t) => {
  const gateway = await gatewayFor(t, fixture('hostile'));
  const session = await openSession(gateway.url);
  const first = await session.listen();
  await floodLater(session, { count: 3 }, 1);
  await eventsOn(first, 3);
  const from = lastId(first);
  const second = await resume(session, from);
  const third = await resume(session, from);
  await until('two were ended', () => first.ended && second.ended);
  const contested = await resume(session, from);
  assert.equal(contested.status, 200);
  assert.ok(contested.isStream);
  await floodLater(session, { count: 3 }, 2);
  await eventsOn(third, 3);
  assert.ok(isSilent(contested), contested.received);
  assert.ok(!third.ended && !contested.ended);
});

test('who had to wait for a stream gets it when the one who had it goes', async (t) => {
  const gateway = await gatewayFor(t, fixture('hostile'));
  const session = await openSession(gateway.url);
  const first = await flood(session, { count: MANY, every_ms: EVERY });
  await eventsOn(first, 2);
  const from = lastId(first);
  const taken = progressOn(first).at(-1);
  await resume(session, from);
  const third = await resume(session, from);
  const waiting = await resume(session, from);
  assert.ok(isSilent(waiting));
  third.destroy();
  await waiting.message('the answer', ({ id }) => id === 1);
  assert.deepEqual(progressOn(waiting), counting(MANY).slice(-progressOn(waiting).length));
  assert.ok(MANY - progressOn(waiting).length <= taken + 1, 'nothing is lost');
});

test('a call that connections take from each other is still answered', async (t) => {
  const gateway = await gatewayFor(t, fixture('hostile'));
  const session = await openSession(gateway.url);
  const first = await flood(session, { count: 60, every_ms: 10 });
  await eventsOn(first, 2);
  const from = lastId(first);
  const others = [];
  for (let round = 0; round < 8; ++round) others.push(await resume(session, from));
  const answered = () => [first, ...others].filter(({ messages }) => messages.some(({ id }) => id === 1));
  await until('the answer comes', () => answered().length > 0);
  assert.equal((await session.ping()).status, 200);
  for (const { messages } of answered()) assert.equal(messages.filter(({ id }) => id === 1).length, 1);
  assert.equal(progressOn(answered()[0]).at(-1), 60);
});

// Repeats an action every second; returns a function that stops it.
function everySecond(t, leap) {
  let isOver = false;
  const leapAll = async () => {
    for (await pause(1_000); !isOver; await pause(1_000)) await leap();
  };
  const all = leapAll();
  const stop = () => {
    isOver = true;
    return all;
  };
  t.after(stop);
  return stop;
}

suite('as time goes by', { concurrency: true }, () => {
  test(`a client that opens a new stream every second for ${LEAPS} seconds hears all, once`, async (t) => {
    const gateway = await gatewayFor(t, fixture('hostile'), DEBUG);
    const session = await openSession(gateway.url);
    const streams = [];
    const total = LEAPS * 20;
    const leap = async () => streams.push(await session.listen());
    await leap();
    await floodLater(session, { count: total, every_ms: 45 }, 1);
    const heard = () => streams.flatMap(urisOn);
    const stop = everySecond(t, leap);
    await until('all is told', () => heard().length >= total, LIMIT);
    await stop();
    assert.deepEqual(heard(), counting(total).map((n) => `test://resource/${n}`));
    const { primary, shadow } = await streamsOf(gateway);
    assert.equal(primary, 1);
    assert.ok(shadow <= 8, String(shadow));
    assert.ok(streams.every(({ status }) => status === 200));
    assert.equal(streams.filter((stream) => !isSilent(stream)).length, 1, 'the first one alone');
  });

  test(`two clients that leap-frog each other on one session for ${LEAPS} seconds lose nothing`, async (t) => {
    const gateway = await gatewayFor(t, fixture('hostile'), DEBUG);
    const session = await openSession(gateway.url);
    const streams = [];
    const total = LEAPS * 30;
    const leap = async () => {
      streams.at(-1)?.destroy();
      streams.push(await session.listen());
    };
    await leap();
    await floodLater(session, { count: total, every_ms: 45 }, 1);
    const has = (from) => streams.flatMap(numbersOn).some((n) => n > from);
    const stop = everySecond(t, leap);
    await until('most are told', () => has(LEAPS * 20), LIMIT);
    await stop();
    await until('the last is told', () => has(total - 1), LIMIT);
    const all = streams.flatMap(urisOn);
    assert.equal(new Set(all).size, all.length, 'nothing comes twice');
    // Messages in flight on a closed connection are kept on its stream, which the client did not resume. So messages
    // may be missing between two connections, but not within one.
    for (const numbers of streams.map(numbersOn))
      assert.deepEqual(numbers, counting(numbers.length).map((n) => numbers[0] + n - 1));
    await until('one listens', async () => {
      const { primary, shadow } = await streamsOf(gateway);
      return primary === 1 && shadow === 0;
    });
  });

  test(`a client that resumes its stream every second for ${LEAPS} seconds hears all`, async (t) => {
    const gateway = await gatewayFor(t, fixture('hostile'), DEBUG);
    const session = await openSession(gateway.url);
    const streams = [await session.listen()];
    const total = LEAPS * 20;
    await floodLater(session, { count: total, every_ms: 45 }, 1);
    const place = (stream) => Number(lastId(stream).split('-').at(-1));
    const furthest = () =>
      streams.filter(({ events }) => events.length > 0).toSorted((a, b) => place(b) - place(a))[0];
    const leap = async () => streams.push(await resume(session, lastId(furthest())));
    const heard = () => new Set(streams.flatMap(urisOn));
    const stop = everySecond(t, leap);
    await until('all is told', () => heard().size >= total, LIMIT);
    await stop();
    for (const stream of streams) {
      const numbers = numbersOn(stream);
      assert.deepEqual(numbers, numbers.toSorted((a, b) => a - b));
      assert.equal(new Set(numbers).size, numbers.length);
    }
    const { primary, shadow, detached } = await streamsOf(gateway);
    assert.ok(primary === 1 && shadow <= 8 && detached <= 1, JSON.stringify({ primary, shadow, detached }));
  });

  test('a stream with a time is closed and polled: the client comes back for the rest', async (t) => {
    const gateway = await gatewayFor(t, fixture('hostile'), '--stream-time', '1', '--session-timeout', '8');
    const session = await openSession(gateway.url, LATEST);
    const parts = [await flood(session, { count: 120, every_ms: 100 })];
    while (!parts.at(-1).messages.some(({ id }) => id === 1)) {
      await parts.at(-1).done;
      assert.ok(parts.at(-1).events.some(({ retry }) => retry === '3000'));
      if (parts.at(-1).messages.some(({ id }) => id === 1)) break;
      parts.push(await resume(session, lastId(parts.at(-1))));
      assert.equal(parts.at(-1).status, 200);
    }
    assert.ok(parts.length >= 3, `${parts.length} parts`);
    assert.deepEqual(parts.flatMap(progressOn), counting(120));
  });

  test('a stream with a time is not closed for a client that does not know of polling', async (t) => {
    const gateway = await gatewayFor(t, fixture('hostile'), '--stream-time', '0.3');
    const session = await openSession(gateway.url, '2025-06-18');
    const listening = await session.listen();
    const call = await flood(session, { count: 15, every_ms: 100 });
    await call.done;
    assert.deepEqual(progressOn(call), counting(15));
    assert.equal(call.messages.at(-1).id, 1);
    assert.ok(!listening.ended);
  });

  test('a listening stream with a time is polled without loss', async (t) => {
    const gateway = await gatewayFor(t, fixture('hostile'), '--stream-time', '0.5');
    const session = await openSession(gateway.url);
    const parts = [await session.listen()];
    await floodLater(session, { count: 60, every_ms: 200 }, 1);
    while (parts.flatMap(urisOn).length < 60) {
      await until('it is closed or all is told', () => parts.at(-1).ended || parts.flatMap(urisOn).length >= 60);
      if (parts.at(-1).ended) parts.push(await resume(session, lastId(parts.at(-1))));
    }
    assert.ok(parts.length >= 3, `${parts.length} parts`);
    assert.deepEqual(parts.flatMap(urisOn), counting(60).map((n) => `test://resource/${n}`));
  });
});
