// A session is its owner's: to all others it is one that never was.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { suite, test } from './lib/at-once.mjs';
import { at, lasting, startCluster } from './lib/cluster.mjs';
import { gatewayWith } from './lib/config.mjs';
import { assertUnknown, bearer, KeyFile, newKey } from './lib/credentials.mjs';
import { fixture } from './lib/gateway.mjs';
import { initializeRequest, openSession, post, Session, toolCall } from './lib/session.mjs';
import { openSseSession } from './lib/sse.mjs';
import { ALONE, NOTICE, patientAnswerOf, startRecovering } from './lib/store.mjs';
import { startHandmade } from './lib/tokens.mjs';
import { until } from './lib/until.mjs';

const [command, ...args] = fixture('hostile');
const SERVERS = { a: { command, args } };
const ASKED = { sampling: {}, elicitation: {}, roots: {} };
const SAMPLING = 'sampling/createMessage';

const textOf = ({ result }) => result?.content[0].text;
const note = (method, params = {}) => ({ jsonrpc: '2.0', method, params });
const cancelled = (requestId) => note('notifications/cancelled', { requestId });
const answer = (id, text) => ({ jsonrpc: '2.0', id, result: { text } });
const startsOf = (heard) => heard().filter(({ method }) => method === 'start').length;
const lastId = (stream) => stream.events.findLast(({ id }) => id !== undefined).id;

// All that is said, but for when.
async function whole(asked) {
  const reply = await asked;
  if (reply.isStream) reply.destroy();
  await reply.done;
  const { date, ...headers } = reply.headers;
  return { status: reply.status, headers, body: reply.received };
}

// An id of the same form that never was.
const forged = (id) => [...id].map((digit) => (digit === 'a' ? 'b' : 'a')).join('');

// Somebody who has the session's id asks for it in every place where an id can stand. `node` is where he asks.
function attempts(node, session, { call, question, seen }) {
  const there = (id, headers) => new Session(node.at(new URL(session.url).pathname), id, session.version, headers);
  return {
    'a request': (id, who) => there(id, who).ping(),
    'a call': (id, who) => there(id, who).post(toolCall(7, 'pid')),
    'another initialize': (id, who) => there(id, who).post(initializeRequest()),
    'a notification': (id, who) => there(id, who).post(note('notifications/roots/list_changed')),
    'the end of a call': (id, who) => there(id, who).post(cancelled(call)),
    'an answer to a question': (id, who) => there(id, who).post(answer(question, 'from somebody else')),
    'a stream': (id, who) => there(id, who).listen(),
    'a stream from where it was': (id, who) => there(id, who).listen({ 'last-event-id': seen }),
    'the end': (id, who) => there(id, who).delete(),
  };
}

// The id of a session that its owner has ended.
async function goneFrom(url, owner) {
  const session = await openSession(url, undefined, {}, owner);
  assert.equal((await session.delete()).status, 200);
  return session.id;
}

// The session with a call that asks its client something, a call that runs, and a stream.
async function busySession(url, owner) {
  const session = await openSession(url, undefined, ASKED, owner);
  const unknown = [forged(session.id), await goneFrom(url, owner)];
  const stream = await session.listen();
  await until('the stream has an event', () => stream.events.some(({ id }) => id !== undefined));
  const asking = await session.post(toolCall('asking', 'ask', { method: SAMPLING }));
  const { id: question } = await asking.message('the question', ({ method }) => method === SAMPLING);
  const running = session.post(toolCall('running', 'sleep', { ms: 1_500 }));
  return { session, unknown, stream, asking, running, known: { call: 'running', question, seen: lastId(stream) } };
}

// The owner notices nothing of what others tried.
async function assertUntouched({ session, stream, asking, running, known }) {
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

async function assertAlike(what, attempt, id, [first, ...others], stranger) {
  const unknown = await whole(attempt(first, stranger));
  assert.equal(unknown.status, 404, what);
  for (const one of [...others, id]) assert.deepEqual(await whole(attempt(one, stranger)), unknown, what);
}

async function assertStranger(node, { session, unknown, known }, stranger) {
  for (const [what, attempt] of Object.entries(attempts(node, session, known))) {
    await assertAlike(what, attempt, session.id, unknown, stranger);
    for (const id of [session.id, ...unknown]) assertUnknown(await attempt(id, {}), `${what} without credentials`);
  }
}

async function assertStrangerToSse(node, session, stranger) {
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

// -- pairs of callers -------------------------------------------------------------------------------------------------

const keys = ['ada', 'bob'].map((name) => newKey(name));
const byKey = ({ secret }) => bearer(secret);
const by = async (issuer, claims) => bearer(await issuer.token(claims));
// An owner and a stranger each.
const PAIRS = {
  'two keys': () => keys.map(byKey),
  'two users': (issuer) => Promise.all([by(issuer), by(issuer, { sub: 'bob' })]),
  'two clients of one user': (issuer) => Promise.all([by(issuer), by(issuer, { client_id: 'phone' })]),
  'one client, and one that is not named': (issuer) => Promise.all([by(issuer), by(issuer, { client_id: undefined })]),
  'a key and a user of the same name': (issuer) => Promise.all([byKey(keys[0]), by(issuer, { client_id: undefined })]),
  'names that could run into one another': (issuer) =>
    Promise.all([by(issuer, { sub: 'ad', client_id: 'adesk' }), by(issuer, { sub: 'ada', client_id: 'desk' })]),
};

const authOf = (issuer) => ({ issuer: issuer.url, audience: 'troupe', keys: new KeyFile(...keys).path });

suite('a session', { concurrency: 4 }, () => {
  let issuer;
  let gateway;
  const t = lasting();
  before(async () => {
    issuer = await startHandmade(t, 'ES256');
    gateway = await gatewayWith(t, { mcpServers: SERVERS, gateway: { auth: authOf(issuer) } });
  });
  after(() => t.end());

  for (const [pair, credentials] of Object.entries(PAIRS)) {
    test(`is unknown to all but its owner: ${pair}`, async () => {
      const [owner, stranger] = await credentials(issuer);
      const busy = await busySession(gateway.url, owner);
      await assertStranger(gateway, busy, stranger);
      await assertUntouched(busy);
      assert.equal((await busy.session.delete()).status, 200);
    });

    test(`over HTTP+SSE is unknown to all but its owner: ${pair}`, async () => {
      const [owner, stranger] = await credentials(issuer);
      const session = await openSseSession(gateway, undefined, {}, owner);
      const running = session.call('running', 'sleep', { ms: 500 });
      await assertStrangerToSse(gateway, session, stranger);
      assert.equal(textOf(await running), 'rested');
      assert.equal(textOf(await session.call('cancelled', 'cancelled')), '[]');
      session.close();
    });
  }

  test('is its owner\'s by whatever token of the same client', async () => {
    const session = await openSession(gateway.url, undefined, {}, bearer(await issuer.token()));
    const stream = await session.listen();
    const again = session.as(bearer(await issuer.token({ jti: 'another', scope: 'read', azp: 'x', groups: ['y'] })));
    assert.equal((await again.ping()).status, 200);
    assert.equal(textOf(await again.call(1, 'echo', { message: 'x' })), 'x');
    assert.equal((await again.delete()).status, 200);
    await stream.done;
    assert.equal((await session.ping()).status, 404);
  });

  test('that is gone is unknown to its owner too, in the same words', async () => {
    const [owner, stranger] = keys.map(({ secret }) => bearer(secret));
    const session = await openSession(gateway.url, undefined, {}, owner);
    assert.equal((await session.delete()).status, 200);
    const [its, foreign] = [await whole(session.ping()), await whole(session.as(stranger).ping())];
    assert.equal(its.status, 404);
    assert.deepEqual(foreign, its);
  });
});

test('where all may come in, a session of nobody is not one of somebody, nor the other way round', async (t) => {
  const auth = { allowAnonymous: true, keys: new KeyFile(...keys).path };
  const gateway = await gatewayWith(t, { mcpServers: SERVERS, gateway: { auth } });
  const somebody = bearer(keys[0].secret);
  for (const [owner, stranger] of [[somebody, {}], [{}, somebody], [somebody, bearer(keys[1].secret)]]) {
    const busy = await busySession(gateway.url, owner);
    for (const [what, attempt] of Object.entries(attempts(gateway, busy.session, busy.known)))
      await assertAlike(what, attempt, busy.session.id, busy.unknown, stranger);
    await assertUntouched(busy);
  }
});

// -- clusters ---------------------------------------------------------------------------------------------------------

suite('a session in a cluster', { concurrency: 4 }, () => {
  let issuer;
  let cluster;
  const t = lasting();
  before(async () => {
    issuer = await startHandmade(t, 'ES256');
    cluster = await startCluster(t, { config: { mcpServers: SERVERS, gateway: { auth: authOf(issuer) } } });
  });
  after(() => t.end());

  for (const pair of ['two keys', 'two users', 'two clients of one user'])
    test(`is unknown at every node to all but its owner: ${pair}`, async () => {
      const [owner, stranger] = await PAIRS[pair](issuer);
      const busy = await busySession(cluster.nodes[0].url, owner);
      for (const node of cluster.nodes) await assertStranger(node, busy, stranger);
      for (const node of cluster.nodes)
        assert.equal((await new Session(node.url, busy.session.id, busy.session.version, owner).ping()).status, 200);
      await assertUntouched(busy);
      assert.equal((await busy.session.delete()).status, 200);
    });

  test('over HTTP+SSE is unknown at every node to all but its owner', async () => {
    const [owner, stranger] = await PAIRS['two keys']();
    const session = await openSseSession(cluster.nodes[1], undefined, {}, owner);
    for (const node of cluster.nodes) await assertStrangerToSse(node, session, stranger);
    for (const node of cluster.nodes) {
      const ping = { jsonrpc: '2.0', id: node.name, method: 'ping' };
      assert.equal((await post(node.at(session.endpoint), ping, owner)).status, 202);
    }
    for (const { name } of cluster.nodes) await session.message('the answer', ({ id }) => id === name);
    session.close();
  });
});

test('a session that goes on at another node is still its owner\'s alone', async (t) => {
  const issuer = await startHandmade(t, 'ES256');
  const { nodes, store, heard } = await startRecovering(t, { gateway: { auth: authOf(issuer) } });
  const [one, two, three] = nodes;
  for (const credentials of [PAIRS['two keys'], PAIRS['two clients of one user']]) {
    const [owner, stranger] = await credentials(issuer);
    const session = await openSession(one.at(ALONE), undefined, {}, owner);
    await store.keeps(1);
    const { pid: before } = await patientAnswerOf(two, session);
    await one.kill();
    const starts = startsOf(heard);
    const unknown = new Session(session.url, forged(session.id), session.version, stranger);
    await until('the node is missed', async () => !(await two.knows(one)) && !(await three.knows(one)), NOTICE);
    for (const node of [two, three]) {
      const foreign = await patientAnswerOf(node, session.as(stranger));
      assert.equal(foreign.status, 404, node.told(JSON.stringify(foreign)));
      assert.deepEqual(await whole(at(node, session.as(stranger)).ping()), await whole(at(node, unknown).ping()));
      assert.deepEqual(await whole(at(node, session.as(stranger)).delete()), await whole(at(node, unknown).delete()));
      assert.equal((await at(node, session.as({})).ping()).status, 401);
    }
    assert.equal(startsOf(heard), starts, 'no server is started for strangers');
    const { pid } = await patientAnswerOf(three, session);
    assert.ok(pid && pid !== before, 'the owner goes on');
    for (const node of [two, three]) {
      assert.equal((await patientAnswerOf(node, session)).pid, pid);
      assert.equal((await patientAnswerOf(node, session.as(stranger))).status, 404);
    }
    assert.equal((await at(two, session).delete()).status, 200);
    await one.start();
    await until('the node is known again', async () => (await two.knows(one)) && (await three.knows(one)));
  }
});
