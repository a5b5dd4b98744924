// A process for each caller: all sessions of the caller share it, and no other caller uses it.
import assert from 'node:assert/strict';
import { CreateMessageRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { ALONE, MERGED, openStage, stageOfOne, textOf } from './fixture/witness-stage.mjs';
import { suite, test } from './lib/concurrently.mjs';
import { connect } from './lib/client.mjs';
import { bearer, KeyFile, tryInitialize, newKey } from './lib/credentials.mjs';
import { long } from './lib/long.mjs';
import { isRunning, SLOWNESS } from './lib/processes.mjs';
import { startHandmade } from './lib/tokens.mjs';
import { until } from './lib/until.mjs';

const LIST_CHANGED = 'notifications/tools/list_changed';
const UPDATED = 'notifications/resources/updated';
// The time for which a process without sessions is kept.
const UNUSED_TIME = 60_000;
const LATE = 15_000 * SLOWNESS;

const keys = ['ada', 'bob', 'cleo'].map((name) => newKey(name));
const [ada, bob, cleo] = keys.map(({ secret }) => bearer(secret));
const authOf = () => ({ keys: new KeyFile(...keys).path });
const perCaller = (t, options = {}, gateway = {}) =>
  stageOfOne(t, { sharing: 'principal', ...options }, { auth: authOf(), grace: 0, ...gateway });
const as = (stage, who, way = ALONE, version = undefined) => stage.user('one', way, version, {}, who);
const pidOf = async (user) => Number(textOf(await user.call('pid')));
const holdingsOf = async (user) => JSON.parse(textOf(await user.call('holdings')));
const dies = (process) => until(`process ${process.pid} is gone`, () => !isRunning(process));

// Resolves when these users have received this message, and so everything before it.
async function fence(users) {
  for (const user of users) textOf(await user.call('say', { method: LIST_CHANGED }));
  await until('all are told', () => users.every((user) => user.told(LIST_CHANGED).length > 0));
}

suite('a server that each caller has a process of', { concurrency: 4 }, () => {
  test('is one process for all sessions of a caller, and another for another', async (t) => {
    const stage = await perCaller(t);
    const ways = [ALONE, MERGED, ALONE];
    const [hers, his] = await Promise.all([ada, bob].map((who) => Promise.all(ways.map((way) => as(stage, who, way)))));
    const [herPids, hisPids] = await Promise.all([hers, his].map((users) => Promise.all(users.map(pidOf))));
    assert.deepEqual([new Set(herPids).size, new Set(hisPids).size], [1, 1]);
    assert.notEqual(herPids[0], hisPids[0]);
    assert.deepEqual(stage.processes().map(({ pid }) => pid).toSorted(), [herPids[0], hisPids[0]].toSorted());
    assert.equal(stage.heard('initialize').length, 2);
  });

  test('is started once for a caller whose sessions begin all at once', async (t) => {
    const stage = await perCaller(t);
    const callers = [ada, bob, cleo].flatMap((who) => Array.from({ length: 10 }, () => who));
    const users = await Promise.all(callers.map((who) => as(stage, who)));
    const pids = await Promise.all(users.map(pidOf));
    for (const who of [ada, bob, cleo])
      assert.equal(new Set(pids.filter((_, index) => callers[index] === who)).size, 1);
    assert.equal(new Set(pids).size, 3);
    assert.equal(stage.heard('start').length, 3);
  });

  test('is a caller\'s by whatever token of the same client, and of no other client or issuer', async (t) => {
    const issuer = await startHandmade(t, 'ES256');
    const stage = await stageOfOne(t, { sharing: 'principal' }, {
      auth: { issuer: issuer.url, audience: 'troupe', ...authOf() },
    });
    const pid = async (who) => pidOf(await as(stage, who));
    const by = async (claims) => pid(bearer(await issuer.token(claims)));
    const hers = await by({ sub: 'ada' });
    assert.equal(await by({ sub: 'ada', jti: 'another', scope: 'read', groups: ['x'] }), hers);
    const others = [
      await by({ sub: 'ada', client_id: 'phone' }),
      await by({ sub: 'ada', client_id: undefined }),
      await by({ sub: 'bob' }),
      await by({ sub: 'adad', client_id: 'esk' }),
      await pid(ada),
    ];
    assert.equal(new Set([hers, ...others]).size, 6);
  });

  test('is each session\'s own where nobody says who he is', async (t) => {
    const stage = await perCaller(t, {}, { auth: { ...authOf(), allowAnonymous: true } });
    const users = await Promise.all([{}, {}, ada, ada].map((who) => as(stage, who)));
    const [first, second, hers, again] = await Promise.all(users.map(pidOf));
    assert.equal(hers, again);
    assert.equal(new Set([first, second, hers]).size, 3);
    const [process] = stage.processes().filter(({ pid }) => pid === first);
    await users[0].leave();
    await dies(process);
    assert.equal(await pidOf(users[1]), second);
  });

  test('keeps the state of a caller from all others', async (t) => {
    const stage = await perCaller(t);
    const users = await Promise.all([ada, ada, bob].map((who) => as(stage, who)));
    const [one, other, his] = await Promise.all(users.map((user) => user.listen()));
    await one.subscribe('test://a');
    await other.subscribe('test://b');
    one.begin(1, 'never').catch(() => {});
    await stage.hearsCall('never');
    assert.deepEqual((await holdingsOf(other)).subscriptions, ['test://a', 'test://b']);
    assert.equal((await holdingsOf(other)).calls.length, 1);
    assert.deepEqual(await holdingsOf(his), { calls: [], subscriptions: [] });
    assert.equal(textOf(await his.call('touch', { uri: 'test://a' })), 'false');
    assert.equal(textOf(await other.call('touch', { uri: 'test://a' })), 'true');
    await one.call('say', { method: 'notifications/message', params: { level: 'info', data: 'hers' } });
    await fence([one]);
    await until('her other session is told', () => other.told(LIST_CHANGED).length > 0);
    assert.equal(his.told().length, 0);
    await fence([his]);
    assert.deepEqual(his.told().map(({ method }) => method), [LIST_CHANGED]);
    assert.deepEqual([one, other].map((user) => user.told(UPDATED).length), [1, 0]);
    assert.deepEqual([one, other].map((user) => user.told('notifications/message').length), [1, 1]);
  });

  test('does not mix up equal ids and tokens of callers, or of sessions of one', async (t) => {
    const stage = await perCaller(t);
    const users = await Promise.all([ada, ada, bob, bob].map((who) => as(stage, who)));
    await Promise.all(users.map(async (user, n) => {
      const reply = await user.begin('same', 'echo', { message: `for ${n}`, steps: 3, ms: 10 + n }, 'token');
      const messages = await reply.all();
      const steps = messages.slice(0, -1).map(({ params }) => [params.progressToken, params.message]);
      assert.deepEqual(steps, Array(3).fill(['token', `for ${n}`]));
      assert.deepEqual([messages.at(-1).id, textOf(messages.at(-1))], ['same', `for ${n}`]);
    }));
    const waiting = users.map((user) => user.begin('waits', 'never', { of: users.indexOf(user) }));
    for (const one of waiting) one.catch(() => {});
    const calls = await stage.hearsCall('never', 4);
    await users[0].cancel('waits');
    await stage.hears('notifications/cancelled');
    const { id, pid } = calls.find(({ params }) => params.arguments.of === 0);
    const heard = stage.heard('notifications/cancelled').map((one) => [one.pid, one.params.requestId]);
    assert.deepEqual(heard, [[pid, id]]);
  });

  test('asks the client of its caller only', async (t) => {
    const stage = await perCaller(t);
    const asked = [];
    const clientOf = async (name, who) => {
      const content = { type: 'text', text: name };
      const prepare = (client) =>
        client.setRequestHandler(CreateMessageRequestSchema, () => {
          asked.push(name);
          return { model: 'none', role: 'assistant', content };
        });
      return (await connect(t, stage.gateway.at(ALONE.path('one')), { sampling: {} }, prepare, who)).client;
    };
    const [hers, his] = [await clientOf('ada', ada), await clientOf('bob', bob)];
    // Calls of other callers are in flight elsewhere.
    const busy = await as(stage, cleo);
    busy.begin(1, 'never').catch(() => {});
    await stage.hearsCall('never');
    const params = { messages: [{ role: 'user', content: { type: 'text', text: 'play' } }], maxTokens: 5 };
    const call = { name: 'ask', arguments: { method: 'sampling/createMessage', params } };
    const told = await Promise.all([hers, his].map((client) => client.callTool(call)));
    const answers = told.map(({ content }) => JSON.parse(content[0].text).result.content.text);
    assert.deepEqual(answers, ['ada', 'bob']);
    assert.deepEqual(asked.toSorted(), ['ada', 'bob']);
  });
});

// -- lifetime ---------------------------------------------------------------------------------------------------------

test('the process of a caller outlives his last session for a while, and serves his next', async (t) => {
  const stage = await perCaller(t);
  const [hers, his] = [await as(stage, ada), await as(stage, bob)];
  const [pid, other] = [await pidOf(hers), await pidOf(his)];
  await hers.subscribe('test://a');
  await hers.leave();
  const stateOf = async () => (await stage.status()).map(({ state, users }) => `${state} ${users}`).toSorted().join();
  await until('nobody uses it', async () => (await stateOf()) === 'ready 0,ready 1');
  const again = await as(stage, ada);
  assert.equal(await pidOf(again), pid);
  assert.deepEqual(await holdingsOf(again), { calls: [], subscriptions: [] }, 'what the session held is gone');
  assert.equal(await pidOf(his), other);
  assert.equal(stage.heard('start').length, 2);
});

test('the process of a caller ends when he has had no session for so long', { skip: long('a minute') }, async (t) => {
  const stage = await perCaller(t);
  const [hers, his] = [await as(stage, ada), await as(stage, bob)];
  const [pid, other] = [await pidOf(hers), await pidOf(his)];
  const process = stage.processes().find((one) => one.pid === pid);
  // Measured before she leaves, because the answer may arrive late.
  const began = Date.now();
  await hers.leave();
  await until('it ends', () => !isRunning(process), UNUSED_TIME + LATE);
  assert.ok(Date.now() - began > UNUSED_TIME - 1_000, `after ${Date.now() - began} ms`);
  assert.equal(await pidOf(his), other);
  assert.notEqual(await pidOf(await as(stage, ada)), pid);
});

test('the crash of a caller\'s process is his alone', async (t) => {
  const stage = await perCaller(t, { restart: { firstDelay: '50ms' } });
  const users = await Promise.all([ada, ada, bob].map((who) => as(stage, who)));
  const [one, other, his] = await Promise.all(users.map((user) => user.listen()));
  const [pid, theirs] = [await pidOf(one), await pidOf(his)];
  const theirCall = his.begin(1, 'echo', { message: 'served', ms: 1_000 });
  const lost = [one, other].map((user) => user.begin(2, 'never'));
  await stage.hearsCall('never', 2);
  process.kill(pid, 'SIGKILL');
  for (const reply of lost) {
    const answer = (await (await reply).all()).at(-1);
    assert.deepEqual([answer.id, answer.error?.code], [2, -32603], JSON.stringify(answer));
  }
  assert.equal(textOf((await (await theirCall).all()).at(-1)), 'served');
  const next = await until('she has another', async () => {
    const { result } = await other.call('pid');
    return result && Number(result.content[0].text);
  });
  assert.notEqual(next, pid);
  assert.equal(await pidOf(one), next, 'both her sessions live on with it');
  assert.equal(await pidOf(his), theirs);
  await until('her sessions are told', () => [one, other].every((user) => user.told(LIST_CHANGED).length > 0));
  assert.deepEqual(his.told(), []);
});

test('a caller whose process ends again and again is left alone with it, and others are served', async (t) => {
  const restart = { firstDelay: '10ms', longestDelay: '20ms', attempts: 3, rest: '5m' };
  const stage = await perCaller(t, { restart });
  const [hers, his] = [await as(stage, ada), await as(stage, bob)];
  const theirs = await pidOf(his);
  await until('hers rests', async () => {
    await hers.call('exit');
    return (await stage.status()).some(({ state }) => state === 'resting');
  });
  assert.equal(await pidOf(his), theirs);
  assert.equal(await pidOf(await as(stage, bob)), theirs);
  assert.ok(await pidOf(await as(stage, cleo)), 'who is new gets one');
  assert.equal((await hers.call('pid')).error.code, -32603);
});

// -- limits -----------------------------------------------------------------------------------------------------------

test('a process more than are allowed is refused to whom it would be for, and to nobody else', async (t) => {
  const stage = await perCaller(t, {}, { limits: { processes: 2 } });
  const [hers, his] = [await as(stage, ada), await as(stage, bob)];
  const pids = await Promise.all([hers, his].map(pidOf));
  const refused = await tryInitialize(stage.gateway.at(ALONE.path('one')), cleo);
  assert.equal(refused.status, 503, refused.received);
  assert.deepEqual(await Promise.all([hers, his, await as(stage, ada), await as(stage, bob, MERGED)].map(pidOf)), [
    ...pids, ...pids,
  ]);
  assert.equal(stage.processes().length, 2);
});

const LIMITS = {
  sessions: { sessions: 2 },
  calls: { calls: 2 },
  initializes: { initializesPerMinute: 2 },
};
const limited = (t, what) => perCaller(t, {}, { limits: { perAddress: LIMITS[what] } });

test('each caller has as many sessions as are allowed', async (t) => {
  const stage = await limited(t, 'sessions');
  const url = stage.gateway.at(ALONE.path('one'));
  for (const who of [ada, bob]) {
    const users = [await as(stage, who), await as(stage, who)];
    const refused = await tryInitialize(url, who);
    assert.equal(refused.status, 429, refused.received);
    assert.ok(Number(refused.headers['retry-after']) > 0);
    assert.equal((await users[0].session.ping()).status, 200);
    await users[1].leave();
    await until('there is room', async () => (await tryInitialize(url, who)).status === 200);
  }
});

test('each caller has as many calls in flight as are allowed, in all his sessions', async (t) => {
  const stage = await limited(t, 'calls');
  const users = await Promise.all([ada, ada].map((who) => as(stage, who)));
  users.forEach((user) => user.begin('waits', 'never').catch(() => {}));
  await stage.hearsCall('never', 2);
  for (const user of users) assert.equal((await user.begin(2, 'pid')).status, 429);
  const his = await as(stage, bob);
  assert.ok(await pidOf(his), 'another has his own');
  await users[0].cancel('waits');
  await until('there is room', async () => (await users[1].begin(3, 'pid')).status === 200);
});

test('who comes by way of several clients has the limits of one', async (t) => {
  const issuer = await startHandmade(t, 'ES256');
  const auth = { issuer: issuer.url, audience: 'troupe' };
  const stage = await perCaller(t, {}, { auth, limits: { perAddress: LIMITS.initializes } });
  const url = stage.gateway.at(ALONE.path('one'));
  const statusOf = async (claims) => (await tryInitialize(url, bearer(await issuer.token(claims)))).status;
  await until('she has begun all that she may', async () => (await statusOf({ client_id: 'desk' })) === 429);
  // On a busy machine one more request may be accepted meanwhile, but not two: that takes half a minute each time.
  const others = [await statusOf({ client_id: 'phone' }), await statusOf({ client_id: 'phone' })];
  assert.ok(others.includes(429), others.join());
  assert.equal(await statusOf({ sub: 'bob' }), 200);
});

test('rules and sharing go together: who may not use it has no process of it', async (t) => {
  const stage = await openStage(t, (witness) => ({
    mcpServers: {
      one: witness('one', { sharing: 'principal', access: { names: ['ada', 'bob'] } }),
      other: witness('other', { sharing: 'principal' }),
    },
    gateway: { auth: authOf() },
  }));
  const users = await Promise.all([ada, bob].map((who) => as(stage, who)));
  const theirs = await stage.user('other', MERGED, undefined, {}, cleo);
  assert.ok(await pidOf(theirs));
  const { result } = await theirs.ask('tools/list', {});
  assert.deepEqual(result.tools.filter(({ name }) => name.startsWith('one__')), []);
  assert.equal(new Set(await Promise.all(users.map(pidOf))).size, 2);
  assert.equal(stage.processes('one').length, 2);
  assert.equal((await tryInitialize(stage.gateway.at(ALONE.path('one')), cleo)).status, 404);
  assert.equal(stage.heard('start', 'one').length, 2);
});
