// Streams under stress: clients that stop reading, and servers that write continuously.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixture, gatewayFor } from './lib/gateway.mjs';
import { getBytes, unreadStream } from './lib/hostile-client.mjs';
import { Caller, fieldsOf, modernRequest } from './lib/modern.mjs';
import { peakMemory, SANITIZED, SLOWNESS } from './lib/processes.mjs';
import { openSession, postBytes, toolCall } from './lib/session.mjs';
import { openSseSession } from './lib/sse.mjs';
import { DEBUG, debugState, leavesNothing, MIB } from './lib/state.mjs';
import { steady, until } from './lib/until.mjs';

// A flood ahead of other messages would delay them for its whole duration.
const PROMPT = 3_000 * SLOWNESS;
const WAITING = 64;
// A flood is several times the buffer limit, which in turn is several times the limits of streams. The allocator
// decides how much freed memory stays resident.
const FLOOD = { count: SANITIZED ? 2_000 : 3_000, bytes: 50_000 };
const OVER = 60_000 * SLOWNESS;
const HELD = (FLOOD.count * FLOOD.bytes) / 4;

const textOf = ({ result }) => result.content[0].text;
const hostile = (t, ...flags) => gatewayFor(t, fixture('hostile'), DEBUG, ...flags);
const floodLater = (session, id, args) => session.call(id, 'flood_later', args);

// Asserts that another client is served meanwhile.
async function servedUntil(gateway, isOver) {
  const session = await openSession(gateway.url);
  const start = performance.now();
  let longest = 0;
  let id = 0;
  await until(
    'the flood is over',
    async () => {
      const began = performance.now();
      assert.equal(textOf(await session.call(++id, 'echo', { message: `${id}` })), `${id}`);
      longest = Math.max(longest, performance.now() - began);
      return isOver();
    },
    OVER,
  );
  const took = performance.now() - start;
  await session.delete();
  return { longest, calls: id, took };
}

// On a busy machine each call takes longer, and so does the flood.
const assertPrompt = ({ longest, took }) =>
  assert.ok(longest < Math.max(PROMPT, took / 4), `a call took ${longest} ms of ${took}`);

const told = (bytes, { longest, calls }) =>
  `${(bytes / MIB).toFixed(1)} MiB more, the longest of ${calls} calls took ${longest.toFixed(0)} ms`;

const isGone = async (gateway, kind) => (await debugState(gateway)).streams[kind] === 0;

test('a listener that stops reading is dropped; memory is bounded and others are served', async (t) => {
  const gateway = await hostile(t);
  await leavesNothing(
    gateway,
    async () => {
      const session = await openSession(gateway.url);
      const listening = await unreadStream(gateway.port, getBytes(gateway.url, session.headers));
      await floodLater(session, 1, { kind: 'log', ...FLOOD });
      const { bytes, value } = await peakMemory(gateway.pid, () =>
        servedUntil(gateway, () => isGone(gateway, 'primary')),
      );
      t.diagnostic(told(bytes, value));
      assert.ok(bytes < HELD, `${bytes / MIB} MiB`);
      assertPrompt(value);
      assert.equal((await session.ping()).status, 200);
      listening.socket.resume();
      await until('its connection was closed', () => listening.closed);
      const [id] = /\nid: ?(\S+)/.exec(listening.received)?.slice(1) ?? [];
      const resumed = await session.listen({ 'last-event-id': id });
      assert.equal(resumed.status, 200);
      await until('what is kept is told', () => resumed.messages.length > 0);
      await session.delete();
    },
    HELD,
  );
});

test('a caller that stops reading is dropped, and its answer is there when it comes back', async (t) => {
  const gateway = await hostile(t);
  await leavesNothing(
    gateway,
    async () => {
      const session = await openSession(gateway.url);
      const call = toolCall(1, 'flood', { kind: 'progress', ...FLOOD }, 'mine');
      const calling = await unreadStream(gateway.port, postBytes(gateway.url, call, session.headers));
      const { bytes, value } = await peakMemory(gateway.pid, () =>
        servedUntil(gateway, async () => (await debugState(gateway)).calls === 0 && isGone(gateway, 'call')),
      );
      t.diagnostic(told(bytes, value));
      assert.ok(bytes < HELD, `${bytes / MIB} MiB`);
      assertPrompt(value);
      calling.socket.resume();
      await until('its connection was closed', () => calling.closed);
      const [, id] = /\nid: ?(\S+)/.exec(calling.received);
      const resumed = await session.listen({ 'last-event-id': id });
      const answers = (await resumed.all()).filter((message) => message.id === 1);
      assert.deepEqual(answers.map(textOf), ['flooded']);
      await session.delete();
    },
    HELD,
  );
});

test('an SSE client that stops reading ends with its session', async (t) => {
  const gateway = await hostile(t);
  await leavesNothing(
    gateway,
    async () => {
      const session = await openSseSession(gateway);
      await session.post(toolCall(1, 'flood', { kind: 'progress', ...FLOOD }, 'mine'));
      session.stream.socket.pause();
      const { bytes } = await peakMemory(gateway.pid, () =>
        servedUntil(gateway, async () => (await debugState(gateway)).sessions <= 1),
      );
      assert.ok(bytes < HELD, `${bytes / MIB} MiB`);
      assert.equal((await session.ping()).status, 404);
      session.close();
    },
    HELD,
  );
});

test('a listener without a session that stops reading is dropped, and may listen again', async (t) => {
  const gateway = await hostile(t, '--lease-time', '1');
  await leavesNothing(
    gateway,
    async () => {
      const caller = new Caller(gateway.url);
      const message = modernRequest('deaf', 'subscriptions/listen', { notifications: { toolsListChanged: true } });
      const listening = await unreadStream(gateway.port, postBytes(gateway.url, message, fieldsOf(message)));
      await caller.call('flood_later', { kind: 'changed', ...FLOOD });
      const isOver = async () => (await debugState(gateway)).leases.listens === 0;
      const { bytes, value } = await peakMemory(gateway.pid, () => servedUntil(gateway, isOver));
      t.diagnostic(told(bytes, value));
      assert.ok(bytes < HELD, `${bytes / MIB} MiB`);
      assertPrompt(value);
      listening.socket.resume();
      await until('its connection was closed', () => listening.closed);
      const again = await caller.listen({ toolsListChanged: true });
      await caller.call('flood', { kind: 'changed', count: 1 });
      await until('it is told', () => again.messages.length > 1);
      again.destroy();
    },
    HELD,
  );
});

test('ten listeners that stop reading cost what they may, and no more', async (t) => {
  const gateway = await hostile(t);
  await leavesNothing(
    gateway,
    async () => {
      const session = await openSession(gateway.url);
      const { bytes } = await peakMemory(gateway.pid, async () => {
        for (let id = 1; id <= 10; ++id) {
          const listening = await unreadStream(gateway.port, getBytes(gateway.url, session.headers));
          await floodLater(session, id, { kind: 'log', count: 600, bytes: 50_000, after_ms: 0 });
          await until('it is dropped', () => isGone(gateway, 'primary'), OVER);
          listening.socket.destroy();
        }
      });
      t.diagnostic(`${(bytes / MIB).toFixed(1)} MiB more`);
      assert.ok(bytes < HELD, `${bytes / MIB} MiB`);
      await session.delete();
    },
    HELD,
  );
});

test('a flood that nobody listens to is bounded: logs go first, changes are told once', async (t) => {
  const gateway = await hostile(t);
  await leavesNothing(gateway, async () => {
    const session = await openSession(gateway.url);
    const counted = async () => {
      const { waiting, dropped } = await debugState(gateway);
      return waiting + dropped;
    };
    // Message kinds with the expected numbers of waiting and dropped ones. A second thousand makes no difference. A
    // message behind them shows that they have arrived.
    const kinds = [
      [{ kind: 'updated', count: 10 }, 10],
      [{ kind: 'changed', count: 1_000 }, 11],
      [{ kind: 'log', count: 20_000, bytes: 1_000 }, 20_011],
      [{ kind: 'changed', count: 1_000 }, 20_011],
      [{ kind: 'log', count: 1 }, 20_012],
    ];
    for (const [id, [args, most]] of kinds.entries()) {
      await floodLater(session, id, args);
      await until('it is over', async () => (await counted()) >= most, OVER);
      await steady('what waits and was dropped', counted);
    }
    const { waiting, dropped } = await debugState(gateway);
    t.diagnostic(`${waiting} wait, ${dropped} were dropped`);
    assert.ok(dropped >= 20_000 - WAITING);
    assert.ok(waiting <= WAITING);
    const listening = await session.listen();
    await until('what waited is told', async () => (await debugState(gateway)).waiting === 0);
    await until('it has come', () => listening.messages.length >= waiting);
    const methods = Map.groupBy(listening.messages, ({ method }) => method);
    assert.equal(methods.get('notifications/tools/list_changed').length, 1);
    assert.equal(methods.get('notifications/resources/updated').length, 10);
    assert.ok(listening.messages.length <= WAITING);
    await session.delete();
  });
});

test('a flood of progress that somebody reads comes whole and in order', async (t) => {
  const gateway = await hostile(t);
  await leavesNothing(
    gateway,
    async () => {
      const session = await openSession(gateway.url);
      const call = await session.post(toolCall(1, 'flood', { kind: 'progress', count: 20_000 }, 'mine'));
      await call.done;
      const messages = call.messages;
      assert.equal(messages.pop().id, 1);
      assert.equal(messages.length, 20_000);
      assert.ok(messages.every(({ params }, index) => params.progress === index + 1));
      await session.delete();
    },
    HELD,
  );
});

test('floods of many sessions at once leave room for each other', async (t) => {
  const gateway = await hostile(t);
  await leavesNothing(
    gateway,
    async () => {
      const sessions = await Promise.all(Array.from({ length: 4 }, () => openSession(gateway.url)));
      const flood = toolCall(1, 'flood', { kind: 'progress', count: 3_000, bytes: 200 }, 'mine');
      const calls = await Promise.all(sessions.map((session) => session.post(flood)));
      assertPrompt(await servedUntil(gateway, () => calls.every(({ ended }) => ended)));
      for (const call of calls) assert.equal(call.messages.at(-1).id, 1);
      await Promise.all(sessions.map((session) => session.delete()));
    },
    HELD,
  );
});

test('an answer of 8 MB on a stream comes whole, over either transport', async (t) => {
  const gateway = await hostile(t);
  const [session, sse] = await Promise.all([openSession(gateway.url), openSseSession(gateway)]);
  const call = toolCall(1, 'big', { bytes: 8_000_000 }, 'mine');
  const reply = await session.post(call);
  assert.ok(reply.isStream);
  assert.equal(textOf((await reply.all()).at(-1)).length, 8_000_000);
  await sse.post(call);
  const isWhole = () => sse.stream.received.length > 8_000_000 && sse.stream.received.endsWith('\n\n');
  await until('it has come over SSE', isWhole);
  assert.equal(textOf(sse.messages.find(({ id }) => id === 1)).length, 8_000_000);
  sse.close();
});

// A stream is kept for a minute after its end. Many streams must not accumulate.
test('calls by the thousand in one session pile up no streams', async (t) => {
  const gateway = await hostile(t);
  const session = await openSession(gateway.url);
  for (let id = 1; id <= 3_000; id += 10) {
    const flood = (n) => session.post(toolCall(id + n, 'flood', { kind: 'progress', count: 1 }, `token ${id + n}`));
    const replies = await Promise.all(Array.from({ length: 10 }, (_, n) => flood(n)));
    await Promise.all(replies.map(({ done }) => done));
  }
  const { streams } = await debugState(gateway);
  assert.ok(streams.detached <= 256, `${streams.detached} are kept`);
  await session.delete();
});
