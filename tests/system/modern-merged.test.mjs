// Several session-based servers merged for 2026-07-28 clients.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { MERGED, openStage } from './fixture/witness-stage.mjs';
import { suite, test } from './lib/concurrently.mjs';
import { lasting } from './lib/cluster.mjs';
import { accepted, ALL, answersTo, assertAsked, key, SUBSCRIPTION, textOf } from './lib/modern.mjs';
import { until } from './lib/until.mjs';

const ELICIT = 'elicitation/create';
const TOOLS = 'notifications/tools/list_changed';
const UPDATED = 'notifications/resources/updated';
const NAMES = ['one', 'two'];
const FORM = { message: 'Who?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } };
const servers = (witness) => ({ mcpServers: Object.fromEntries(NAMES.map((name) => [name, witness(name)])) });

suite('two servers as one', () => {
  const t = lasting();
  let stage;
  let caller;
  before(async () => {
    stage = await openStage(t, servers);
    caller = stage.caller('one', MERGED, { can: ALL });
  });
  after(() => t.end());

  const call = (server, name, args, meta) => caller.call(MERGED.tool(server, name), args, meta);

  test('are one server that has what any of them has', async () => {
    const { result } = await caller.ask('server/discover');
    const changing = { listChanged: true };
    const { tools, prompts, resources } = result.capabilities;
    assert.deepEqual({ tools, prompts, resources }, {
      tools: changing,
      prompts: changing,
      resources: { subscribe: true, ...changing },
    });
    assert.equal(result._meta[key('serverInfo')].name, 'troupe');
    assert.equal(result.resultType, 'complete');
  });

  test('list what both have, and take calls, each its own', async () => {
    const { result } = await caller.ask('tools/list');
    assert.equal(result.resultType, 'complete');
    assert.ok(Number.isInteger(result.ttlMs));
    for (const server of NAMES) assert.ok(result.tools.some(({ name }) => name === `${server}__count`), server);
    const counts = [];
    for (const server of ['one', 'one', 'two', 'one', 'two']) counts.push(textOf(await call(server, 'count')));
    assert.deepEqual(counts, ['1', '2', '1', '3', '2']);
    const { result: listed } = await caller.ask('resources/list');
    const uris = NAMES.map((server) => MERGED.uri(server, 'test://one'));
    assert.deepEqual(listed.resources.map(({ uri }) => uri).toSorted(), uris);
    assert.equal((await call('three', 'count')).error?.code, -32602);
  });

  test('each have their progress', async () => {
    const running = NAMES.map(async (server) => {
      const args = { message: server, ms: 5, steps: 3 };
      const reply = await caller.beginCall(MERGED.tool(server, 'echo'), args, { progressToken: `of ${server}` });
      const messages = await reply.all();
      assert.equal(textOf(messages.at(-1)), server);
      return messages.slice(0, -1).map(({ params }) => [params.progressToken, params.progress, params.message]);
    });
    const expected = NAMES.map((server) => [1, 2, 3].map((step) => [`of ${server}`, step, server]));
    assert.deepEqual(await Promise.all(running), expected);
  });

  test('ask at the same time, each by its own call, and each gets its own answer', async () => {
    const run = async (server) => {
      const args = { method: ELICIT, params: { ...FORM, message: server } };
      const params = { name: MERGED.tool(server, 'ask'), arguments: args };
      const told = assertAsked(await caller.ask('tools/call', params), ELICIT);
      assert.deepEqual(Object.values(told.inputRequests).map((question) => question.params.message), [server]);
      const answers = answersTo(told, () => accepted({ name: server }));
      const { result } = JSON.parse(textOf(await caller.ask('tools/call', { ...params, ...answers })));
      assert.deepEqual(result, accepted({ name: server }));
    };
    for (let n = 0; n < 10; ++n) await Promise.all(NAMES.map(run));
  });

  test('do not answer for each other', async () => {
    const args = { method: ELICIT, params: FORM };
    const answers = answersTo(assertAsked(await call('one', 'ask', args), ELICIT), () => accepted({ name: 'Ada' }));
    const other = await caller.ask('tools/call', { name: MERGED.tool('two', 'ask'), arguments: args, ...answers });
    assert.equal(other.error?.code, -32602);
    const { result } = await caller.ask('tools/call', { name: MERGED.tool('one', 'ask'), arguments: args, ...answers });
    assert.deepEqual(JSON.parse(result.content[0].text).result.content, { name: 'Ada' });
  });

  test('tell of themselves on one subscription, resources by the names they have here', async () => {
    const uris = NAMES.map((server) => MERGED.uri(server, 'test://one'));
    const stream = await caller.listen({ toolsListChanged: true, resourceSubscriptions: uris }, 'mine');
    assert.deepEqual(stream.messages[0].params.notifications.resourceSubscriptions.toSorted(), uris);
    for (const server of NAMES) assert.equal(textOf(await call(server, 'touch', { uri: 'test://one' })), 'true');
    const updated = () => stream.messages.filter(({ method }) => method === UPDATED);
    await until('both are told', () => updated().length === 2);
    assert.deepEqual(updated().map(({ params }) => params.uri), uris);
    await call('two', 'say', { method: TOOLS });
    await stream.message('the list changed', ({ method }) => method === TOOLS);
    assert.ok(stream.messages.every(({ params }) => params._meta[SUBSCRIPTION] === 'mine'));
    stream.destroy();
  });

  test('are not both lost when one is killed, and who listens hears of it', async () => {
    const stream = await caller.listen({ toolsListChanged: true });
    const before = Number(textOf(await call('one', 'count')));
    const pid = Number(textOf(await call('two', 'pid')));
    process.kill(pid, 'SIGKILL');
    await stream.message('the list may have changed', ({ method }) => method === TOOLS);
    assert.equal(Number(textOf(await call('one', 'count'))), before + 1);
    await until('the other is served again', async () => (await call('two', 'count')).result);
    stream.destroy();
  });
});
