// Subscriptions of 2026-07-28 clients to notifications of session-based servers.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { ALONE, stageOfOne } from './fixture/witness-stage.mjs';
import { suite, test } from './lib/concurrently.mjs';
import { lasting } from './lib/cluster.mjs';
import { fixture, gatewayFor } from './lib/gateway.mjs';
import {
  ACKNOWLEDGED, ALL, assertRefused, Caller, fieldsOf, modernRequest, ofTheGateway, startModern, SUBSCRIPTION, textOf,
} from './lib/modern.mjs';
import { post } from './lib/session.mjs';
import { until } from './lib/until.mjs';

const TOOLS = 'notifications/tools/list_changed';
const PROMPTS = 'notifications/prompts/list_changed';
const RESOURCES = 'notifications/resources/list_changed';
const UPDATED = 'notifications/resources/updated';
const EVERYTHING = {
  toolsListChanged: true,
  promptsListChanged: true,
  resourcesListChanged: true,
  resourceSubscriptions: ['test://one'],
};

// The messages of a stream after its acknowledgement.
const told = (stream) => stream.messages.slice(1).map(({ method }) => method);
const tells = (stream, method, count = 1) =>
  until(`${method} is told`, () => told(stream).filter((one) => one === method).length >= count);

// Messages arrive in order, so the last expected one shows that all have arrived.
async function assertTold(stream, expected) {
  await tells(stream, expected.at(-1));
  assert.deepEqual(told(stream), expected);
}

suite('a subscription at the fixture', () => {
  let server;
  let caller;
  before(async () => {
    server = await startModern();
    caller = new Caller(server.url);
  });
  after(() => server.stop());

  test('begins with what of it is honoured, on a stream', async () => {
    const stream = await caller.listen(EVERYTHING);
    assert.equal(stream.status, 200);
    assert.ok(stream.isStream);
    assert.equal(stream.headers['mcp-session-id'], undefined);
    const [first] = stream.messages;
    assert.equal(first.method, ACKNOWLEDGED);
    assert.deepEqual(first.params.notifications, EVERYTHING);
    assert.ok(!stream.ended);
    stream.destroy();
  });

  test('is named in all that it tells by the id of its request, as it came', async () => {
    for (const id of ['mine', '7', 7, 0, -1]) {
      const stream = await caller.listen({ toolsListChanged: true }, id);
      await caller.call('test_trigger_tool_change');
      await tells(stream, TOOLS);
      assert.deepEqual(stream.messages.map(({ params }) => params._meta[SUBSCRIPTION]), [id, id]);
      assert.ok(stream.events.every((event) => event.id === undefined));
      stream.destroy();
    }
  });

  test('tells nothing that was not asked for', async () => {
    const stream = await caller.listen({ promptsListChanged: true });
    await caller.call('test_trigger_tool_change');
    await caller.call('touch', { uri: 'test://watched-resource' });
    await caller.call('test_tool_with_logging');
    await caller.call('test_trigger_prompt_change');
    await assertTold(stream, [PROMPTS]);
    stream.destroy();
  });

  test('is one of several that are each told', async () => {
    const streams = [];
    for (const id of ['a', 'b', 'b']) streams.push(await caller.listen({ toolsListChanged: true }, id));
    await caller.call('test_trigger_tool_change');
    for (const stream of streams) await tells(stream, TOOLS);
    streams[0].destroy();
    await caller.call('test_trigger_tool_change');
    for (const stream of streams.slice(1)) {
      await tells(stream, TOOLS, 2);
      stream.destroy();
    }
  });

  test('is told of a resource by its URI', async () => {
    const uri = 'test://watched-resource';
    const stream = await caller.listen({ resourceSubscriptions: [uri] });
    await caller.call('touch', { uri });
    await tells(stream, UPDATED);
    assert.equal(stream.messages.at(-1).params.uri, uri);
    stream.destroy();
  });

  test('may ask for nothing', async () => {
    const stream = await caller.listen({});
    assert.deepEqual(stream.messages[0].params.notifications, {});
    stream.destroy();
  });

  test('is refused when it does not say what it wants: -32602', { skip: ofTheGateway }, async () => {
    const refused = async (notifications, status) => {
      const message = modernRequest(1, 'subscriptions/listen', { notifications });
      const reply = await post(server.url, message, fieldsOf(message));
      if (reply.isStream) reply.destroy();
      await assertRefused(reply, status, -32602, 1, JSON.stringify(notifications));
    };
    for (const notifications of [undefined, null, []]) await refused(notifications, 400);
    for (const wrong of [{ resourceSubscriptions: 1 }, { resourceSubscriptions: [1] }, { toolsListChanged: 1 }])
      await refused(wrong, 200);
  });
});

suite('a subscription at a server that remembers', { concurrency: 4 }, () => {
  const t = lasting();
  let stage;
  before(async () => (stage = await stageOfOne(t, { affinity: 'header' })));
  after(() => t.end());

  // Each caller has its own process.
  let handles = 0;
  const somebody = (can = {}) => stage.caller('one', ALONE, { can, headers: { 'troupe-affinity': `l${++handles}` } });
  const subscriptionsOf = async (caller) => JSON.parse(textOf(await caller.call('holdings'))).subscriptions;
  const say = (caller, method, params) => caller.call('say', { method, params });

  test('is one subscription of the server while anybody listens, and none when nobody does', async () => {
    const caller = somebody();
    const [one, two] = ['test://one', 'test://two'];
    const first = await caller.listen({ resourceSubscriptions: [one] });
    assert.deepEqual(await subscriptionsOf(caller), [one]);
    const second = await caller.listen({ resourceSubscriptions: [one, two] });
    assert.deepEqual(await subscriptionsOf(caller), [one, two]);
    await caller.call('touch', { uri: one, mark: 'a' });
    for (const stream of [first, second]) await tells(stream, UPDATED);
    first.destroy();
    await caller.call('touch', { uri: one, mark: 'b' });
    await tells(second, UPDATED, 2);
    const updates = second.messages.slice(1).map(({ params }) => [params.uri, params._meta.mark]);
    assert.deepEqual(updates, [[one, 'a'], [one, 'b']]);
    assert.deepEqual(await subscriptionsOf(caller), [one, two]);
    second.destroy();
    await until('nobody is subscribed', async () => (await subscriptionsOf(caller)).length === 0);
  });

  test('is not told of what others subscribed to', async () => {
    const caller = somebody();
    const first = await caller.listen({ resourceSubscriptions: ['test://one'] });
    const second = await caller.listen({ resourceSubscriptions: ['test://two'], toolsListChanged: true });
    await caller.call('touch', { uri: 'test://one' });
    await say(caller, TOOLS);
    await tells(first, UPDATED);
    await assertTold(second, [TOOLS]);
    for (const stream of [first, second]) stream.destroy();
  });

  test('is of one caller: another hears nothing of it', async () => {
    const [one, two] = [somebody(), somebody()];
    const [first, second] = [await one.listen(EVERYTHING), await two.listen(EVERYTHING)];
    for (const method of [TOOLS, PROMPTS, RESOURCES]) await say(one, method);
    await say(two, RESOURCES);
    await assertTold(first, [TOOLS, PROMPTS, RESOURCES]);
    await assertTold(second, [RESOURCES]);
    for (const stream of [first, second]) stream.destroy();
  });

  test('is told nothing of logs and progress', async () => {
    const caller = somebody();
    const stream = await caller.listen(EVERYTHING);
    await say(caller, 'notifications/message', { level: 'emergency', data: 'to nobody' });
    await caller.call('echo', { message: 'x', ms: 1, steps: 3 }, { progressToken: 'mine' });
    await say(caller, 'notifications/progress', { progressToken: 'of nobody', progress: 1 });
    await say(caller, 'notifications/elicitation/complete', { elicitationId: 'one' });
    await say(caller, TOOLS);
    await assertTold(stream, [TOOLS]);
    stream.destroy();
  });

  test('goes on while calls are parked and answered', async () => {
    const caller = somebody(ALL);
    const stream = await caller.listen({ toolsListChanged: true });
    const args = { method: 'roots/list', then: { name: 'say', arguments: { method: TOOLS } } };
    const { result } = await caller.call('ask', args);
    const [name] = Object.keys(result.inputRequests);
    const answers = { inputResponses: { [name]: { roots: [] } }, requestState: result.requestState };
    assert.equal(textOf(await caller.ask('tools/call', { name: 'ask', arguments: args, ...answers })), 'said');
    await assertTold(stream, [TOOLS]);
    stream.destroy();
  });

  test('hears that all may have changed when its server was started again, and is subscribed again', async () => {
    const caller = somebody();
    const stream = await caller.listen(EVERYTHING);
    const pid = Number(textOf(await caller.call('pid')));
    process.kill(pid, 'SIGKILL');
    for (const method of [TOOLS, PROMPTS, RESOURCES]) await tells(stream, method);
    assert.notEqual(Number(textOf(await caller.call('pid'))), pid);
    await until('it is subscribed again', async () => (await subscriptionsOf(caller)).length === 1);
    await caller.call('touch', { uri: 'test://one', mark: 'again' });
    await until('it is told', () => stream.messages.at(-1).params._meta.mark === 'again');
    assert.ok(!stream.ended);
    stream.destroy();
  });
});

test('what a server cannot tell or refuses to tell is not honoured', async (t) => {
  const gateway = await gatewayFor(t, fixture('hostile'));
  const stream = await new Caller(gateway.url).listen(EVERYTHING);
  const { notifications } = stream.messages[0].params;
  const { resourceSubscriptions = [], ...rest } = notifications;
  assert.deepEqual(rest, { toolsListChanged: true, resourcesListChanged: true });
  assert.deepEqual(resourceSubscriptions, []);
  stream.destroy();
});

test('a gateway that ends says so on each subscription', async (t) => {
  const stage = await stageOfOne(t);
  const caller = stage.caller();
  const streams = [await caller.listen(EVERYTHING, 'mine'), await caller.listen({ toolsListChanged: true }, 0)];
  assert.equal(await stage.gateway.signal('SIGTERM'), 0);
  for (const [index, id] of ['mine', 0].entries()) {
    const last = (await streams[index].all()).at(-1);
    assert.equal(last.id, id, streams[index].received);
    assert.equal(last.result.resultType, 'complete');
    assert.equal(last.result._meta[SUBSCRIPTION], id);
    assert.ok(streams[index].isWhole);
  }
});

test('a subscription is kept alive by comments', async (t) => {
  const gateway = await gatewayFor(t, fixture('stdio'));
  const caller = new Caller(gateway.url);
  const stream = await caller.listen({ toolsListChanged: true });
  await until('a comment comes', () => /^:/m.test(stream.received));
  assert.equal(stream.messages.length, 1);
  await caller.call('test_trigger_tool_change');
  await tells(stream, TOOLS);
});
