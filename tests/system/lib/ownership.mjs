// Sessions with an owner, and attempts of other callers who know the ids. The server is the fixture `hostile`.
import assert from 'node:assert/strict';
import { assertUnknown } from './credentials.mjs';
import { whole } from './http.mjs';
import { initializeRequest, openSession, post, Session, toolCall } from './session.mjs';
import { until } from './until.mjs';

const ASKED = { sampling: {}, elicitation: {}, roots: {} };
const OF_BATCHES = { 'mcp-protocol-version': '2025-03-26' };
const SAMPLING = 'sampling/createMessage';

export const textOf = ({ result }) => result?.content[0].text;
export const note = (method, params = {}) => ({ jsonrpc: '2.0', method, params });
export const rpc = (method, params = {}, id = method) => ({ jsonrpc: '2.0', id, method, params });
export const cancelled = (requestId) => note('notifications/cancelled', { requestId });
export const answer = (id, text) => ({ jsonrpc: '2.0', id, result: { text } });
export const lastId = (stream) => stream.events.findLast(({ id }) => id !== undefined).id;

// An id of the same form that was never issued.
export const forged = (id) => [...id].map((digit) => (digit === 'a' ? 'b' : 'a')).join('');

// Uses the session's id in every place where an id can appear. `node` is the node that receives the requests.
export function attempts(node, session, { call, question, seen }) {
  const there = (id, headers) => new Session(node.at(new URL(session.url).pathname), id, session.version, headers);
  return {
    'a request': (id, who) => there(id, who).ping(),
    'a call': (id, who) => there(id, who).post(toolCall(7, 'pid')),
    'a batch': (id, who) => there(id, who).post([rpc('ping'), rpc('tools/list')], OF_BATCHES),
    'a list': (id, who) => there(id, who).post(rpc('tools/list', { cursor: 'MQ==' })),
    'a subscription': (id, who) => there(id, who).post(rpc('resources/subscribe', { uri: 'test://resource/1' })),
    'the end of a subscription': (id, who) => there(id, who).post(rpc('resources/unsubscribe', { uri: 'test://x' })),
    'a log level': (id, who) => there(id, who).post(rpc('logging/setLevel', { level: 'emergency' })),
    'a notification': (id, who) => there(id, who).post(note('notifications/roots/list_changed')),
    'progress': (id, who) => there(id, who).post(note('notifications/progress', { progressToken: call, progress: 1 })),
    'the end of a call': (id, who) => there(id, who).post(cancelled(call)),
    'an answer to a question': (id, who) => there(id, who).post(answer(question, 'from somebody else')),
    'a stream': (id, who) => there(id, who).listen(),
    'a stream from where it was': (id, who) => there(id, who).listen({ 'last-event-id': seen }),
    'the end': (id, who) => there(id, who).delete(),
  };
}

// The id of a session that its owner has ended.
export async function goneFrom(url, owner) {
  const session = await openSession(url, undefined, {}, owner);
  assert.equal((await session.delete()).status, 200);
  return session.id;
}

// A session with a call that has asked its client a question, a running call, and a stream.
export async function busySession(url, owner) {
  const session = await openSession(url, undefined, ASKED, owner);
  const unknown = [forged(session.id), await goneFrom(url, owner)];
  const stream = await session.listen();
  await until('the stream has an event', () => stream.events.some(({ id }) => id !== undefined));
  const asking = await session.post(toolCall('asking', 'ask', { method: SAMPLING }));
  const { id: question } = await asking.message('the question', ({ method }) => method === SAMPLING);
  const running = session.post(toolCall('running', 'sleep', { ms: 1_500 }));
  return { session, unknown, stream, asking, running, known: { call: 'running', question, seen: lastId(stream) } };
}

// Asserts that the attempts did not affect the owner.
export async function assertUntouched({ session, stream, asking, running, known }) {
  assert.equal((await session.post(answer(known.question, 'from the owner'))).status, 202);
  assert.match(textOf((await asking.all()).at(-1)), /from the owner/);
  assert.equal(textOf((await (await running).all()).at(-1)), 'rested', 'the call was not called off');
  assert.equal(textOf(await session.call('cancelled', 'cancelled')), '[]', 'the server heard nothing');
  const answers = JSON.parse(textOf(await session.call('answers', 'answers')));
  assert.deepEqual(answers.map(({ result }) => result), [{ text: 'from the owner' }]);
  assert.ok(!stream.ended, 'the stream is open');
  await session.call('later', 'flood_later', { kind: 'updated', count: 1 });
  await stream.message('what is on the stream', ({ params }) => params?.uri === 'test://resource/1');
}

export async function assertAlike(what, attempt, id, [first, ...others], stranger) {
  const unknown = await whole(attempt(first, stranger));
  assert.equal(unknown.status, 404, what);
  for (const one of [...others, id]) assert.deepEqual(await whole(attempt(one, stranger)), unknown, what);
}

export async function assertStranger(node, { session, unknown, known }, stranger) {
  for (const [what, attempt] of Object.entries(attempts(node, session, known))) {
    await assertAlike(what, attempt, session.id, unknown, stranger);
    for (const id of [session.id, ...unknown]) assertUnknown(await attempt(id, {}), `${what} without credentials`);
  }
  for (const id of [session.id, ...unknown]) await assertBeginsOwn(node, session, id, stranger);
}

// Asserts that `initialize` begins a new session for the other caller, even with this session id.
async function assertBeginsOwn(node, session, id, stranger) {
  const there = (own) => new Session(node.at(new URL(session.url).pathname), own, session.version, stranger);
  const { status, headers } = await whole(there(id).post(initializeRequest()));
  assert.equal(status, 200);
  assert.ok(![session.id, id].includes(headers['mcp-session-id']), 'its id is new');
  assert.equal((await whole(there(headers['mcp-session-id']).delete())).status, 200);
}

export async function assertStrangerToSse(node, session, stranger) {
  const messages = {
    'a request': { jsonrpc: '2.0', id: 'foreign', method: 'ping' },
    'a notification': cancelled('running'),
    'an answer': answer('question-1', 'from somebody else'),
  };
  for (const [what, message] of Object.entries(messages)) {
    const attempt = (id, who) => post(node.at(session.endpoint.replace(session.id, id)), message, who);
    const unknown = [forged(session.id), 'f'.repeat(32)];
    await assertAlike(what, attempt, session.id, unknown, stranger);
    for (const id of [session.id, ...unknown]) assertUnknown(await attempt(id, {}), `${what} without credentials`);
  }
  assert.ok(!session.stream.ended);
  assert.ok(session.messages.every(({ id }) => id !== 'foreign'));
}
