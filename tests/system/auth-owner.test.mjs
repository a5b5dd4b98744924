// A session belongs to its owner. For other callers it does not exist.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { suite, test } from './lib/concurrently.mjs';
import { at, lasting, missed, startCluster } from './lib/cluster.mjs';
import { gatewayWith } from './lib/config.mjs';
import { bearer, KeyFile, newKey } from './lib/credentials.mjs';
import { fixture } from './lib/gateway.mjs';
import { whole } from './lib/http.mjs';
import {
  assertAlike, assertStranger, assertStrangerToSse, assertUntouched, attempts, busySession, forged, textOf,
} from './lib/ownership.mjs';
import { openSession, post, Session } from './lib/session.mjs';
import { openSseSession } from './lib/sse.mjs';
import { ALONE, patientAnswerOf, startRecovering } from './lib/store.mjs';
import { startHandmade } from './lib/tokens.mjs';
import { until } from './lib/until.mjs';

const [command, ...args] = fixture('hostile');
const SERVERS = { a: { command, args } };
const startsOf = (heard) => heard().filter(({ method }) => method === 'start').length;

// -- pairs of callers -------------------------------------------------------------------------------------------------

const keys = ['ada', 'bob'].map((name) => newKey(name));
const byKey = ({ secret }) => bearer(secret);
const by = async (issuer, claims) => bearer(await issuer.token(claims));
// Pairs of an owner and another caller.
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
    await missed(one, two, three);
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
