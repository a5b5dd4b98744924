// Servers that exit, hang or fail repeatedly, and the effect on their users.
import assert from 'node:assert/strict';
import { ALONE, MERGED, openStage, stageOfOne, textOf } from './fixture/witness-stage.mjs';
import { suite, test } from './lib/concurrently.mjs';
import { isRunning } from './lib/processes.mjs';
import { initializeRequest, LATEST, post, Session } from './lib/session.mjs';
import { until } from './lib/until.mjs';

const AT_ONCE = 20_000;
const URI = 'test://watched';
const QUICK = { firstDelay: '50ms', longestDelay: '100ms', attempts: 4, rest: '1s' };
const GROUPS = ['prompts', 'resources', 'tools'];

const KINDS = {
  'of a session': { ends: true },
  'of a session, to be restarted': { options: { restart: true } },
  shared: { options: { sharing: 'shared' } },
  'that is shared and merged': { options: { sharing: 'shared' }, way: MERGED },
  'from a pool': { options: { sharing: 'pool', poolSize: 1 }, ends: true },
  'from a pool, to be restarted': { options: { sharing: 'pool', poolSize: 1, restart: QUICK } },
  'that is merged': { way: MERGED },
};

const youngest = (stage) => stage.processes().find(({ pid }) => pid === stage.heardCalls('pid').at(-1).pid);

// The ways to lose a server during a call.
const FAULTS = {
  'is killed': { bring: (stage) => process.kill(youngest(stage).pid, 'SIGKILL') },
  exits: {
    bring: async (stage, user) => assert.equal((await user.call('exit')).error.code, -32603),
  },
};

async function assertFails(reply, id) {
  const began = Date.now();
  const { error, id: answered } = (await (await reply).all()).at(-1);
  assert.deepEqual([answered, error?.code], [id, -32603]);
  assert.ok(Date.now() - began < AT_ONCE, `it took ${Date.now() - began} ms`);
}

async function watch(user) {
  await user.listen();
  assert.deepEqual((await user.subscribe(URI)).result, {});
  assert.deepEqual((await user.ask('logging/setLevel', { level: 'warning' })).result, {});
}

const groupsTold = (user) => {
  const told = user.told().map(({ method }) => /^notifications\/(\w+)\/list_changed$/.exec(method)?.[1]);
  return GROUPS.filter((group) => told.includes(group));
};

// Asserts the state that a new process must receive first, and the notifications for its users.
async function assertReplayed(stage, user, pid) {
  const told = () => stage.journal().filter((entry) => entry.pid === pid);
  const methods = () => told().map(({ method }) => method);
  await until('it is subscribed to', () => methods().includes('resources/subscribe'));
  assert.deepEqual(methods().slice(0, 3), ['start', 'initialize', 'notifications/initialized']);
  const param = (method, name) => told().find((entry) => entry.method === method)?.params[name];
  assert.equal(param('resources/subscribe', 'uri'), URI);
  await until('it is told the level', () => param('logging/setLevel', 'level') === 'warning');
  await until('the lists are said to have changed', () => groupsTold(user).length === GROUPS.length);
}

// Resolves with the next process that answers.
const recovered = (user) =>
  until('it answers again', async () => {
    const { result } = await user.call('pid');
    return result && Number(result.content[0].text);
  });

suite('a server that hangs in a call is given up by its timeout, and told so', { concurrency: true }, () => {
  for (const [kind, { options = {}, way = ALONE }] of Object.entries(KINDS))
    test(kind, async (t) => {
      const stage = await stageOfOne(t, { ...options, timeout: '6s' });
      await stage.measure(way);
      const user = await stage.user('one', way);
      const call = user.begin(1, 'never', {}, 'token');
      const [heard] = await stage.hearsCall('never');
      const slow = { message: 'slow but alive', steps: 6, ms: 1_200 };
      const alive = user.begin(2, 'echo', slow, 'another token');
      await assertFails(call, 1);
      await stage.hears('notifications/cancelled');
      assert.equal(textOf((await (await alive).all()).at(-1)), 'slow but alive');
      assert.deepEqual(stage.heard('notifications/cancelled').map(({ params }) => params.requestId), [heard.id]);

      await user.call('pid');
      const stopped = youngest(stage);
      process.kill(stopped.pid, 'SIGSTOP');
      t.after(() => isRunning(stopped) && process.kill(stopped.pid, 'SIGCONT'));
      await assertFails(user.begin(3, 'echo', { message: 'frozen' }), 3);
      process.kill(stopped.pid, 'SIGCONT');
      await stage.hears('notifications/cancelled', 2);
      assert.equal(textOf(await user.call('echo', { message: 'again' })), 'again');
      await user.leave();
      await stage.back();
    });
});

for (const [kind, { options = {}, way = ALONE, ends = false }] of Object.entries(KINDS))
  suite(`a server ${kind}`, () => {
    for (const [fault, { bring }] of Object.entries(FAULTS))
      test(`that ${fault} fails its calls at once, and its sessions ${ends ? 'end' : 'live on'}`, async (t) => {
        const stage = await stageOfOne(t, options);
        await stage.measure(way);
        const user = await stage.user('one', way);
        await watch(user);
        await user.call('pid');
        const lost = youngest(stage);
        const call = user.begin(1, 'never', {}, 'token');
        await stage.hearsCall('never');
        await bring(stage, user);
        await assertFails(call, 1);
        await until('its process is gone', () => !isRunning(lost));
        if (ends) {
          await until('the session is gone', async () => (await user.session.ping()).status === 404, AT_ONCE);
        } else {
          const pid = await recovered(user);
          assert.notEqual(pid, lost.pid);
          await assertReplayed(stage, user, pid);
          assert.equal((await user.session.ping()).status, 200);
          assert.equal(textOf(await user.call('touch', { uri: URI })), 'true');
          await until('the update arrives', () => user.told('notifications/resources/updated').length === 1);
        }
        assert.equal(stage.heardCalls('never').length, 1, 'a call is never tried again');
        assert.ok(stage.heardCalls('exit').length <= 1);
        await user.leave();
        await stage.back();
      });
  });

// -- servers that fail repeatedly ----------------------------------------------------------------------------------

const isIn = (stage, wanted, usedBy = 0) =>
  until(`it is ${wanted}`, async () => {
    const status = await stage.status();
    return status.find(({ state, users }) => state === wanted && users === usedBy);
  });

const logged = (stage, text) => stage.gateway.log.filter((line) => line.includes(text)).map((line) => JSON.parse(line));

suite('a server that ends again and again is left alone for a while, and tried again then', { concurrency: true }, () => {
  for (const [kind, { options = {}, way = ALONE, ends }] of Object.entries(KINDS)) {
    if (ends) continue;
    test(kind, async (t) => {
      const stage = await stageOfOne(t, { ...options, restart: QUICK });
      await stage.measure(way);
      const user = await stage.user('one', way);
      await watch(user);
      await user.call('pid');
      await stage.raise('exits');
      // A spare process may have started before the flag existed. Later ones exit by themselves.
      stage.killAll();
      const { restarts, why } = await isIn(stage, 'resting', 1);
      assert.ok(restarts >= QUICK.attempts - 1 && why.length > 0, `${restarts} ${why}`);
      const [record] = await until('the log tells it', () => {
        const records = logged(stage, 'server failed').filter(({ level }) => level === 'error');
        return records.length > 0 && records;
      });
      assert.equal(record.server, 'one');
      assert.ok(record.next_try_in && record.next_try_at && record.why, JSON.stringify(record));
      assert.ok(Number(record.failures) >= QUICK.attempts, JSON.stringify(record));
      await assertFails(user.begin(1, 'pid'), 1);
      stage.lower('exits');
      const pid = await recovered(user);
      await assertReplayed(stage, user, pid);
      await user.leave();
      await stage.back();
    });
  }
});

test('the pauses before a server is started again grow', async (t) => {
  const restart = { firstDelay: '1s', longestDelay: '10s', attempts: 4, rest: '60s' };
  const stage = await stageOfOne(t, { sharing: 'shared', restart });
  const user = await stage.user();
  await stage.raise('exits');
  process.kill(stage.processes()[0].pid, 'SIGKILL');
  await isIn(stage, 'waiting', 1);
  const { error } = await user.call('pid');
  assert.equal(error.code, -32603);
  await isIn(stage, 'resting', 1);
  const times = stage.heard('start').map(({ at }) => at);
  assert.equal(times.length, 4);
  // A process may report its start late, and the next one less so.
  assert.ok(times[2] - times[1] >= 500 && times[3] - times[2] >= 1_300, String(times));
});

test('a server that is shared is not started again when nobody is left who uses it', async (t) => {
  const stage = await stageOfOne(t, { sharing: 'shared', restart: { ...QUICK, rest: '100ms' } });
  const user = await stage.user();
  await stage.raise('exits');
  process.kill(stage.processes()[0].pid, 'SIGKILL');
  await stage.hears('start', 8);
  await user.leave();
  await isIn(stage, 'idle');
  const starts = stage.heard('start').length;
  stage.lower('exits');
  const next = await until('its rest is over', () => stage.user().catch(() => undefined));
  assert.ok(textOf(await next.call('pid')));
  assert.ok(stage.heard('start').length <= starts + 2);
});

test('a server that is shared and eager is started again even though nobody uses it', async (t) => {
  const stage = await stageOfOne(t, { sharing: 'shared', eager: true, restart: QUICK });
  await isIn(stage, 'ready');
  await stage.raise('exits');
  process.kill(stage.processes()[0].pid, 'SIGKILL');
  await isIn(stage, 'resting');
  stage.lower('exits');
  await isIn(stage, 'ready');
  assert.ok(textOf(await (await stage.user()).call('pid')));
});

for (const kind of ['of a session', 'from a pool'])
  test(`a server ${kind} that never starts is not tried for each client`, async (t) => {
    const stage = await stageOfOne(t, KINDS[kind].options);
    await stage.raise('exits');
    await until('it is given up', async () => {
      const reply = await post(stage.gateway.at(ALONE.path('one')), initializeRequest());
      const [answer] = await reply.all();
      // Processes of a pool may have started before the flag existed.
      const session = reply.headers['mcp-session-id'];
      if (answer.error) assert.equal(answer.error.code, -32603);
      else await new Session(stage.gateway.at(ALONE.path('one')), session, LATEST).delete();
      return (await stage.status()).some(({ state, session: of }) => state === 'resting' && of === '');
    });
    const starts = stage.heard('start').length;
    for (let round = 0; round < 10; ++round) {
      const began = Date.now();
      const [answer] = await (await post(stage.gateway.at(ALONE.path('one')), initializeRequest())).all();
      assert.equal(answer.error.code, -32603);
      assert.ok(Date.now() - began < AT_ONCE);
    }
    assert.ok(stage.heard('start').length <= starts + 1);
    assert.ok(logged(stage, 'server is not started for new sessions').length > 0);
    await until('no process is left', () => stage.gateway.children().length === 0);
  });

suite('a server that does not answer initialize when it is started again', { concurrency: true }, () => {
  for (const [kind, { options = {}, way = ALONE, ends }] of Object.entries(KINDS)) {
    if (ends) continue;
    test(`fails what waits for it, and is tried again (${kind})`, async (t) => {
      const restart = { ...QUICK, attempts: 50 };
      const stage = await stageOfOne(t, { ...options, restart }, { initializeTimeout: '8s' });
      await stage.measure(way);
      const user = await (await stage.user('one', way)).listen();
      await user.call('pid');
      const before = stage.heard('initialize').length;
      await stage.raise('mute');
      process.kill(youngest(stage).pid, 'SIGKILL');
      await stage.hears('initialize', before + 1);
      const waiting = (await (await user.begin(1, 'pid')).all()).at(-1);
      assert.deepEqual([waiting.id, waiting.error?.code], [1, -32603]);
      stage.lower('mute');
      await recovered(user);
      await until('the lists are said to have changed', () => groupsTold(user).length === GROUPS.length);
      await user.leave();
      await stage.back();
    });
  }
});

// -- other callers -------------------------------------------------------------------------------------------------

test('all sessions of a server that is shared are told of its loss, each for its own calls', async (t) => {
  const stage = await stageOfOne(t, { sharing: 'shared' });
  await stage.measure();
  const users = await Promise.all((await stage.users(20)).map((user) => user.listen()));
  await users[0].subscribe(URI);
  await users[1].subscribe(URI);
  const calls = users.map((user, n) => user.begin(n, 'never'));
  await stage.hearsCall('never', 20);
  process.kill(stage.processes()[0].pid, 'SIGKILL');
  await Promise.all(calls.map(assertFails));
  await Promise.all(users.map(recovered));
  await until('all are told', () => users.every((user) => groupsTold(user).length === GROUPS.length));
  assert.equal(stage.heard('resources/subscribe').length, 2);
  assert.equal(stage.heardCalls('never').length, 20);
  assert.equal((await stage.status())[0].restarts, 1);
  await Promise.all(users.map((user) => user.leave()));
  await stage.back();
});

test('the loss of one session\'s process is not felt by the others', async (t) => {
  const stage = await stageOfOne(t, {});
  const [one, other] = await stage.users(2);
  const going = other.begin(1, 'echo', { message: 'unharmed', steps: 10, ms: 50 }, 'token');
  await one.call('pid');
  process.kill(youngest(stage).pid, 'SIGKILL');
  await until('its session is gone', async () => (await one.session.ping()).status === 404);
  assert.equal(textOf((await (await going).all()).at(-1)), 'unharmed');
});

for (const [kind, options] of [['shared', { sharing: 'shared' }], ['of a session', { restart: true }]])
  test(`what a server asked (${kind}) is withdrawn when it dies`, async (t) => {
    const stage = await stageOfOne(t, options);
    const user = await stage.user('one', ALONE, undefined, { elicitation: {} });
    const params = { message: 'Who?', requestedSchema: { type: 'object', properties: {} } };
    await user.listen();
    const reply = await user.begin(1, 'ask', { method: 'elicitation/create', params });
    const heard = () => [...reply.messages, ...user.told()];
    const question = await until('it asks', () => heard().find(({ method }) => method === 'elicitation/create'));
    process.kill(stage.processes()[0].pid, 'SIGKILL');
    await assertFails(reply, 1);
    await until('the question is withdrawn', () =>
      heard().some(({ method, params: of }) => method === 'notifications/cancelled' && of.requestId === question.id),
    );
  });

for (const [kind, options] of [['shared', { sharing: 'shared' }], ['of a session', {}]])
  test(`a merged server (${kind}) learns the level that was chosen while it was down`, async (t) => {
    const stage = await stageOfOne(t, { ...options, restart: QUICK });
    const user = await stage.user('one', MERGED);
    await user.call('pid');
    await stage.raise('exits');
    process.kill(youngest(stage).pid, 'SIGKILL');
    await isIn(stage, 'resting', 1);
    assert.deepEqual((await user.ask('logging/setLevel', { level: 'critical' })).result, {});
    stage.lower('exits');
    await recovered(user);
    await stage.hears('logging/setLevel');
    assert.equal(stage.heard('logging/setLevel').at(-1).params.level, 'critical');
  });

test('bad servers among good ones harm nobody but themselves', async (t) => {
  const stage = await openStage(t, (witness) => ({
    mcpServers: {
      good: witness('good', { sharing: 'shared' }),
      one: witness('one', { restart: { ...QUICK, attempts: 2, rest: '200ms' } }),
      mute: witness('mute'),
      missing: { command: '/no/such/command' },
    },
    gateway: { listPatience: '500ms' },
  }));
  await Promise.all([stage.raise('exits'), stage.raise('mute', 'mute')]);
  const user = await (await stage.user('good', MERGED)).listen();
  const bad = (server, id) => {
    const alone = Object.assign(Object.create(Object.getPrototypeOf(user)), user, { server });
    return assertFails(alone.begin(id, 'pid'), id);
  };
  const servers = async () => {
    const { result } = await user.ask('tools/list', {});
    return [...new Set(result.tools.map(({ name }) => name.split('__')[0]))];
  };
  // The list omits the server until it has started.
  const listed = await until('some are listed', async () => {
    const all = await servers();
    return all.length > 0 && all;
  });
  assert.deepEqual(listed, ['good']);
  const going = user.begin(1, 'echo', { message: 'unharmed', steps: 20, ms: 50 }, 'token');
  await Promise.all([bad('one', 2), bad('missing', 3)]);
  for (let round = 0; round < 10; ++round)
    assert.equal(textOf(await user.call('echo', { message: `${round}` })), `${round}`);
  await stage.hears('start', 3);
  assert.equal(textOf((await (await going).all()).at(-1)), 'unharmed');
  stage.lower('exits');
  await until('the one that is well again is announced', () => groupsTold(user).length === GROUPS.length);
  await until('it is listed', async () => (await servers()).includes('one'));
});
