// A 2026-07-28 server whose process is shared by all clients, which is the default.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  ElicitRequestSchema, LoggingMessageNotificationSchema, ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { suite, test } from './lib/concurrently.mjs';
import { connect } from './lib/client.mjs';
import { gatewayWith } from './lib/config.mjs';
import { bearer, KeyFile, newKey } from './lib/credentials.mjs';
import { fixture } from './lib/gateway.mjs';
import { accepted, Caller, key } from './lib/modern.mjs';
import { connectModern } from './lib/modern-client.mjs';
import { kill } from './lib/processes.mjs';
import { scratch } from './lib/scratch.mjs';
import { DEBUG, debugState } from './lib/state.mjs';
import { until } from './lib/until.mjs';

const MODERN = fixture('modern-stdio');
const DUAL = fixture('modern-stdio', 'legacy');
const FORM = { elicitation: { form: {} } };

const keys = ['ada', 'bob'].map((name) => newKey(name));
const [ADA, BOB] = keys.map(({ secret }) => bearer(secret));

// A gateway with two keys, and connections of clients of both eras.
async function stageOf(t, [command, ...args] = MODERN, more = {}, merged = {}) {
  const config = {
    mcpServers: { it: { command, args, ...more }, ...merged },
    gateway: { auth: { keys: new KeyFile(...keys).path } },
  };
  const gateway = await gatewayWith(t, config, DEBUG);
  const path = gateway.at('/servers/it/mcp');
  return {
    gateway,
    path,
    session: async (can = {}, who = ADA, prepare = undefined, url = path) =>
      (await connect(t, url, can, prepare, who)).client,
    modern: async (can = {}, who = ADA, prepare = undefined, url = path) =>
      (await connectModern(t, url, { can, prepare, headers: who })).client,
  };
}

const textsOf = ({ content }) => content.map(({ text }) => text);
const call = async (client, name, args = {}) => textsOf(await client.callTool({ name, arguments: args }));
const pidOf = async (client) => Number((await call(client, 'pid'))[0]);
const pidsOf = (clients) => Promise.all(clients.map(pidOf));
const isMerged = (client) => call(client, 'it__pid');

const answering = (name) => (client) =>
  client.setRequestHandler(ElicitRequestSchema, () => accepted({ name }));
const answeringModern = (name) => (client) =>
  client.setRequestHandler('elicitation/create', () => accepted({ name }));

suite('a server of 2026-07-28', () => {
  for (const era of ['auto', 'modern'])
    test(`is one process for all of its clients: ${era}`, async (t) => {
      const stage = await stageOf(t, MODERN, { era });
      const begin = [stage.session, stage.modern].flatMap((as) => [ADA, BOB].map((who) => () => as(FORM, who)));
      const clients = await Promise.all([...begin, ...begin].map((one) => one()));
      const pids = new Set(await pidsOf(clients));
      assert.equal(pids.size, 1, 'even when they come all at once');
      assert.deepEqual(stage.gateway.children().map(({ pid }) => pid), [...pids]);
      const { upstreams, servers } = await debugState(stage.gateway);
      assert.deepEqual(upstreams.map(({ pid }) => pid), [...pids]);
      assert.equal(servers.length, 1);
      await Promise.all(clients.slice(0, 2).map((client) => client.transport.terminateSession()));
      assert.deepEqual(new Set(await pidsOf(clients.slice(2))), pids, 'whoever leaves, also whose process it was first');
    });

  test('is one process where servers are merged', async (t) => {
    const [command, ...args] = MODERN;
    const stage = await stageOf(t, MODERN, {}, { other: { command, args, sharing: 'session' } });
    const url = stage.gateway.at('/mcp');
    const clients = [await stage.session({}, ADA, undefined, url), await stage.modern({}, BOB, undefined, url)];
    const [[one], [two]] = await Promise.all(clients.map(isMerged));
    assert.equal(one, two);
    assert.equal(await pidOf(await stage.session()), Number(one));
  });

  test('hears of each client by itself', async (t) => {
    const stage = await stageOf(t);
    const wanted = [{}, FORM, { sampling: {} }, { roots: {} }];
    const old = await Promise.all(wanted.map((can, index) => stage.session(can, [ADA, BOB][index % 2])));
    const modern = await Promise.all(wanted.map((can, index) => stage.modern(can, [BOB, ADA][index % 2])));
    const told = await Promise.all([...old, ...modern].map(async (client) => JSON.parse((await call(client, 'era'))[1])));
    assert.deepEqual(told.map((one) => one[key('clientCapabilities')]), [...wanted, ...wanted]);
    assert.deepEqual(
      told.map((one) => one[key('clientInfo')].name),
      [...wanted.map(() => 'system-test'), ...wanted.map(() => 'system-test-modern')],
    );
    assert.equal(stage.gateway.children().length, 1);
  });

  test('asks the client whose call it is, as it can be asked', async (t) => {
    const stage = await stageOf(t);
    const names = ['Ada', 'Bob', 'Cleo', 'Dan'];
    const old = await Promise.all(names.map((name) => stage.session(FORM, ADA, answering(name))));
    const modern = await Promise.all(names.map((name) => stage.modern(FORM, BOB, answeringModern(name))));
    const mute = await stage.session({}, BOB);
    const asked = [...old, ...modern, ...old, ...modern].map((client) => call(client, 'ask'));
    const refused = mute.callTool({ name: 'ask', arguments: {} });
    const answers = await Promise.all(asked);
    const expected = [...names, ...names, ...names, ...names].map((name) => accepted({ name }));
    assert.deepEqual(answers.map(([answer]) => JSON.parse(answer).name), expected);
    assert.ok((await refused).isError);
    assert.equal(stage.gateway.children().length, 1);
  });

  test('logs for the client whose call it is, at its level', async (t) => {
    const stage = await stageOf(t);
    const logs = new Map();
    const heard = async (level, who) => {
      const client = await stage.session({}, who, (one) =>
        one.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => logs.get(level).push(params.data)));
      logs.set(level, []);
      if (level !== 'none') await client.setLoggingLevel(level);
      return client;
    };
    const clients = [await heard('debug', ADA), await heard('warning', BOB), await heard('none', ADA)];
    for (const client of clients) await call(client, 'log');
    await Promise.all([call(clients[2], 'log', { ms: 100 }), call(clients[0], 'log')]);
    await until('the logs are told', () => logs.get('debug').length === 4 && logs.get('warning').length > 0);
    assert.deepEqual(Object.fromEntries(logs), {
      debug: ['a debug', 'a warning', 'a debug', 'a warning'], warning: ['a warning'], none: [],
    });
  });

  test('tells each client what it has asked to be told', async (t) => {
    const stage = await stageOf(t);
    const updates = new Map();
    const lists = new Set();
    const listening = async (name, who) => {
      updates.set(name, []);
      return stage.session({}, who, (client) => {
        client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => updates.get(name).push(params.uri));
        client.setNotificationHandler(ToolListChangedNotificationSchema, () => lists.add(name));
      });
    };
    const [ada, bob, cleo] = [await listening('ada', ADA), await listening('bob', BOB), await listening('cleo', BOB)];
    await Promise.all([ada, bob].map((client) => client.subscribeResource({ uri: 'note://a' })));
    await bob.subscribeResource({ uri: 'note://b' });
    await ada.unsubscribeResource({ uri: 'note://a' });
    const listener = new Caller(stage.path, { headers: ADA });
    const stream = await listener.listen({ resourceSubscriptions: ['note://b'] });
    for (const uri of ['note://a', 'note://b']) await call(cleo, 'change', { uri });
    await until('bob has heard of both', () => updates.get('bob').length === 2);
    await until('all have heard of the list', () => lists.size === 3);
    assert.deepEqual(Object.fromEntries(updates), { ada: [], bob: ['note://a', 'note://b'], cleo: [] });
    const { params } = await stream.message('the update', ({ method }) => method === 'notifications/resources/updated');
    assert.equal(params.uri, 'note://b');
    const notes = stream.messages.slice(1).map(({ method }) => method);
    assert.deepEqual(notes, ['notifications/resources/updated'], 'and of nothing else');
  });

  test('lets each client subscribe to a thousand resources, whatever others have', async (t) => {
    const stage = await stageOf(t);
    const [ada, bob] = [await stage.session({}, ADA), await stage.session({}, BOB)];
    const watch = (client, number) => client.subscribeResource({ uri: `file:///${number}` });
    for (const first of [0, 500])
      await Promise.all(Array.from({ length: 500 }, (_, nth) => watch(ada, first + nth)));
    await assert.rejects(watch(ada, 1000), /Too many resources are subscribed to by this client/);
    const heard = [];
    bob.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => heard.push(params.uri));
    for (const number of [0, 2000, 2001]) await watch(bob, number);
    for (const number of [1, 0, 2000]) await call(ada, 'change', { uri: `file:///${number}` });
    await until('the changes are told', () => heard.length === 2);
    assert.deepEqual(heard, ['file:///0', 'file:///2000']);
  });

  test('keeps the tasks of each caller from the others', async (t) => {
    const journal = join(scratch(), 'journal');
    const stage = await stageOf(t, fixture('modern-words', journal));
    const [ada, again, bob] = [ADA, ADA, BOB].map((headers) => new Caller(stage.path, { headers }));
    const say = '"result":{"resultType":"task","taskId":"a-task","status":"working"}';
    const { result } = await ada.ask('tools/call', { name: 't', arguments: {}, say });
    const { taskId } = result;
    assert.equal(result.status, 'working');
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const hears = { say: '"result":{"resultType":"complete","taskId":"a-task"}' };
      for (const one of [ada, again]) assert.deepEqual((await one.ask(method, { taskId, ...hears })).result.taskId, taskId);
      for (const id of [taskId, 'a-task']) assert.equal((await bob.ask(method, { taskId: id, ...hears })).error.code, -32602);
    }
    const tasks = readFileSync(journal, 'utf8').trim().split('\n').slice(1).map((line) => JSON.parse(line));
    assert.deepEqual(tasks.map(({ params }) => params.taskId), Array(6).fill('a-task'));
  });

  test('hears that a call is cancelled, and of no other call', async (t) => {
    const stage = await stageOf(t);
    const clients = [await stage.session({}, ADA), await stage.session({}, BOB)];
    const leave = clients.map(() => new AbortController());
    const held = clients.map((client, index) =>
      client.callTool({ name: 'hold', arguments: {} }, undefined, { signal: leave[index].signal }).catch(() => 'cancelled'));
    const count = (word) => stage.gateway.log.filter((line) => line.includes(word)).length;
    await until('both hold', () => count('holding') === 2);
    leave[0].abort();
    assert.equal(await held[0], 'cancelled');
    await until('one let go', () => count('let go') === 1);
    await call(clients[1], 'echo', { message: 'still here' });
    assert.equal(count('let go'), 1);
    leave[1].abort();
    await held[1];
  });

  test('is started once for all when it was lost, and each call fails once', async (t) => {
    const stage = await stageOf(t);
    const clients = [await stage.session({}, ADA), await stage.session(FORM, BOB), await stage.modern({}, BOB)];
    const [before] = await pidsOf(clients);
    const failures = clients.map((client) => client.callTool({ name: 'hold', arguments: {} }).then(String, ({ message }) => message));
    await until('all hold', () => stage.gateway.log.filter((line) => line.includes('holding')).length === 3);
    kill({ pid: before });
    for (const failure of await Promise.all(failures)) assert.match(failure, /The MCP server stopped/);
    const is_back = async () => (await Promise.allSettled(clients.map(pidOf))).every(({ status }) => status === 'fulfilled');
    await until('it is there again', is_back);
    const after = new Set(await pidsOf(clients));
    assert.equal(after.size, 1);
    assert.ok(!after.has(before));
    assert.deepEqual(stage.gateway.children().map(({ pid }) => pid), [...after]);
    const told = await Promise.all(clients.map(async (client) => JSON.parse((await call(client, 'era'))[1])));
    assert.deepEqual(told.map((one) => one[key('clientCapabilities')]), [{}, FORM, {}]);
  });
});

suite('a process for each session', () => {
  const ONE_EACH = {
    'of a server of 2026-07-28 where that is configured': [MODERN, { sharing: 'session' }],
    'of a server that knows both eras': [DUAL, {}],
    'of a server that is configured as one with sessions': [DUAL, { era: 'legacy' }],
  };
  for (const [which, [command, more]] of Object.entries(ONE_EACH))
    test(`is there ${which}`, async (t) => {
      const stage = await stageOf(t, command, more);
      const clients = await Promise.all([ADA, BOB, BOB].map((who) => stage.session({}, who)));
      const pids = new Set(await pidsOf(clients));
      assert.equal(pids.size, 3);
      assert.equal(stage.gateway.children().length, 3);
    });

  test('is there of a program that takes the place of one of 2026-07-28', async (t) => {
    const base = join(scratch(), 'script');
    const stage = await stageOf(t, fixture('modern-script', base));
    const before = await Promise.all([ADA, BOB].map((who) => stage.session({}, who)));
    const [shared, ...more] = stage.gateway.children();
    assert.deepEqual(more, []);
    writeFileSync(`${base}.old`, '');
    kill(shared);
    for (const client of before)
      await until('its session has ended', () => client.ping().then(() => false, ({ code }) => code === 404));
    const after = await Promise.all([ADA, BOB].map((who) => stage.session({}, who)));
    assert.deepEqual(after.map((client) => client.getServerVersion().name), ['old', 'old']);
    await until('each has a process', () => stage.gateway.children().length === 2);
  });
});
