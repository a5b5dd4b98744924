// Requests of servers to their clients, and cancellations by either side.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { suite, test } from './lib/concurrently.mjs';
import { fixture, gatewayFor, startGateway } from './lib/gateway.mjs';
import { scratch } from './lib/scratch.mjs';
import { openSession, toolCall } from './lib/session.mjs';
import { openSseSession } from './lib/sse.mjs';
import { DEBUG, debugState } from './lib/state.mjs';
import { until } from './lib/until.mjs';
import { VIA } from './lib/via.mjs';

const ALL = { sampling: {}, elicitation: {}, roots: {} };
const SAMPLING = 'sampling/createMessage';
const WAITING = 64;

const textOf = ({ result }) => result.content[0].text;
const jsonOf = (message) => JSON.parse(textOf(message));
const asks = (method) => (message) => message.method === method && message.id !== undefined;
const answer = (id, text = 'thing') => ({ jsonrpc: '2.0', id, result: { text } });
const cancelled = (requestId) => ({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
const answersOf = async (session) => jsonOf(await session.call('answers', 'answers'));

// Asserts that the server received one cancellation. A remote server may receive a call before an earlier message.
async function assertHeard(session) {
  let id = 1;
  const heard = async () => jsonOf(await session.call((id += 1), 'cancelled')).length;
  if (VIA) await until('the server heard it', async () => (await heard()) === 1);
  else assert.equal(await heard(), 1);
}

suite('a question of a server', () => {
  let gateway;
  before(async () => (gateway = await startGateway(fixture('hostile'), DEBUG)));
  after(() => gateway.stop());

  test('goes on the stream of the call it belongs to, and not on the listening one', async () => {
    const session = await openSession(gateway.url, undefined, ALL);
    const listening = await session.listen();
    const call = await session.post(toolCall(1, 'ask', { method: SAMPLING, params: { maxTokens: 1 } }));
    const { id, params } = await call.message('the question', asks(SAMPLING));
    assert.deepEqual(params, { maxTokens: 1 });
    assert.equal((await session.post(answer(id))).status, 202);
    assert.deepEqual(jsonOf((await call.all()).at(-1)), { result: { text: 'thing' } });
    assert.deepEqual(listening.messages, []);
  });

  test('goes on the primary stream when it belongs to no call, and on no shadow', async () => {
    const session = await openSession(gateway.url, undefined, ALL);
    const [primary, shadow] = [await session.listen(), await session.listen()];
    await session.call(1, 'ask_later', { method: SAMPLING });
    const { id } = await primary.message('the question', asks(SAMPLING));
    await session.post(answer(id));
    await until('it is answered', async () => (await answersOf(session)).length === 1);
    assert.deepEqual(shadow.messages, []);
  });

  test('waits for a stream when there is none', async () => {
    const session = await openSession(gateway.url, undefined, ALL);
    await session.call(1, 'ask_later', { method: SAMPLING });
    await until('it waits', async () => (await debugState(gateway)).waiting === 1);
    const listening = await session.listen();
    const { id } = await listening.message('the question', asks(SAMPLING));
    await session.post(answer(id));
    await until('it is answered', async () => (await answersOf(session)).length === 1);
    await session.delete();
  });

  test('is refused at once when too many wait', async () => {
    const session = await openSession(gateway.url, undefined, ALL);
    const record = join(scratch(), 'answers');
    await session.call(1, 'ask_later', { method: SAMPLING, count: 100, record });
    // Not checked by a call, because a server request that arrives during a call is sent on its stream.
    const lines = () => (existsSync(record) ? readFileSync(record, 'utf8').split('\n').length - 1 : 0);
    await until('the rest is refused', () => lines() >= 100 - WAITING);
    const refused = await answersOf(session);
    assert.ok(refused.every(({ error }) => error.code === -32603));
    assert.equal(refused.length, 100 - WAITING);
    const listening = await session.listen();
    await until('those that waited are asked', () => listening.messages.length === WAITING);
    await Promise.all(listening.messages.map(({ id }) => session.post(answer(id))));
    await until('all are answered', async () => (await answersOf(session)).length === 100);
  });

  for (const [method, capability] of [
    ['sampling/createMessage', 'sampling'],
    ['elicitation/create', 'elicitation'],
    ['roots/list', 'roots'],
  ])
    test(`is answered by the gateway when the client did not declare ${capability}: -32601`, async () => {
      const { [capability]: missing, ...others } = ALL;
      const session = await openSession(gateway.url, undefined, others);
      const listening = await session.listen();
      const call = await session.post(toolCall(1, 'ask', { method }));
      const messages = await call.all();
      assert.equal(jsonOf(messages.at(-1)).error.code, -32601);
      assert.ok(!messages.some(asks(method)));
      await session.call(2, 'ask_later', { method });
      await until('it is answered', async () => (await answersOf(session)).length === 2);
      assert.equal((await answersOf(session))[1].error.code, -32601);
      assert.deepEqual(listening.messages, []);
      await session.delete();
    });

  test('is a ping that the gateway answers itself', async () => {
    const session = await openSession(gateway.url);
    assert.deepEqual(jsonOf(await session.call(1, 'ask', { method: 'ping' })), { result: {} });
  });

  test('takes one answer; those that come late or twice are dropped: 202', async () => {
    const session = await openSession(gateway.url, undefined, ALL);
    const call = await session.post(toolCall(1, 'ask', { method: SAMPLING }));
    const { id } = await call.message('the question', asks(SAMPLING));
    for (const text of ['first', 'second', 'third']) assert.equal((await session.post(answer(id, text))).status, 202);
    await call.done;
    assert.equal((await session.post(answer(id, 'late'))).status, 202);
    assert.equal((await session.post(answer('of nobody'))).status, 202);
    assert.deepEqual((await answersOf(session)).map(({ result }) => result.text), ['first']);
  });

  test('is not answered by another session', async () => {
    const [session, other] = await Promise.all([1, 2].map(() => openSession(gateway.url, undefined, ALL)));
    const call = await session.post(toolCall(1, 'ask', { method: SAMPLING }));
    const { id } = await call.message('the question', asks(SAMPLING));
    assert.equal((await other.post(answer(id, 'of another'))).status, 202);
    assert.equal((await session.ping()).status, 200);
    assert.ok(!call.ended);
    await session.post(answer(id, 'mine'));
    assert.equal(jsonOf((await call.all()).at(-1)).result.text, 'mine');
  });

  test('may be withdrawn: the client is told under the id it knows', async () => {
    const session = await openSession(gateway.url, undefined, ALL);
    const call = await session.post(toolCall(1, 'withdraw', { method: SAMPLING }));
    const messages = await call.all();
    const { id } = messages.find(asks(SAMPLING));
    const told = messages.find(({ method }) => method === 'notifications/cancelled');
    assert.equal(told.params.requestId, id);
    assert.equal((await session.post(answer(id))).status, 202);
    assert.deepEqual(await answersOf(session), []);
  });

  test('and its answer pass over SSE', async () => {
    const session = await openSseSession(gateway, undefined, ALL);
    await session.post(toolCall(1, 'ask', { method: SAMPLING }));
    const { id } = await session.message('the question', asks(SAMPLING));
    await session.post(answer(id));
    const told = await session.message('the answer', (message) => message.id === 1 && message.result);
    assert.deepEqual(jsonOf(told), { result: { text: 'thing' } });
    session.close();
  });
});

suite('a call that is cancelled', () => {
  let gateway;
  before(async () => (gateway = await startGateway(fixture('hostile'), DEBUG)));
  after(() => gateway.stop());

  test('ends its stream, reaches the server under its own id, and is never answered', async () => {
    const session = await openSession(gateway.url);
    const call = await session.post(toolCall('mine', 'ignore_cancel', {}, 'token'));
    const { params } = await call.message('its id', ({ method }) => method === 'notifications/progress');
    assert.equal((await session.post(cancelled('mine'))).status, 202);
    await call.done;
    assert.ok(!call.messages.some(({ result }) => result));
    await until('the server heard it', async () => {
      const ids = jsonOf(await session.call('ask', 'cancelled'));
      return ids.length === 1 && String(ids[0]) === params.message;
    });
    const resumed = await session.listen({ 'last-event-id': call.events[0].id });
    assert.equal(resumed.status, 200);
    await resumed.done;
    assert.ok(!resumed.messages.some(({ result }) => result));
    assert.equal((await debugState(gateway)).calls, 0);
  });

  test('before anything was sent for it ends too', async () => {
    const session = await openSession(gateway.url);
    const call = session.post(toolCall(1, 'never'));
    await until('it is in flight', async () => (await debugState(gateway)).calls === 1);
    assert.equal((await session.post(cancelled(1))).status, 202);
    const messages = await (await call).all();
    assert.ok(!messages.some(({ result }) => result));
    assert.equal((await session.call(1, 'echo', { message: 'the id is free' })).id, 1);
  });

  test('is only the one that was meant', async () => {
    const session = await openSession(gateway.url);
    const calls = [1, '1', 2].map((id) => session.post(toolCall(id, 'sleep', { ms: 8_000 })));
    await until('they are in flight', async () => (await debugState(gateway)).calls === 3);
    await session.post(cancelled(1));
    const [, ...others] = await Promise.all(calls);
    for (const [index, reply] of others.entries()) assert.equal((await reply.all()).at(-1).id, ['1', 2][index]);
  });

  test('may be unknown, over, or nonsense: 202', async () => {
    const session = await openSession(gateway.url);
    await session.call(1, 'echo', { message: 'over' });
    for (const id of [1, 0, 'unknown', null, {}, 1.5]) assert.equal((await session.post(cancelled(id))).status, 202);
    assert.equal((await session.post({ jsonrpc: '2.0', method: 'notifications/cancelled' })).status, 202);
    assert.equal(textOf(await session.call(2, 'cancelled')), '[]');
  });

  test('is cancelled over SSE as well', async () => {
    const session = await openSseSession(gateway);
    await session.post(toolCall(1, 'ignore_cancel', {}, 'token'));
    await session.message('the call has arrived', ({ method }) => method === 'notifications/progress');
    assert.equal((await session.post(cancelled(1))).status, 202);
    await assertHeard(session);
    session.close();
  });
});

// In seconds: longer than an immediate answer takes on a busy machine.
const TIMEOUT = ['--request-timeout', '6'];

test('a call that takes too long is an error, and the server is told to stop', async (t) => {
  const gateway = await gatewayFor(t, fixture('hostile'), DEBUG, ...TIMEOUT);
  const session = await openSession(gateway.url);
  const late = await session.call(1, 'never');
  assert.equal(late.error.code, -32603);
  await assertHeard(session);
  assert.equal((await debugState(gateway)).calls, 0);
});

test('a call that makes progress takes as long as it needs', async (t) => {
  const gateway = await gatewayFor(t, fixture('hostile'), ...TIMEOUT);
  const session = await openSession(gateway.url);
  const flood = toolCall(1, 'flood', { kind: 'progress', count: 25, every_ms: 300 }, 'mine');
  const flooding = session.post(flood);
  const quiet = await session.call(2, 'sleep', { ms: 20_000 });
  assert.equal(quiet.error.code, -32603);
  const messages = await (await flooding).all();
  assert.equal(textOf(messages.at(-1)), 'flooded');
});

test('an answer that comes after its call timed out is dropped', async (t) => {
  const gateway = await gatewayFor(t, fixture('hostile'), ...TIMEOUT);
  const session = await openSession(gateway.url);
  const listening = await session.listen();
  const late = await Promise.all([1, 2].map((id) => session.call(id, 'sleep', { ms: 9_000 })));
  assert.ok(late.every(({ error }) => error), JSON.stringify(late));
  // The late answers arrive while this call runs.
  const flood = await session.post(toolCall(3, 'flood', { kind: 'progress', count: 8, every_ms: 500 }, 'mine'));
  const messages = await flood.all();
  assert.deepEqual(messages.filter(({ method }) => !method).map(({ id }) => id), [3]);
  assert.equal(textOf(messages.at(-1)), 'flooded');
  assert.equal(textOf(await session.call(4, 'echo', { message: 'x' })), 'x');
  assert.deepEqual(listening.messages, []);
});
