// Sessions of shared, pooled and remote servers that survive their node.
import assert from 'node:assert/strict';
import { test } from './lib/concurrently.mjs';
import { at, missed } from './lib/cluster.mjs';
import { debugState } from './lib/state.mjs';
import {
  ALONE, answerOf, asked, assertMarks, counting, idOfMark, introduce, listening, marksOn, NOTICE, pidAt, resumeAfter,
  startRecovering, touch,
} from './lib/store.mjs';
import { until } from './lib/until.mjs';
import { startFixture } from './lib/via.mjs';

const paramsOf = (entries, wanted) => entries.filter(({ method }) => method === wanted).map(({ params }) => params);
const startsOf = (heard) => heard().filter(({ method }) => method === 'start').map(({ pid }) => pid);
const subscribe = (session, uri) => asked(session, 'resources/subscribe', { uri });

// A session with a subscription, and a stream that has received one update.
async function listeningSession(nodes, mark) {
  const session = await introduce(nodes[0].at(ALONE));
  await subscribe(session, 'test://one');
  const stream = await listening(nodes[1], session);
  await touch(nodes[1], session, [mark]);
  await until('it is seen', () => marksOn(stream).includes(mark));
  return { session, stream };
}

test('sessions of a shared server go on with the one of another node, each with its own streams', async (t) => {
  const { nodes, store, heard, cluster } = await startRecovering(t, { servers: { a: { sharing: 'shared' } } });
  const [one, two, three] = nodes;
  const bystander = await introduce(two.at(ALONE));
  const [theirs, before] = [await pidAt(two, bystander), await pidAt(one, await introduce(one.at(ALONE)))];
  const first = await listeningSession(nodes, 'first');
  const second = await introduce(one.at(ALONE));
  assert.equal(await pidAt(three, second), before, 'the sessions of a node share its server');
  await store.keeps(4);
  await one.kill();
  await first.stream.done;
  for (const session of [first.session, second]) assert.equal(await pidAt(two, session), theirs);
  assert.equal(startsOf(heard).length, 2, 'no server is started that is there');
  assert.equal(paramsOf(heard(theirs), 'initialize').length, 1);
  assert.deepEqual(paramsOf(heard(theirs), 'resources/subscribe'), [{ uri: 'test://one' }]);
  const mine = await listening(two, first.session, resumeAfter(idOfMark(first.stream, 'first')));
  const others = await listening(three, second);
  await subscribe(at(two, second), 'test://two');
  await touch(two, second, ['for two'], 'test://two');
  await assertMarks(three, first.session, mine, [], 'for one');
  await until('the other has its own', () => marksOn(others).length > 0);
  assert.deepEqual([marksOn(mine), marksOn(others)], [['for one'], ['for two']]);
  for (const session of [first.session, second, bystander])
    assert.equal((await at(three, session).delete()).status, 200);
  await one.start();
  await cluster.whole();
});

test('sessions of a pooled server go on with those that wait in the pool of another node', async (t) => {
  const { nodes, store, heard } = await startRecovering(t, { servers: { a: { sharing: 'pool', poolSize: 2 } } });
  const [one, two, three] = nodes;
  await until('all pools are full', () => startsOf(heard).length === 6);
  const sessions = [];
  for (const _ of counting(1, 3)) sessions.push(await introduce(one.at(ALONE)));
  const before = await Promise.all(sessions.map((session) => pidAt(three, session)));
  const { session, stream } = await listeningSession(nodes, 'first');
  await store.keeps(4);
  const waiting = new Set(two.children().map(({ pid }) => pid));
  await one.kill();
  await stream.done;
  const pid = await pidAt(two, session);
  assert.ok(waiting.has(pid), `${pid} is none of ${[...waiting]}`);
  assert.deepEqual(paramsOf(heard(pid), 'resources/subscribe'), [{ uri: 'test://one' }]);
  const again = await listening(three, session);
  await assertMarks(two, session, again, [], 'second');
  const after = [];
  for (const each of sessions) after.push(await pidAt(two, each));
  assert.equal(new Set([...before, ...after, pid]).size, 7, 'no two sessions have one server');
  assert.equal((await debugState(two)).sessions, 4);
  for (const each of [...sessions, session]) assert.equal((await at(two, each).delete()).status, 200);
});

const remoteServer = ({ url }) => ({ command: undefined, args: undefined, type: 'http', url });

test('a session of a remote server goes on with a session there that another node begins', async (t) => {
  const remote = await startFixture();
  t.after(() => remote.stop());
  const { nodes, store } = await startRecovering(t, { servers: { a: remoteServer(remote) } });
  const [one, two, three] = nodes;
  const session = await introduce(one.at(ALONE));
  const call = async (node, name, args = {}) => {
    const { content } = await asked(at(node, session), 'tools/call', { name, arguments: args });
    return content[0].text;
  };
  const uri = 'test://watched-resource';
  await subscribe(session, uri);
  await asked(session, 'logging/setLevel', { level: 'debug' });
  assert.equal(await call(two, 'touch', { uri }), 'Told');
  await store.keeps(1);
  const stream = await listening(two, session);
  await one.kill();
  await stream.done;
  await missed(one, two, three);
  const again = await listening(two, session);
  const told = (method) => again.message(method, (message) => message.method === method);
  for (const node of [two, three]) assert.equal(await call(node, 'touch', { uri }), 'Told');
  assert.deepEqual((await told('notifications/resources/updated')).params, { uri });
  assert.equal(await call(three, 'announce'), 'Soon');
  await told('notifications/tools/list_changed');
  assert.deepEqual(await Promise.all([two, three].map(async (node) => (await debugState(node)).sessions)), [1, 0]);
  assert.equal((await at(three, session).delete()).status, 200);
  assert.equal((await at(two, session).ping()).status, 404);
});

const LEAVING = {
  'is killed': { leave: (node) => node.kill(), heartbeat: undefined },
  // A heartbeat so long that no node waits for the lease.
  drains: { leave: (node) => node.gateway.signal('SIGTERM'), heartbeat: 60 },
};

for (const [what, { leave, heartbeat }] of Object.entries(LEAVING))
  test(`a session of shared, pooled and remote servers as one goes on with all when its node ${what}`, async (t) => {
    const remote = await startFixture();
    t.after(() => remote.stop());
    const servers = { s: { sharing: 'shared' }, p: { sharing: 'pool' }, r: remoteServer(remote) };
    const options = { servers, gateway: { grace: '1s' }, ...(heartbeat && { heartbeat }) };
    const { nodes, store } = await startRecovering(t, options);
    const [one, two, three] = nodes;
    const session = await introduce(one.url);
    const pidsAt = async (node) => {
      const found = [];
      for (const name of ['s__pid', 'p__pid']) found.push((await answerOf(node, session, name)).pid);
      return found;
    };
    for (const [server, uri] of [['s', 'test://one'], ['p', 'test://one'], ['r', 'test://watched-resource']])
      await subscribe(session, `troupe://${server}/${uri}`);
    const before = await pidsAt(two);
    await store.keeps(1);
    const left = leave(one);
    const after = await until('others go on', async () => {
      const pids = await pidsAt(two);
      return pids.every((pid) => pid && !before.includes(pid)) && pids;
    }, NOTICE);
    await left;
    assert.equal(new Set([...before, ...after]).size, 4);
    const stream = await listening(three, session);
    const touched = async (name, uri) =>
      (await asked(at(three, session), 'tools/call', { name, arguments: { uri, mark: name } })).content[0].text;
    assert.equal(await touched('s__touch', 'test://one'), 'true');
    assert.equal(await touched('p__touch', 'test://one'), 'true');
    assert.equal(await touched('r__touch', 'test://watched-resource'), 'Told');
    const updates = () => stream.messages.filter(({ method }) => method === 'notifications/resources/updated');
    await until('all updates come', () => updates().length >= 3);
    const uris = updates().map(({ params }) => params.uri).toSorted();
    assert.deepEqual(uris, ['troupe://p/test://one', 'troupe://r/test://watched-resource', 'troupe://s/test://one']);
    assert.deepEqual(await pidsAt(three), after);
    assert.equal((await at(three, session).delete()).status, 200);
  });
