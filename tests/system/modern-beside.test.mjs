// Calls that run beside each other at a server of the session era, which does not say which of them it asks about.
import assert from 'node:assert/strict';
import { test } from './lib/at-once.mjs';
import { fixture, gatewayFor } from './lib/gateway.mjs';
import { accepted, ALL, answersTo, assertAsked, Caller, textOf } from './lib/modern.mjs';

const ELICIT = 'elicitation/create';
const named = (name) => () => accepted({ name });
const answerOf = (message) => JSON.parse(textOf(message));

test('a question is asked though another call runs beside the one that asks, and ends before', async (t) => {
  const caller = new Caller((await gatewayFor(t, fixture('counter'))).url, { can: ALL });
  for (let n = 1; n <= 5; ++n) {
    const [asked, counted] = await Promise.all([caller.call('ask'), caller.call('count')]);
    assert.equal(textOf(counted), `${n}`);
    const told = answersTo(assertAsked(asked, ELICIT), named('Ada'));
    const answer = await caller.ask('tools/call', { name: 'ask', arguments: {}, ...told });
    assert.equal(answerOf(answer).content.name, 'Ada');
  }
});

// Whose question it is shows only when a call ends: its client may then be asked once more.
async function answered(caller, asked) {
  let told = asked;
  for (let round = 0; told.result?.resultType === 'input_required' && round < 50; ++round) {
    const answers = answersTo(assertAsked(told, ELICIT), named('Ada'));
    told = await caller.ask('tools/call', { name: 'ask', arguments: {}, ...answers });
  }
  return answerOf(told);
}

test('each of many calls of one tool is asked one question at first, and all are answered', async (t) => {
  const caller = new Caller((await gatewayFor(t, fixture('counter'))).url, { can: ALL });
  const asked = await Promise.all(Array.from({ length: 50 }, () => caller.call('ask')));
  for (const one of asked) assertAsked(one, ELICIT);
  for (const one of asked) assert.equal((await answered(caller, one)).content.name, 'Ada');
});
