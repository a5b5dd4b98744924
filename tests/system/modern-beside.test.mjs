// Concurrent calls at a session-based server, which does not say to which of them its requests belong.
import assert from 'node:assert/strict';
import { test } from './lib/concurrently.mjs';
import { fixture, gatewayFor } from './lib/gateway.mjs';
import { accepted, ALL, answersTo, assertAsked, Caller, textOf } from './lib/modern.mjs';

const ELICIT = 'elicitation/create';
const named = (name) => () => accepted({ name });

// The call of a server request is known only when a call ends. Any client may get it, and a second one when another
// request follows.
async function answered(caller, name, first = caller.call(name)) {
  let told = await first;
  for (let round = 0; told.result?.resultType === 'input_required' && round < 50; ++round) {
    const answers = answersTo(assertAsked(told, ELICIT), named('Ada'));
    told = await caller.ask('tools/call', { name, arguments: {}, ...answers });
  }
  return textOf(told);
}
const assertNamed = (text) => assert.equal(JSON.parse(text).content.name, 'Ada');

test('a question is answered though another call runs beside the one that asks', async (t) => {
  const caller = new Caller((await gatewayFor(t, fixture('counter'))).url, { can: ALL });
  for (let n = 1; n <= 5; ++n) {
    const [asked, counted] = await Promise.all(['ask', 'count'].map((name) => answered(caller, name)));
    assert.equal(counted, `${n}`);
    assertNamed(asked);
  }
});

test('each of many calls of one tool is asked one question at first, and all are answered', async (t) => {
  const caller = new Caller((await gatewayFor(t, fixture('counter'))).url, { can: ALL });
  const asked = await Promise.all(Array.from({ length: 50 }, () => caller.call('ask')));
  for (const one of asked) assertAsked(one, ELICIT);
  for (const one of asked) assertNamed(await answered(caller, 'ask', one));
});
