// State between stateless 2026-07-28 requests: the process that they reach.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ALONE, openStage, stageOfOne } from './fixture/witness-stage.mjs';
import { test } from './lib/concurrently.mjs';
import { gatewayWith } from './lib/config.mjs';
import { bearer, KeyFile, newKey } from './lib/credentials.mjs';
import { exampleServer } from './lib/gateway.mjs';
import { Caller, textOf } from './lib/modern.mjs';
import { connectModern } from './lib/modern-client.mjs';
import { isRunning } from './lib/processes.mjs';
import { scratch } from './lib/scratch.mjs';
import { assertBack, baseLine, DEBUG } from './lib/state.mjs';
import { throughout, until } from './lib/until.mjs';

const packaged = (name) =>
  fileURLToPath(new URL(`./node_modules/@modelcontextprotocol/server-${name}/dist/index.js`, import.meta.url));

const counted = async (caller) => Number(textOf(await caller.call('count')));

async function countedOften(caller, times) {
  const counts = [];
  for (let n = 0; n < times; ++n) counts.push(await counted(caller));
  return counts;
}

const handle = (text) => ({ 'troupe-affinity': text });

// -- process of the caller --------------------------------------------------------------------------------------------

test('one caller meets the same process each time, whatever connection it comes on', async (t) => {
  const stage = await stageOfOne(t);
  assert.deepEqual(await countedOften(stage.caller(), 5), [1, 2, 3, 4, 5]);
  assert.deepEqual(await countedOften(stage.caller(), 2), [6, 7]);
  assert.equal(stage.heard('start').length, 1);
  assert.equal(stage.heard('initialize').length, 1);
});

test('calls that come at once start one process, and each is answered', async (t) => {
  const stage = await stageOfOne(t);
  const caller = stage.caller();
  const counts = await Promise.all(Array.from({ length: 20 }, () => counted(caller)));
  assert.deepEqual(counts.toSorted((a, b) => a - b), Array.from({ length: 20 }, (_, index) => index + 1));
  assert.equal(stage.heard('initialize').length, 1);
});

test('callers that can be asked different things have each a process that knows what it can ask', async (t) => {
  const stage = await stageOfOne(t);
  for (const can of [{}, { sampling: {} }, { roots: {}, elicitation: { form: {} } }]) {
    const caller = stage.caller('one', ALONE, { can });
    assert.deepEqual(await countedOften(caller, 2), [1, 2]);
    const { capabilities, protocolVersion } = stage.heard('initialize').at(-1).params;
    assert.deepEqual(capabilities, can);
    assert.equal(protocolVersion, '2025-11-25');
  }
  const more = stage.caller('one', ALONE, { can: { sampling: {}, experimental: { any: {} } } });
  assert.equal(await counted(more), 3, 'what no server asks for makes no difference');
});

test('a server hears nothing of the revision that the client speaks', async (t) => {
  const stage = await stageOfOne(t);
  const caller = stage.caller();
  const meta = { progressToken: 'mine', traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };
  await caller.call('echo', { message: 'x' }, meta);
  const [{ params }] = stage.heardCalls('echo');
  const { progressToken, ...rest } = params._meta;
  assert.deepEqual(rest, { traceparent: meta.traceparent });
  assert.deepEqual(Object.keys(params).toSorted(), ['_meta', 'arguments', 'name']);
  await caller.call('pid');
  assert.equal(stage.heardCalls('pid')[0].params._meta, undefined);
});

test('two principals never meet in one process', async (t) => {
  const keys = ['ada', 'bob'].map((name) => newKey(name));
  const auth = { keys: new KeyFile(...keys).path };
  const stage = await stageOfOne(t, {}, { auth });
  const [ada, bob] = keys.map(({ secret }) => stage.caller('one', ALONE, { headers: bearer(secret) }));
  assert.deepEqual(await countedOften(ada, 3), [1, 2, 3]);
  assert.deepEqual(await countedOften(bob, 2), [1, 2]);
  assert.equal(await counted(ada), 4);
  const guessing = bob.as({ headers: { ...bob.headers, ...handle('ada') } });
  assert.equal(await counted(guessing), 3, 'a handle is of no use where nobody asked for it');
});

test('with the affinity header a caller has a process for each handle, and no other caller has it', async (t) => {
  const keys = ['ada', 'bob'].map((name) => newKey(name));
  const auth = { keys: new KeyFile(...keys).path };
  const stage = await stageOfOne(t, { affinity: 'header' }, { auth });
  const [ada, bob] = keys.map(({ secret }) => stage.caller('one', ALONE, { headers: bearer(secret) }));
  const withHandle = (caller, text) => caller.as({ headers: { ...caller.headers, ...handle(text) } });
  assert.deepEqual(await countedOften(withHandle(ada, 'a'), 2), [1, 2]);
  assert.deepEqual(await countedOften(withHandle(ada, 'b'), 2), [1, 2]);
  assert.deepEqual(await countedOften(withHandle(bob, 'a'), 2), [1, 2]);
  assert.deepEqual(await countedOften(ada, 2), [1, 1], 'who has no handle shares nothing');
  assert.equal(await counted(withHandle(ada, 'a')), 3);
});

test('a handle has 1 to 256 visible characters: otherwise 400', async (t) => {
  const stage = await stageOfOne(t, { affinity: 'header' });
  const withHandle = (text) => stage.caller('one', ALONE, { headers: handle(text) });
  assert.deepEqual(await countedOften(withHandle('~'.repeat(256)), 2), [1, 2]);
  for (const text of ['x'.repeat(257), 'a b', 'é', ['one', 'two']]) {
    const reply = await withHandle(text).beginCall('count');
    await reply.done;
    assert.equal(reply.status, 400, `${text}: ${reply.received}`);
    assert.equal(reply.messages[0].id, 'tools/call 1');
  }
  assert.equal(stage.heard('start').length, 1);
});

test('with the affinity none each call has a process of its own, which ends with it', async (t) => {
  const stage = await stageOfOne(t, { affinity: 'none' });
  assert.deepEqual(await countedOften(stage.caller(), 3), [1, 1, 1]);
  await until('none is left', () => stage.processes().length === 0);
});

test('the state of one path is not that of another', async (t) => {
  const stage = await openStage(t, (witness) => ({ mcpServers: { one: witness('one'), two: witness('two') } }));
  assert.deepEqual(await countedOften(stage.caller('one'), 2), [1, 2]);
  assert.deepEqual(await countedOften(stage.caller('two'), 2), [1, 2]);
});

test('a shared server is the same for all of them, and for clients with sessions', async (t) => {
  const keys = ['ada', 'bob'].map((name) => newKey(name));
  const auth = { keys: new KeyFile(...keys).path };
  const stage = await stageOfOne(t, { sharing: 'shared' }, { auth });
  const [ada, bob] = keys.map(({ secret }) => stage.caller('one', ALONE, { headers: bearer(secret) }));
  assert.deepEqual([await counted(ada), await counted(bob), await counted(ada)], [1, 2, 3]);
  const user = await stage.user('one', ALONE, undefined, {}, bearer(keys[0].secret));
  assert.equal(textOf(await user.call('count')), '4');
  assert.equal(stage.heard('start').length, 1);
});

// -- end --------------------------------------------------------------------------------------------------------------

test('a process that is killed fails what is in flight, and its caller has another: it counts from 1', async (t) => {
  const stage = await stageOfOne(t);
  const caller = stage.caller();
  assert.deepEqual(await countedOften(caller, 2), [1, 2]);
  const inFlight = [1, 2, 3].map(() => caller.call('never'));
  await stage.hearsCall('never', 3);
  stage.killAll();
  for (const { error } of await Promise.all(inFlight)) assert.equal(error?.code, -32603);
  assert.deepEqual(await countedOften(caller, 2), [1, 2]);
  assert.equal(stage.heard('start').length, 2);
});

test('a process that ends in the middle of a call fails that call, and the next is served', async (t) => {
  const stage = await stageOfOne(t);
  const caller = stage.caller();
  assert.equal((await caller.call('exit')).error?.code, -32603);
  assert.equal(await counted(caller), 1);
});

test('a server that does not start is an error for its caller, with the id that it gave', async (t) => {
  const stage = await stageOfOne(t);
  await stage.raise('exits');
  const reply = await stage.caller().beginCall('count');
  const [{ id, error }] = await reply.all();
  assert.deepEqual([id, error?.code], ['tools/call 1', -32603], reply.received);
});

test('two hundred calls leave one process, and when nobody has called for a while there is none', async (t) => {
  const stage = await stageOfOne(t, {}, { leaseTime: '5s' });
  const caller = stage.caller();
  for (let n = 0; n < 20; ++n) await Promise.all(Array.from({ length: 10 }, () => counted(caller)));
  const [one, ...others] = stage.processes();
  assert.deepEqual(others, []);
  assert.equal(await counted(caller), 201);
  await until('it ends', () => !isRunning(one));
  assert.equal(stage.heard('start').length, 1);
  assert.equal(await counted(caller), 1);
});

test('a process stays while its caller listens, or waits for the answer of a call', async (t) => {
  const stage = await stageOfOne(t, {}, { leaseTime: '2s' });
  const caller = stage.caller();
  const stream = await caller.listen({ toolsListChanged: true });
  const [one] = stage.processes();
  await throughout(3_500, () => assert.ok(isRunning(one)));
  const running = caller.call('echo', { message: 'late', ms: 3_500 });
  await stage.hearsCall('echo');
  stream.destroy();
  assert.equal(textOf(await running), 'late');
  assert.equal(await counted(caller), 1);
  await until('it ends', () => !isRunning(one));
});

test('strangers who never come back stay within the limit, and leave nothing', async (t) => {
  const LIMIT = 10;
  const [command, ...args] = exampleServer;
  const mcpServers = { one: { command, args, affinity: 'header' } };
  const flags = [DEBUG, '--max-sessions', String(LIMIT)];
  const gateway = await gatewayWith(t, { mcpServers, gateway: { leaseTime: '1s' } }, ...flags);
  const url = gateway.at('/servers/one/mcp');
  const adds = async (text) => {
    const reply = await new Caller(url, { headers: handle(text) }).beginCall('add', { a: 1, b: 2 });
    await reply.done;
    return reply;
  };
  await adds('warm');
  await until('the first has ended', () => gateway.children().length === 0);
  const before = await baseLine(gateway, () => {});
  const statuses = { 200: 0, 503: 0 };
  let most = 0;
  for (let n = 0; n < 1_000; n += 20) {
    const replies = await Promise.all(Array.from({ length: 20 }, (_, index) => adds(`stranger-${n + index}`)));
    for (const { status, headers } of replies) {
      statuses[status] += 1;
      if (status === 503) assert.match(headers['retry-after'], /^\d+$/);
    }
    most = Math.max(most, gateway.children().length);
  }
  assert.equal(statuses[200] + statuses[503], 1_000, JSON.stringify(statuses));
  assert.ok(statuses[200] >= LIMIT && statuses[503] > 0, JSON.stringify(statuses));
  assert.ok(most <= LIMIT, `${most} processes`);
  await assertBack(gateway, before);
  assert.equal((await adds('one-more')).status, 200);
});

// -- a real server with a memory --------------------------------------------------------------------------------------

test('a client that has no session remembers by a server that does', async (t) => {
  const env = { MEMORY_FILE_PATH: join(scratch(), 'memory.jsonl') };
  const memory = { command: process.execPath, args: [packaged('memory')], env };
  const thinking = { command: process.execPath, args: [packaged('sequential-thinking')] };
  const gateway = await gatewayWith(t, { mcpServers: { memory, thinking } });
  const call = async (server, name, args) => {
    const { client } = await connectModern(t, gateway.at(`/servers/${server}/mcp`));
    return client.callTool({ name, arguments: args });
  };
  const names = ['Yorick', 'Ophelia', 'Horatio', ...Array.from({ length: 5 }, (_, n) => `Player ${n + 1}`)];
  for (const name of names)
    await call('memory', 'create_entities', { entities: [{ name, entityType: 'role', observations: ['alas'] }] });
  const relation = { from: 'Horatio', to: 'Yorick', relationType: 'knew' };
  await call('memory', 'create_relations', { relations: [relation] });
  await call('memory', 'delete_entities', { entityNames: ['Ophelia'] });
  const { structuredContent } = await call('memory', 'read_graph', {});
  assert.deepEqual(structuredContent.entities.map(({ name }) => name), names.toSpliced(1, 1));
  assert.deepEqual(structuredContent.relations, [relation]);
  for (let thoughtNumber = 1; thoughtNumber <= 10; ++thoughtNumber) {
    const thought = { thought: 'to be', nextThoughtNeeded: true, thoughtNumber, totalThoughts: 10 };
    const { structuredContent: told } = await call('thinking', 'sequentialthinking', thought);
    assert.equal(told.thoughtHistoryLength, thoughtNumber, 'its process is the same');
  }
});
