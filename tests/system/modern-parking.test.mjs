// Calls during which the server sends a request: a 2026-07-28 client gets the request as the answer, and its retry
// continues the same call in the same process.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { ALONE, MERGED, openStage, stageOfOne } from './fixture/witness-stage.mjs';
import { suite, test } from './lib/concurrently.mjs';
import { lasting } from './lib/cluster.mjs';
import { reload } from './lib/config.mjs';
import { bearer, KeyFile, newKey } from './lib/credentials.mjs';
import { fixture, startGateway } from './lib/gateway.mjs';
import {
  accepted, ALL, answersTo, assertAsked, assertRefused, Caller, said, startModern, textOf,
} from './lib/modern.mjs';
import { isRunning } from './lib/processes.mjs';
import { scratch } from './lib/scratch.mjs';
import { until } from './lib/until.mjs';

const ELICIT = 'elicitation/create';
const SAMPLING = 'sampling/createMessage';
const ROOTS = 'roots/list';
const INVALID_PARAMS = -32602;
const INTERNAL_ERROR = -32603;
const FORM = { message: 'Who?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } };

const asking = (what = {}) => ({ method: ELICIT, params: FORM, ...what });
const named = (name) => () => accepted({ name });
const answerOf = (message) => JSON.parse(textOf(message));

// The answer to a call of the tool `ask` of the fixture `witness`.
const askFor = async (caller, args = asking()) => assertAsked(await caller.call('ask', args), args.method);
const beginRetry = (caller, told, args = asking(), meta = {}) =>
  caller.begin('tools/call', { name: 'ask', arguments: args, ...told }, meta);
const retry = async (...how) => (await (await beginRetry(...how)).all()).at(-1);

// The answers that a server received, in its journal.
const isAnswer = ({ method, result, error }) => method === undefined && (result ?? error) !== undefined;

function assertNotTaken({ result, error }) {
  const isNotTaken = error?.code === INVALID_PARAMS || result?.resultType === 'input_required';
  assert.ok(isNotTaken, JSON.stringify({ result, error }));
}

async function assertInvalid(reply, what) {
  await reply.done;
  const { id, error } = reply.messages.at(-1);
  assert.equal(error?.code, INVALID_PARAMS, `${what}: ${reply.received}`);
  assert.match(id, /^tools\/call/);
  assert.ok([200, 400].includes(reply.status), `${what}: ${reply.status}`);
}

suite('a call in which the server asks', { concurrency: 4 }, () => {
  const t = lasting();
  let stage;
  before(async () => (stage = await stageOfOne(t, { affinity: 'header' })));
  after(() => t.end());

  // Each caller has its own process.
  let handles = 0;
  const somebody = () => stage.caller('one', ALONE, { can: ALL, headers: { 'troupe-affinity': `p${++handles}` } });

  test('goes on in the same process when the client comes back with the answer', async () => {
    const caller = somebody();
    const { inputRequests, requestState } = await askFor(caller);
    const [[key, question]] = Object.entries(inputRequests);
    assert.deepEqual(question.params, FORM);
    assert.match(requestState, /^[\x21-\x7e]{16,4096}$/);
    const { result } = await retry(caller, { inputResponses: { [key]: accepted({ name: 'Ada' }) }, requestState });
    assert.equal(result.resultType, 'complete');
    assert.deepEqual(JSON.parse(result.content[0].text), { result: { action: 'accept', content: { name: 'Ada' } } });
  });

  for (const [method, params, answer] of [
    [SAMPLING, { messages: [], maxTokens: 7 }, said('the thing')],
    [ROOTS, {}, { roots: [{ uri: 'file:///stage' }] }],
    [ELICIT, FORM, { action: 'decline' }],
  ])
    test(`passes the answer to ${method} on as it is`, async () => {
      const caller = somebody();
      const told = await askFor(caller, { method, params });
      const [question] = Object.values(told.inputRequests);
      assert.deepEqual(question.params ?? {}, params);
      const answered = await retry(caller, answersTo(told, () => answer), { method, params });
      assert.deepEqual(answerOf(answered), { result: answer });
    });

  test('leaves out of a question what this revision does not have', async () => {
    const caller = somebody();
    const url = { mode: 'url', message: 'Sign in', url: 'https://example.com/in' };
    const args = { method: ELICIT, params: { ...url, elicitationId: 'one' } };
    const told = await askFor(caller, args);
    assert.deepEqual(Object.values(told.inputRequests)[0].params, url);
    assert.deepEqual(answerOf(await retry(caller, answersTo(told, () => ({ action: 'accept' })), args)), {
      result: { action: 'accept' },
    });
  });

  test('is a stream that ends with the question when something preceded it, and goes on as another', async () => {
    const caller = somebody();
    const then = { name: 'echo', arguments: { message: 'done', ms: 5, steps: 2 } };
    const first = await caller.beginCall('ask', asking({ then }), { progressToken: 'first' });
    const told = assertAsked((await first.all()).at(-1), ELICIT);
    const next = await beginRetry(caller, answersTo(told, named('Ada')), asking({ then }), { progressToken: 'next' });
    const messages = await next.all();
    assert.equal(textOf(messages.at(-1)), 'done');
    const steps = messages.slice(0, -1).map(({ method, params }) => [method, params.progressToken, params.progress]);
    assert.deepEqual(steps, [1, 2].map((step) => ['notifications/progress', 'next', step]));
  });

  test('may ask again: each round has a state of its own, and the old one is over', async () => {
    const caller = somebody();
    const args = asking({ then: { name: 'ask', arguments: { method: ROOTS } } });
    const one = await askFor(caller, args);
    const two = assertAsked(await retry(caller, answersTo(one, named('Ada')), args), ROOTS);
    assert.notEqual(two.requestState, one.requestState);
    await assertInvalid(await beginRetry(caller, answersTo(one, named('Bob')), args), 'the first round again');
    const last = answersTo(two, () => ({ roots: [] }));
    assert.deepEqual(answerOf(await retry(caller, last, args)), { result: { roots: [] } });
    await assertInvalid(await beginRetry(caller, last, args), 'when all is over');
  });

  test('is not found by a state that was changed or made up, and goes on with the right one', async () => {
    const caller = somebody();
    const told = await askFor(caller);
    const { inputResponses, requestState } = answersTo(told, named('Ada'));
    const swap = (place) => {
      const other = requestState[place] === 'a' ? 'b' : 'a';
      return requestState.slice(0, place) + other + requestState.slice(place + 1);
    };
    const places = [0, 1, Math.floor(requestState.length / 2), requestState.length - 1];
    const cut = [requestState.slice(1), requestState.slice(0, -1), `${requestState}-TAMPERED`, ` ${requestState}`];
    const wrong = ['', 'x', 'x'.repeat(5_000), '\u0000', requestState.toUpperCase(), ...cut, ...places.map(swap)];
    for (const state of [...wrong, 7, null, {}, []].filter((state) => state !== requestState))
      await assertInvalid(await beginRetry(caller, { inputResponses, requestState: state }), JSON.stringify(state));
    assert.equal(answerOf(await retry(caller, { inputResponses, requestState })).result.content.name, 'Ada');
  });

  test('is not found with other arguments or by another tool, and goes on with the right ones', async () => {
    const caller = somebody();
    const told = answersTo(await askFor(caller), named('Ada'));
    const others = [
      ['tools/call', { name: 'ask', arguments: asking({ then: { name: 'pid' } }) }],
      ['tools/call', { name: 'ask', arguments: {} }],
      ['tools/call', { name: 'ask' }],
      ['tools/call', { name: 'pid', arguments: asking() }],
    ];
    for (const [method, params] of others)
      await assertInvalid(await caller.begin(method, { ...params, ...told }), JSON.stringify(params));
    const read = await caller.ask('resources/read', { uri: 'test://one', ...told });
    assert.equal(read.error?.code, INVALID_PARAMS, JSON.stringify(read));
    assert.equal(answerOf(await retry(caller, told)).result.content.name, 'Ada');
  });

  test('takes one of two retries that come at once', async () => {
    const caller = somebody();
    for (let n = 0; n < 5; ++n) {
      const told = await askFor(caller);
      const both = ['Ada', 'Bob'].map((name) => retry(caller, answersTo(told, named(name))));
      const [won, lost] = (await Promise.all(both)).toSorted((one) => (one.result ? -1 : 1));
      assert.equal(lost.error?.code, INVALID_PARAMS, JSON.stringify(lost));
      assert.match(answerOf(won).result.content.name, /Ada|Bob/);
    }
  });

  test('is one of several that wait at the same time, each for its own answer', async () => {
    const caller = somebody();
    const names = ['one', 'two', 'three', 'four', 'five'];
    const asked = [];
    for (const message of names) {
      const args = asking({ params: { ...FORM, message } });
      asked.push({ args, told: await askFor(caller, args) });
    }
    const messages = asked.map(({ told }) => Object.values(told.inputRequests)[0].params.message);
    assert.deepEqual(messages, names);
    for (const { args, told } of asked.toReversed()) {
      const { message } = args.params;
      assert.equal(answerOf(await retry(caller, answersTo(told, named(message)), args)).result.content.name, message);
    }
  });

  test('is one of several that run at the same time: each answer goes to its question', async () => {
    const caller = somebody();
    const names = ['one', 'two', 'three', 'four', 'five'];
    const asks = (message) => asking({ params: { ...FORM, message } });
    const finish = async (args, answer) => {
      if (answer.result?.resultType !== 'input_required') return answer;
      const answers = answersTo(answer.result, ({ params }) => accepted({ name: params.message }));
      return finish(args, await retry(caller, answers, args));
    };
    const run = async (name) => finish(asks(name), await caller.call('ask', asks(name)));
    const answered = (await Promise.all(names.map(run))).map((one) => answerOf(one).result.content.name);
    assert.deepEqual(answered, names);
  });

  test('does not keep others from being answered', async () => {
    const caller = somebody();
    const told = await askFor(caller);
    assert.equal(textOf(await caller.call('echo', { message: 'meanwhile' })), 'meanwhile');
    assert.ok((await caller.ask('tools/list')).result.tools);
    assert.equal(answerOf(await retry(caller, answersTo(told, named('Ada')))).result.content.name, 'Ada');
  });

  test('begins anew when answers come without a state', async () => {
    const caller = somebody();
    for (const inputResponses of [{ nobody: accepted({}) }, {}, { nobody: 12345 }]) {
      const told = assertAsked(await retry(caller, { inputResponses }), ELICIT);
      assert.ok((await retry(caller, answersTo(told, named('Ada')))).result.content);
    }
  });

  test('is cancelled when its client goes away while it runs on', async () => {
    const caller = somebody();
    const args = asking({ then: { name: 'echo', arguments: { message: 'left', ms: 10, steps: 10_000 } } });
    const first = await caller.beginCall('ask', args, { progressToken: 'first' });
    const told = assertAsked((await first.all()).at(-1), ELICIT);
    const running = await beginRetry(caller, answersTo(told, named('Ada')), args, { progressToken: 'next' });
    await running.message('it runs on', ({ method }) => method === 'notifications/progress');
    assert.deepEqual(stage.heard('notifications/cancelled'), []);
    running.destroy();
    await stage.hears('notifications/cancelled');
    assert.equal(textOf(await caller.call('echo', { message: 'still here' })), 'still here');
  });

  test('that nobody comes back to does not stand in the way', async () => {
    const caller = somebody();
    const many = [];
    for (let n = 0; n < 10; ++n) many.push(await askFor(caller));
    assert.equal(new Set(many.map(({ requestState }) => requestState)).size, 10);
    assert.equal(textOf(await caller.call('echo', { message: 'still here' })), 'still here');
  });
});

test('several questions of one call are asked together, and again until each has an answer', async (t) => {
  const server = await startModern();
  t.after(() => server.stop());
  const caller = new Caller(server.url, { can: ALL });
  const name = 'test_input_required_result_multiple_inputs';
  const told = assertAsked(await caller.call(name), ELICIT, ROOTS, SAMPLING);
  const ANSWERS = {
    [ELICIT]: accepted({ name: 'Ada' }),
    [ROOTS]: { roots: [{ uri: 'file:///stage' }] },
    [SAMPLING]: said('Hail'),
  };
  const answersFor = (asked, ...methods) => {
    const chosen = Object.entries(asked.inputRequests).filter(([, { method }]) => methods.includes(method));
    const inputRequests = Object.fromEntries(chosen);
    const { inputResponses, requestState } = answersTo({ ...asked, inputRequests }, ({ method }) => ANSWERS[method]);
    return { inputResponses: { ...inputResponses, nobody: accepted({}) }, requestState };
  };
  const goOn = (answers) => caller.ask('tools/call', { name, arguments: {}, ...answers });
  const rest = assertAsked(await goOn(answersFor(told, ROOTS)), ELICIT, SAMPLING);
  for (const [key, question] of Object.entries(rest.inputRequests)) assert.deepEqual(told.inputRequests[key], question);
  const again = assertAsked(await goOn({ requestState: rest.requestState }), ELICIT, SAMPLING);
  const last = assertAsked(await goOn(answersFor(again, ELICIT)), SAMPLING);
  assert.equal(textOf(await goOn(answersFor(last, SAMPLING))), 'Hail Ada at file:///stage');
});

test('an answer that is none is asked for again, or refused, and never passed on', async (t) => {
  const stage = await stageOfOne(t);
  const caller = stage.caller('one', ALONE, { can: ALL });
  for (const answer of [12345, null, 'Ada', [], true]) {
    const told = await askFor(caller);
    assertNotTaken(await retry(caller, answersTo(told, () => answer)));
  }
  for (const inputResponses of [null, 7, []]) {
    const told = await askFor(caller);
    assertNotTaken(await retry(caller, { inputResponses, requestState: told.requestState }));
  }
  assert.deepEqual(stage.journal().filter(isAnswer), []);
});

test('a parked call is its principal\'s and its path\'s: for others it does not exist', async (t) => {
  const keys = ['ada', 'bob'].map((name) => newKey(name));
  const auth = { keys: new KeyFile(...keys).path };
  const servers = (witness) => ({ mcpServers: { one: witness('one'), two: witness('two') }, gateway: { auth } });
  const stage = await openStage(t, servers);
  const [ada, bob] = keys.map(({ secret }) => stage.caller('one', ALONE, { can: ALL, headers: bearer(secret) }));
  const told = answersTo(await askFor(ada), named('Ada'));
  await assertInvalid(await beginRetry(bob, told), 'another principal');
  await askFor(bob);
  await assertInvalid(await beginRetry(bob, told), 'another principal with a parked call');
  const elsewhere = stage.caller('two', ALONE, { can: ALL, headers: ada.headers });
  await assertInvalid(await beginRetry(elsewhere, told), 'another server');
  const merged = stage.caller('one', MERGED, { can: ALL, headers: ada.headers });
  const call = { name: 'one__ask', arguments: asking(), ...told };
  await assertInvalid(await merged.begin('tools/call', call), 'the merged path');
  assert.equal((await beginRetry(ada.as({ headers: {} }), told)).status, 401);
  assert.equal(answerOf(await retry(ada, told)).result.content.name, 'Ada');
});

test('what the server says by itself while it waits is said when the client comes back', async (t) => {
  const stage = await stageOfOne(t);
  const caller = stage.caller('one', ALONE, { can: ALL });
  const told = assertAsked(await caller.call('withdraw', asking()), ELICIT);
  await stage.raise('withdraw');
  await stage.hears('withdrawn');
  const params = { name: 'withdraw', arguments: asking(), ...answersTo(told, named('Ada')) };
  assert.equal(textOf(await caller.ask('tools/call', params)), 'changed my mind');
  assert.deepEqual(stage.journal().filter(isAnswer), []);
});

test('a call that is parked when its server is killed fails, and the next one is served', async (t) => {
  const stage = await stageOfOne(t);
  const caller = stage.caller('one', ALONE, { can: ALL });
  const told = await askFor(caller);
  const [before] = stage.processes();
  stage.killAll();
  await until('it is gone', () => !isRunning(before));
  const { error } = await retry(caller, answersTo(told, named('Ada')));
  assert.ok([INVALID_PARAMS, INTERNAL_ERROR].includes(error?.code), JSON.stringify(error));
  await until('it is served again', async () => (await caller.call('echo', { message: 'again' })).result);
  assert.equal(answerOf(await retry(caller, answersTo(await askFor(caller), named('Bob')))).result.content.name, 'Bob');
});

test('a call that is parked when another server comes or goes is not touched', async (t) => {
  let witnessOf;
  const stage = await openStage(t, (witness) => {
    witnessOf = witness;
    return { mcpServers: { one: witness('one') } };
  });
  const caller = stage.caller('one', ALONE, { can: ALL });
  const told = await askFor(caller);
  await reload(stage.gateway, { mcpServers: { one: witnessOf('one'), two: witnessOf('two') } });
  await reload(stage.gateway, { mcpServers: { one: witnessOf('one') } });
  assert.equal(answerOf(await retry(caller, answersTo(told, named('Ada')))).result.content.name, 'Ada');
  assert.equal(stage.heard('start').length, 1);
});

test('a call that is parked when its server changes or is removed is answered in some way', async (t) => {
  for (const change of [{ env: { CHANGED: '1' } }, undefined]) {
    let witnessOf;
    const stage = await openStage(t, (witness) => {
      witnessOf = witness;
      return { mcpServers: { one: witness('one'), two: witness('two') } };
    });
    const caller = stage.caller('one', ALONE, { can: ALL });
    const told = await askFor(caller);
    const mcpServers = { two: witnessOf('two'), ...(change && { one: witnessOf('one', change) }) };
    await reload(stage.gateway, { mcpServers });
    const reply = await beginRetry(caller, answersTo(told, named('Ada')));
    await reply.done;
    const { result, error } = reply.messages.at(-1);
    assert.ok(result?.content || error, reply.received);
    if (change) await until('it is served', async () => (await caller.call('echo', { message: 'x' })).result);
  }
});

test('a gateway that is told to end lets those who were asked come back, and takes nothing new', async (t) => {
  const stage = await stageOfOne(t, {}, { grace: '60s' });
  const caller = stage.caller('one', ALONE, { can: ALL });
  const told = await askFor(caller);
  const exited = stage.gateway.signal('SIGTERM');
  await until('it takes nothing new', async () => (await caller.beginCall('pid')).status === 503);
  const last = await retry(caller, answersTo(told, named('Ada')));
  assert.equal(answerOf(last).result.content.name, 'Ada');
  assert.equal(await exited, 0, stage.gateway.told('exit code'));
});

test('a gateway that is told to end waits for those who were asked as long as its grace is', async (t) => {
  const stage = await stageOfOne(t, {}, { grace: '2s' });
  const caller = stage.caller('one', ALONE, { can: ALL });
  await askFor(caller);
  const below = stage.gateway.children();
  assert.equal(below.length, 1);
  const began = Date.now();
  assert.equal(await stage.gateway.signal('SIGTERM'), 0, stage.gateway.told('exit code'));
  assert.ok(Date.now() - began < 20_000);
  await until('no process is left', () => !below.some(isRunning));
});

suite('a question that belongs to no call', () => {
  let gateway;
  before(async () => (gateway = await startGateway(fixture('hostile'))));
  after(() => gateway.stop());

  test('is refused to the server, as is one that this client cannot be asked', async () => {
    const caller = new Caller(gateway.url, { can: ALL });
    const record = join(scratch(), 'answers');
    await caller.call('ask_later', { method: SAMPLING, record });
    const lines = () => (existsSync(record) ? readFileSync(record, 'utf8').split('\n').filter(Boolean) : []);
    await until('it is answered', () => lines().length > 0);
    assert.deepEqual(lines(), ['refused']);
    const deaf = caller.as({ can: { elicitation: {} } });
    const refused = await deaf.beginCall('ask', { method: SAMPLING });
    const { data } = await assertRefused(refused, 400, -32021, (await refused.all()).at(-1).id);
    assert.deepEqual(data.requiredCapabilities, { sampling: {} });
    assert.match(textOf(await deaf.call('ask', { method: ROOTS })), /cannot be asked/);
  });

  test('is a ping that the gateway answers itself', async () => {
    const caller = new Caller(gateway.url, { can: ALL });
    assert.deepEqual(JSON.parse(textOf(await caller.call('ask', { method: 'ping' }))), { result: {} });
  });
});
