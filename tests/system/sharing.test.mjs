// Shared processes, dedicated processes, and spare processes.
import assert from 'node:assert/strict';
import { CreateMessageRequestSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { ALONE, MERGED, openStage, stageOfOne, textOf } from './fixture/witness-stage.mjs';
import { suite, test } from './lib/concurrently.mjs';
import { connect } from './lib/client.mjs';
import { gatewayWith } from './lib/config.mjs';
import { everything } from './lib/gateway.mjs';
import { isRunning } from './lib/processes.mjs';
import { until } from './lib/until.mjs';

const LIST_CHANGED = 'notifications/tools/list_changed';
const shared = (t, options = {}) => stageOfOne(t, { sharing: 'shared', ...options });
const pids = (processes) => processes.map(({ pid }) => pid);
const each = (users, action) => Promise.all(users.map(action));

// Resolves when all sessions have received this message, and so everything before it.
async function tellAll(teller, listeners) {
  textOf(await teller.call('say', { method: LIST_CHANGED }));
  await until('all are told', () => listeners.every((user) => user.told(LIST_CHANGED).length > 0));
}

suite('a server that is shared', { concurrency: 4 }, () => {
  test('serves fifty sessions at once with one process, and mixes nothing up', async (t) => {
    const stage = await shared(t);
    await stage.measure();
    const users = await stage.users(50);
    await each(users, async (user, n) => {
      // All sessions use the same ids and tokens.
      const calls = [1, 2, 3, 4].map(async (id) => {
        const message = `${n} ${id}`;
        const reply = await user.begin(id, 'echo', { message, steps: id % 3, ms: (n * 7 + id * 3) % 20 }, `token ${id}`);
        const messages = await reply.all();
        const progress = messages.slice(0, -1).map(({ params }) => [params.progressToken, params.progress, params.message]);
        assert.deepEqual(progress, [1, 2].slice(0, id % 3).map((step) => [`token ${id}`, step, message]));
        assert.deepEqual([messages.at(-1).id, textOf(messages.at(-1))], [id, message]);
      });
      await Promise.all(calls);
    });
    assert.equal(stage.processes().length, 1);
    assert.equal(stage.heard('start').length, 1);
    await each(users, (user) => user.leave());
    await stage.back();
  });

  test('is initialised once, by the gateway, whose clients get the result in their revision', async (t) => {
    const stage = await shared(t);
    for (const version of ['2025-11-25', '2025-06-18', '2025-03-26']) {
      const user = await stage.user('one', ALONE, version, { roots: {} });
      const { result } = await user.ask('initialize', { protocolVersion: version, capabilities: {}, clientInfo: {} });
      assert.equal(result, undefined, 'a second initialize of a session is refused');
    }
    const [initialize, ...further] = stage.heard('initialize');
    assert.deepEqual(further, []);
    assert.equal(initialize.params.clientInfo.name, 'troupe');
    assert.equal(initialize.params.protocolVersion, '2025-11-25');
    assert.equal(initialize.params.capabilities.roots, undefined);
    await stage.hears('notifications/initialized');
    assert.equal(stage.heard('notifications/initialized').length, 1);
  });

  test('shows the official client its own name and capabilities', async (t) => {
    const stage = await shared(t);
    const { client } = await connect(t, stage.gateway.at(ALONE.path('one')));
    assert.deepEqual(client.getServerVersion(), { name: 'witness', version: '1' });
    assert.ok(client.getServerCapabilities().resources.subscribe);
    assert.equal(client.getServerCapabilities().completions, undefined);
  });

  test('is told of the cancellation of the one call, not of its namesake in another session', async (t) => {
    const stage = await shared(t);
    const [one, two, third] = await stage.users(3);
    for (const [owner, user] of Object.entries({ one, two })) user.begin(1, 'never', { owner }).catch(() => {});
    const calls = await stage.hearsCall('never', 2);
    const idOf = (owner) => calls.find(({ params }) => params.arguments.owner === owner).id;
    assert.equal((await one.cancel(1)).status, 202);
    await stage.hears('notifications/cancelled');
    assert.deepEqual(stage.heard('notifications/cancelled').map(({ params }) => params.requestId), [idOf('one')]);
    assert.deepEqual(JSON.parse(textOf(await third.call('holdings'))).calls, [idOf('two')]);
  });

  test('is subscribed to once a URI, and its updates go to the subscribers only', async (t) => {
    const stage = await shared(t);
    const users = await each(await stage.users(4), (user) => user.listen());
    const [first, second, third, none] = users;
    for (const [user, uri] of [[first, 'test://a'], [second, 'test://a'], [third, 'test://b']])
      assert.deepEqual((await user.subscribe(uri)).result, {});
    assert.deepEqual(stage.heard('resources/subscribe').map(({ params }) => params.uri), ['test://a', 'test://b']);
    for (const uri of ['test://a', 'test://b']) assert.equal(textOf(await none.call('touch', { uri })), 'true');
    await tellAll(none, users);
    const updates = users.map((user) => user.told('notifications/resources/updated').map(({ params }) => params.uri));
    assert.deepEqual(updates, [['test://a'], ['test://a'], ['test://b'], []]);

    await first.unsubscribe('test://a');
    assert.equal(textOf(await none.call('touch', { uri: 'test://a' })), 'true');
    await second.unsubscribe('test://a');
    assert.equal(textOf(await none.call('touch', { uri: 'test://a' })), 'false');
    assert.deepEqual(stage.heard('resources/unsubscribe').map(({ params }) => params.uri), ['test://a']);
    await until('the second is told', () => second.told('notifications/resources/updated').length === 2);
    assert.equal(first.told('notifications/resources/updated').length, 1);
  });

  test('logs to each session by the level it chose, and at the most verbose of them', async (t) => {
    const stage = await shared(t);
    const users = await each(await stage.users(4), (user) => user.listen());
    const [verbose, brief, silent, teller] = users;
    await brief.ask('logging/setLevel', { level: 'error' });
    await verbose.ask('logging/setLevel', { level: 'debug' });
    assert.deepEqual((await brief.ask('logging/setLevel', { level: 'critical' })).result, {});
    assert.equal(stage.heard('logging/setLevel').at(-1).params.level, 'debug');
    for (const level of ['debug', 'info', 'error', 'critical'])
      await teller.call('say', { method: 'notifications/message', params: { level, data: level } });
    await tellAll(teller, users);
    const levels = (user) => user.told('notifications/message').map(({ params }) => params.data);
    assert.deepEqual(levels(verbose), ['debug', 'info', 'error', 'critical']);
    assert.deepEqual(levels(brief), ['critical']);
    assert.deepEqual(levels(silent), ['info', 'error', 'critical']);
    assert.equal((await brief.ask('logging/setLevel', { level: 'loud' })).error.code, -32602);
    await verbose.leave();
    await until('it is told to be less verbose', () => stage.heard('logging/setLevel').at(-1).params.level !== 'debug');
  });

  test('says to all sessions that a list changed', async (t) => {
    const stage = await shared(t);
    const [teller, ...users] = await each(await stage.users(20), (user) => user.listen());
    for (const kind of ['tools', 'prompts', 'resources'])
      await teller.call('say', { method: `notifications/${kind}/list_changed` });
    const kinds = (user) => user.told().map(({ method }) => method.split('/')[1]);
    await until('all are told', () => users.every((user) => kinds(user).length === 3));
    for (const user of users) assert.deepEqual(kinds(user), ['tools', 'prompts', 'resources']);
  });

  for (const [what, method, schema, result] of [
    ['elicitation', 'elicitation/create', ElicitRequestSchema, { action: 'accept', content: { name: 'Ada' } }],
    [
      'sampling',
      'sampling/createMessage',
      CreateMessageRequestSchema,
      { model: 'none', role: 'assistant', content: { type: 'text', text: 'yes' } },
    ],
  ])
    test(`asks the only session with a call in flight (${what}), and is refused when there are two`, async (t) => {
      const stage = await shared(t);
      const asked = [];
      const client = async (name) => {
        const capabilities = { sampling: {}, elicitation: {} };
        const prepare = (one) =>
          one.setRequestHandler(schema, () => {
            asked.push(name);
            return result;
          });
        return (await connect(t, stage.gateway.at(ALONE.path('one')), capabilities, prepare)).client;
      };
      const [one, other] = [await client('one'), await client('other')];
      const params =
        what === 'sampling'
          ? { messages: [{ role: 'user', content: { type: 'text', text: 'play' } }], maxTokens: 5 }
          : { message: 'Who?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } };
      const call = { name: 'ask', arguments: { method, params } };
      assert.deepEqual(JSON.parse((await one.callTool(call)).content[0].text).result, result);
      assert.deepEqual(asked, ['one']);

      const abort = new AbortController();
      const busy = other.callTool({ name: 'never', arguments: {} }, undefined, { signal: abort.signal });
      busy.catch(() => {});
      await stage.hearsCall('never');
      assert.equal(JSON.parse((await one.callTool(call)).content[0].text).error.code, -32603);
      assert.deepEqual(asked, ['one']);
      abort.abort('enough');
      await stage.hears('notifications/cancelled');
      assert.equal(JSON.parse((await one.callTool(call)).content[0].text).error.code, -32603, 'it may be at it yet');
      assert.deepEqual(asked, ['one']);
    });

  test('is told that a session left: its calls are cancelled and its subscriptions end', async (t) => {
    const stage = await shared(t);
    await stage.measure();
    const [leaving, staying] = await stage.users(2);
    await leaving.subscribe('test://mine');
    await leaving.subscribe('test://both');
    await staying.subscribe('test://both');
    const reply = leaving.begin(1, 'never');
    const [call] = await stage.hearsCall('never');
    await leaving.leave();
    await reply.catch(() => {});
    await stage.hears('resources/unsubscribe');
    await stage.hears('notifications/cancelled');
    assert.deepEqual(stage.heard('notifications/cancelled').map(({ params }) => params.requestId), [call.id]);
    const holdings = JSON.parse(textOf(await staying.call('holdings')));
    assert.deepEqual(holdings, { calls: [], subscriptions: ['test://both'] });
    assert.deepEqual(stage.heard('resources/unsubscribe').map(({ params }) => params.uri), ['test://mine']);
    await staying.leave();
    await stage.back();
  });

  test('is the same on its own path and among those that are merged', async (t) => {
    const stage = await shared(t);
    const users = [await stage.user('one', ALONE), await stage.user('one', MERGED), await stage.user('one', MERGED)];
    const told = await each(users, async (user) => textOf(await user.call('pid')));
    assert.deepEqual(new Set(told), new Set([String(stage.processes()[0].pid)]));
    assert.equal(stage.heard('initialize').length, 1);
  });

  test('outlives its sessions, and serves the next', async (t) => {
    const stage = await shared(t);
    const first = await stage.user();
    const pid = textOf(await first.call('pid'));
    await first.leave();
    const [{ state, users }] = await until('nobody uses it', async () => {
      const status = await stage.status();
      return status[0].users === 0 && status;
    });
    assert.deepEqual([state, users], ['ready', 0]);
    assert.equal(textOf(await (await stage.user()).call('pid')), pid);
  });
});

test('official clients share the reference server', async (t) => {
  const [command, ...args] = everything;
  const gateway = await gatewayWith(t, { mcpServers: { all: { command, args, sharing: 'shared' } } });
  const url = gateway.at('/servers/all/mcp');
  const clients = await Promise.all(Array.from({ length: 8 }, () => connect(t, url)));
  await Promise.all(
    clients.map(async ({ client }, n) => {
      const { content } = await client.callTool({ name: 'echo', arguments: { message: `I am ${n}` } });
      assert.equal(content[0].text, `Echo: I am ${n}`);
      const steps = [];
      const slow = { name: 'trigger-long-running-operation', arguments: { duration: 0.3, steps: n + 1 } };
      await client.callTool(slow, undefined, { onprogress: ({ total }) => steps.push(total) });
      assert.ok(steps.every((total) => total === n + 1), `${n}: ${steps}`);
    }),
  );
  assert.equal(gateway.children().length, 1);
});

// -- a process for each session ------------------------------------------------------------------------------------

for (const sharing of ['session', 'principal'])
  test(`each session has a process of its own (sharing: ${sharing}), which ends with it`, async (t) => {
    const stage = await stageOfOne(t, { sharing });
    await stage.measure();
    const users = await stage.users(3);
    const told = await each(users, async (user) => Number(textOf(await user.call('pid'))));
    assert.deepEqual(told.toSorted(), pids(stage.processes()).toSorted());
    assert.equal(new Set(told).size, 3);
    await users[0].leave();
    await until('its process is gone', () => !pids(stage.processes()).includes(told[0]));
    assert.equal(stage.processes().length, 2);
    await each(users.slice(1), (user) => user.leave());
    await stage.back();
  });

suite('a pool', () => {
  const POOL = { sharing: 'pool', poolSize: 3 };
  const filled = (stage, count) =>
    until(`${count} processes are there`, () => stage.processes().length === count && stage.gateway.children().length === count);

  test('has processes ready before anybody comes, of which each session takes one', async (t) => {
    const stage = await stageOfOne(t, POOL);
    await filled(stage, 3);
    const waiting = pids(stage.processes());
    assert.equal(stage.heard('initialize').length, 0);
    const users = [await stage.user(), await stage.user()];
    const taken = await each(users, async (user) => Number(textOf(await user.call('pid'))));
    assert.ok(taken.every((pid) => waiting.includes(pid)), `${taken} of ${waiting}`);
    assert.notEqual(taken[0], taken[1]);
    await filled(stage, 5);
  });

  test('is as large as before after twenty sessions', async (t) => {
    const stage = await stageOfOne(t, POOL);
    await stage.measure(ALONE, () => filled(stage, 3));
    for (let round = 0; round < 4; ++round) {
      const users = await stage.users(5);
      const told = await each(users, async (user) => textOf(await user.call('pid')));
      assert.equal(new Set(told).size, 5);
      await each(users, (user) => user.leave());
    }
    await stage.back();
    await filled(stage, 3);
  });

  test('replaces a process that ends while it waits', async (t) => {
    const stage = await stageOfOne(t, { ...POOL, restart: { firstDelay: '50ms' } });
    await filled(stage, 3);
    const [unlucky] = stage.processes();
    process.kill(unlucky.pid, 'SIGKILL');
    await until('it is gone', () => !isRunning(unlucky));
    await filled(stage, 3);
    const user = await stage.user();
    assert.notEqual(Number(textOf(await user.call('pid'))), unlucky.pid);
  });
});

// -- start ---------------------------------------------------------------------------------------------------------

test('a server that is shared starts with the gateway when it is eager, else with its first session', async (t) => {
  const stage = await openStage(t, (witness) => ({
    mcpServers: {
      eager: witness('eager', { sharing: 'shared', eager: true }),
      lazy: witness('lazy', { sharing: 'shared' }),
    },
  }));
  await stage.hears('notifications/initialized', 1, 'eager');
  assert.deepEqual((await stage.status('eager')).map(({ state, users }) => [state, users]), [['ready', 0]]);
  assert.equal(stage.heard('start', 'lazy').length, 0);
  assert.equal((await stage.status('lazy'))[0].state, 'idle');
  await stage.user('lazy');
  assert.equal(stage.processes('lazy').length, 1);
});

test('a server of a merged session starts with it when it is eager, else when it is used', async (t) => {
  const stage = await openStage(t, (witness) => ({
    mcpServers: { eager: witness('eager', { eager: true }), lazy: witness('lazy') },
  }));
  // The capabilities of servers are unknown before the first session.
  await (await stage.user('lazy', MERGED)).leave();
  await until('the first session has ended', () => stage.gateway.children().length === 0);
  const user = await stage.user('lazy', MERGED);
  await until('the eager one starts', () => stage.processes('eager').length === 1);
  assert.equal(stage.processes('lazy').length, 0);
  assert.equal(textOf(await user.call('echo', { message: 'up' })), 'up');
  assert.equal(stage.processes('lazy').length, 1);
});
