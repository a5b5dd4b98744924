import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { suite, test } from './lib/concurrently.mjs';
import { exampleServer, fixture, gatewayFor, startGateway } from './lib/gateway.mjs';
import { rawConnection } from './lib/http.mjs';
import { descriptors, isRunning } from './lib/processes.mjs';
import { openSession, postBytes, toolCall } from './lib/session.mjs';
import { steady, until } from './lib/until.mjs';
import { VIA } from './lib/via.mjs';

// While the call runs, and before the first keep-alive.
const AT_ONCE = 10_000;
const oneNode = VIA === 'cluster' && 'there is more than one process';

const textOf = ({ result }) => result.content[0].text;
const methodsOn = (stream) => stream.messages.map(({ method }) => method);

suite('calls in flight', { concurrency: 4 }, () => {
  let gateway;
  before(async () => (gateway = await startGateway(exampleServer)));
  after(() => gateway.stop());

  test('are answered as JSON when nothing precedes the answer', async () => {
    const session = await openSession(gateway.url, '2025-06-18'); // later versions become a stream earlier, too early for a busy machine
    const reply = await session.post(toolCall(1, 'echo', { message: 'hi' }));
    assert.match(reply.headers['content-type'], /^application\/json/);
    assert.match(textOf((await reply.all())[0]), /hi/);
  });

  test('are answered as a stream when progress precedes the answer', async () => {
    const session = await openSession(gateway.url);
    const reply = await session.post(toolCall(1, 'slow', { steps: 3, delay_ms: 20 }, 'mine'));
    assert.ok(reply.isStream);
    const messages = await reply.all();
    const progress = messages.slice(0, -1);
    assert.ok(progress.length >= 3);
    assert.ok(progress.every(({ params }) => params.progressToken === 'mine'));
    assert.equal(messages.at(-1).id, 1);
  });

  test('keep their id to themselves: 400 for a second one, and the first is answered', async () => {
    const session = await openSession(gateway.url);
    const first = await session.post(toolCall(7, 'slow', { steps: 80, delay_ms: 150 }, 'first'));
    const second = await session.post(toolCall(7, 'echo', { message: 'me too' }));
    assert.equal(second.status, 400);
    assert.equal((await second.all())[0].error.code, -32600);
    const other = await session.post(toolCall('7', 'echo', { message: 'a string is another id' }));
    assert.equal(other.status, 200);
    assert.equal((await first.all()).at(-1).id, 7);
    assert.equal((await session.post(toolCall(7, 'echo', { message: 'free again' }))).status, 200);
  });

  test('do not wait for each other', async () => {
    const session = await openSession(gateway.url);
    const slow = await session.post(toolCall(1, 'slow', { steps: 80, delay_ms: 150 }, 'slow'));
    assert.match(textOf(await session.call(2, 'echo', { message: 'quick' })), /quick/);
    assert.equal((await session.ping()).status, 200);
    assert.ok(!slow.ended);
    await slow.done;
  });

  test('are answered in order when they are pipelined on one connection', async () => {
    const session = await openSession(gateway.url);
    const bytes = (message) => postBytes(gateway.url, message, session.headers);
    const calls = [
      toolCall('first', 'slow', { steps: 2, delay_ms: 150 }),
      toolCall('second', 'echo', { message: 'quick' }),
      { jsonrpc: '2.0', id: 'third', method: 'ping' },
    ];
    const connection = rawConnection(gateway.port, calls.map(bytes).join(''));
    await until('all three are answered', () => connection.received.includes('"third"'));
    const order = [...connection.received.matchAll(/"(first|second|third)"/g)].map(([, id]) => id);
    assert.deepEqual(order, ['first', 'second', 'third']);
    connection.socket.destroy();
  });

  test('become a stream with an event to resume from when they are not answered at once', async () => {
    const session = await openSession(gateway.url, '2025-11-25');
    const began = Date.now();
    const reply = await session.post(toolCall(1, 'slow', { steps: 1, delay_ms: 5000 }));
    const waited = Date.now() - began;
    // If the call had already been answered, this would be JSON.
    assert.ok(reply.isStream);
    assert.ok(waited >= 200, `the head came after ${waited} ms`);
    const [primes] = await until('the first event', () => reply.events.length > 0 && reply.events);
    assert.ok(primes.id && primes.retry && !primes.data, reply.received);
    reply.destroy();
    const resumed = await session.listen({ 'last-event-id': primes.id });
    assert.equal((await resumed.all()).at(-1).id, 1);
  });

  test('become a stream when their answer is late', async () => {
    const session = await openSession(gateway.url, '2025-06-18');
    const began = Date.now();
    const reply = await session.post(toolCall(1, 'slow', { steps: 1, delay_ms: 21_000 }));
    const waited = Date.now() - began;
    assert.ok(reply.isStream);
    assert.ok(waited > 13_000, `the head came after ${waited} ms`);
    assert.equal((await reply.all()).at(-1).id, 1);
  });

  test('reach the client in the middle and wait for its answer', async () => {
    const session = await openSession(gateway.url, '2025-11-25', { elicitation: {} });
    const reply = await session.post(toolCall(1, 'ask', { question: 'Who?' }));
    const asked = await reply.message('the question', ({ method }) => method === 'elicitation/create');
    assert.equal(asked.params.message, 'Who?');
    assert.ok(!reply.ended);
    const answer = { action: 'accept', content: { answer: 'Ada' } };
    assert.equal((await session.post({ jsonrpc: '2.0', id: asked.id, result: answer })).status, 202);
    assert.match(textOf((await reply.all()).at(-1)), /Ada/);
  });
});

test('a client that vanishes during a call is noticed at once, and its call goes on', { skip: oneNode }, async (t) => {
  const gateway = await gatewayFor(t, exampleServer);
  const session = await openSession(gateway.url);
  const open = () => descriptors(gateway.pid);
  const before = await steady('the number of descriptors', open);
  const reply = await session.post(toolCall(1, 'slow', { steps: 300, delay_ms: 100 }, 'gone'));
  assert.ok(open() > before);
  reply.destroy();
  await until('its descriptor is closed', () => open() <= before, AT_ONCE);
  const again = await session.post(toolCall(1, 'echo', { message: 'that id is still in flight' }));
  assert.equal(again.status, 400);
  assert.match(textOf(await session.call(2, 'echo', { message: 'still served' })), /still served/);
});

test('of two listening streams the first hears all, and the second takes over when it closes', async (t) => {
  const gateway = await gatewayFor(t, fixture('stdio'));
  const session = await openSession(gateway.url);
  const primary = await session.listen();
  const shadow = await session.listen();
  assert.deepEqual([primary.status, shadow.status], [200, 200]);
  assert.ok(primary.isStream && shadow.isStream);
  await session.call(1, 'announce');
  await until('the primary hears', () => primary.messages.length > 0);
  assert.deepEqual(methodsOn(primary), ['notifications/tools/list_changed']);
  assert.deepEqual([shadow.messages.length, shadow.ended], [0, false]);
  primary.destroy();
  await until('the shadow hears', async () => {
    await session.call(2, 'announce');
    return shadow.messages.length > 0;
  });
  assert.equal(methodsOn(shadow)[0], 'notifications/tools/list_changed');
  await session.delete();
  await until('the session took its stream with it', () => shadow.ended);
});

test('eight streams may wait behind the first: one more ends the oldest that waits', async (t) => {
  const gateway = await gatewayFor(t, exampleServer);
  const session = await openSession(gateway.url);
  const streams = [];
  for (let count = 0; count < 9; ++count) streams.push(await session.listen());
  assert.equal((await session.ping()).status, 200);
  assert.ok(streams.every(({ ended }) => !ended));
  streams.push(await session.listen());
  const [primary, oldest, ...others] = streams;
  await until('the oldest that waited is ended', () => oldest.ended);
  assert.equal((await session.ping()).status, 200);
  assert.ok([primary, ...others].every(({ status, ended }) => status === 200 && !ended));
});

test('an idle session ends, but not while a stream is open', async (t) => {
  const gateway = await gatewayFor(t, exampleServer, '--session-timeout', '8');
  const listening = await openSession(gateway.url);
  const stream = await listening.listen();
  const [kept] = gateway.children();
  const idle = await openSession(gateway.url);
  await until('one server has ended', () => gateway.children().length === 1);
  assert.ok(isRunning(kept));
  assert.equal((await idle.ping()).status, 404);
  assert.equal((await listening.ping()).status, 200);
  stream.destroy();
  await until('the other server has ended', () => !isRunning(kept));
});

test('a call that takes longer than the limit gets an error, and the session goes on', async (t) => {
  const gateway = await gatewayFor(t, exampleServer, '--request-timeout', '6');
  const session = await openSession(gateway.url);
  const late = await session.call(1, 'slow', { steps: 1, delay_ms: 20_000 });
  assert.equal(late.id, 1);
  assert.ok(late.error);
  assert.match(textOf(await session.call(2, 'echo', { message: 'next' })), /next/);
});
