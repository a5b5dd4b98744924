// Stateless clients (2026-07-28) behind a load balancer with several nodes: each principal keeps its own process.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { suite, test } from './lib/concurrently.mjs';
import { balancerNames, startBalancer } from './lib/balancer.mjs';
import { HEARTBEAT, lasting, missed, startCluster } from './lib/cluster.mjs';
import { bearer, KeyFile, newKey } from './lib/credentials.mjs';
import { fixture } from './lib/gateway.mjs';
import { Caller, textOf } from './lib/modern.mjs';
import { connectModern } from './lib/modern-client.mjs';
import { scratch } from './lib/scratch.mjs';
import { debugState } from './lib/state.mjs';
import { until } from './lib/until.mjs';

const INTERNAL_ERROR = -32603;
const BAD_GATEWAY = 502;
const LISTS = ['tools', 'prompts', 'resources'].map((kind) => `notifications/${kind}/list_changed`);
const LIST_FILTER = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };

// A busy machine delays messages between nodes. Lost nodes must still be detected.
const UNHURRIED = 2 * HEARTBEAT;

const from1To = (count) => Array.from({ length: count }, (_, n) => n + 1);
const counted = async (caller) => Number(textOf(await caller.call('count')));

async function countedOften(caller, times) {
  const counts = [];
  for (let n = 0; n < times; ++n) counts.push(await counted(caller));
  return counts;
}

const entry = (affinity) => {
  const [command, ...args] = fixture('witness', join(scratch(), affinity));
  return { command, args, affinity };
};
const SERVERS = { mine: entry('principal'), chosen: entry('header') };

// Three nodes that know two callers by their keys, or no callers, behind these balancers.
async function startPlace(t, names, { isOpen = false, ...options } = {}) {
  const keys = isOpen ? [] : ['ada', 'bob'].map((name) => newKey(name));
  const auth = { auth: { keys: new KeyFile(...keys).path } };
  const config = { mcpServers: SERVERS, ...(!isOpen && { gateway: auth }) };
  const cluster = await startCluster(t, { config, ...options });
  const ports = cluster.nodes.map(({ port }) => port);
  const started = names.map(async (name) => [name, await startBalancer(t, name, ports)]);
  const urls = Object.fromEntries(await Promise.all(started));
  const credentials = Object.fromEntries(keys.map(({ name, secret }) => [name, bearer(secret)]));
  const callerAt = (balancer, server, name, headers = {}) =>
    new Caller(`${urls[balancer]}/servers/${server}/mcp`, { headers: { ...credentials[name], ...headers } });
  return { cluster, urls, credentials, callerAt };
}

const handle = (text) => ({ 'troupe-affinity': text });

suite('callers with keys', { concurrency: 1 }, () => {
  const t = lasting();
  let place;
  before(async () => (place = await startPlace(t, balancerNames)));
  after(() => t.end());

  test('have each a process that stays the same, at whichever node they are led to', async () => {
    const callers = ['ada', 'bob'].map((name) => place.callerAt('nginx', 'mine', name));
    const counts = await Promise.all(callers.map((caller) => countedOften(caller, 9)));
    assert.deepEqual(counts, [from1To(9), from1To(9)]);
    for (const balancer of balancerNames) assert.equal(await counted(place.callerAt(balancer, 'mine', 'ada')) > 9, true);
    const children = place.cluster.nodes.flatMap((node) => node.children());
    assert.equal(children.length, 2, 'one for each');
  });

  test('meet their processes also by the official client', async (t) => {
    const url = `${place.urls.nginx}/servers/mine/mcp`;
    const call = async (name) => {
      const { client } = await connectModern(t, url, { headers: place.credentials[name] });
      return Number((await client.callTool({ name: 'count', arguments: {} })).content[0].text);
    };
    const [one, two] = [await call('ada'), await call('ada')];
    assert.equal(two, one + 1);
    assert.ok((await call('bob')) < one, 'he has counted less');
  });

  for (const balancer of balancerNames)
    test(`have a process for each handle that ${balancer} passes on, and nobody else's`, async () => {
      const by = (name, text) => place.callerAt(balancer, 'chosen', name, text === undefined ? {} : handle(text));
      const [a, b] = ['a', 'b'].map((text) => `${balancer}-${text}`);
      const counts = await Promise.all([by('ada', a), by('ada', b), by('bob', a)].map((one) => countedOften(one, 6)));
      assert.deepEqual(counts, [from1To(6), from1To(6), from1To(6)]);
      assert.deepEqual(await countedOften(by('ada'), 3), [1, 1, 1], 'who has no handle shares nothing');
    });
});

suite('strangers', { concurrency: 1 }, () => {
  const t = lasting();
  let place;
  before(async () => (place = await startPlace(t, balancerNames, { isOpen: true })));
  after(() => t.end());

  for (const balancer of balancerNames)
    test(`from beyond ${balancer} never share a process, whatever handle they have`, async () => {
      const chosen = place.callerAt(balancer, 'chosen', undefined, handle('one'));
      assert.deepEqual(await countedOften(chosen, 4), [1, 1, 1, 1]);
      assert.deepEqual(await countedOften(place.callerAt(balancer, 'mine'), 4), [1, 1, 1, 1]);
    });

  test('on this machine do, by a handle', async () => {
    const [node, other] = place.cluster.nodes;
    const at = ({ url }) => new Caller(new URL('/servers/chosen/mcp', url).href, { headers: handle('one') });
    assert.deepEqual([await counted(at(node)), await counted(at(other)), await counted(at(node))], from1To(3));
  });
});

// -- losses -----------------------------------------------------------------------------------------------------------

// The node of the only process.
const ownerOf = ({ nodes }) => {
  const owners = nodes.filter((node) => node.children().length > 0);
  assert.equal(owners.length, 1, 'one process');
  return owners[0];
};

// The error code of a call, or the status if it is not from Troupe.
async function outcomeOf(caller) {
  const reply = await caller.beginCall('never');
  await reply.done;
  return reply.status === 200 ? reply.messages.at(-1).error?.code : reply.status;
}

const toldOn = (stream) => stream.messages.slice(1).map(({ method }) => method).toSorted();

test('a process that is killed fails what is in flight, then counts from 1, and listeners hear that lists changed', async (t) => {
  const { cluster, callerAt } = await startPlace(t, ['nginx']);
  const caller = callerAt('nginx', 'mine', 'ada');
  const streams = [];
  for (let n = 0; n < 3; ++n) streams.push(await caller.listen(LIST_FILTER));
  assert.deepEqual(await countedOften(caller, 3), from1To(3));
  const inFlight = from1To(3).map(() => caller.call('never'));
  const owner = ownerOf(cluster);
  await until('the calls run', async () => (await debugState(owner)).leases.calls === 3);
  process.kill(owner.children()[0].pid, 'SIGKILL');
  for (const { error } of await Promise.all(inFlight)) assert.equal(error?.code, INTERNAL_ERROR);
  for (const stream of streams) {
    await until('it is told', () => toldOn(stream).length === LISTS.length);
    assert.deepEqual(toldOn(stream), LISTS.toSorted());
    assert.ok(!stream.ended);
  }
  assert.deepEqual(await countedOften(caller, 6), from1To(6));
  for (const stream of streams) stream.destroy();
});

test('a node that is killed fails what is in flight there, and its callers count from 1 elsewhere', async (t) => {
  const { cluster, callerAt } = await startPlace(t, ['nginx'], { heartbeat: UNHURRIED });
  const caller = callerAt('nginx', 'mine', 'ada');
  assert.deepEqual(await countedOften(caller, 3), from1To(3));
  const owner = ownerOf(cluster);
  const streams = [];
  for (let n = 0; n < 3; ++n) streams.push(await caller.listen(LIST_FILTER));
  const outcomes = Promise.all(from1To(3).map(() => outcomeOf(caller)));
  await until('the calls run', async () => (await debugState(owner)).leases.calls === 3);
  await owner.kill();
  // Some of the requests went to the lost node itself, whose errors come from nginx.
  assert.deepEqual((await outcomes).toSorted(), [INTERNAL_ERROR, INTERNAL_ERROR, BAD_GATEWAY].toSorted());
  await until('who listens learns that it is over', () => streams.every(({ ended }) => ended));
  await missed(owner, ...cluster.up);
  assert.deepEqual(await countedOften(caller, 6), from1To(6));
  const again = await caller.listen(LIST_FILTER);
  await caller.call('say', { method: LISTS[0] });
  await until('who listens again is told', () => toldOn(again).length === 1);
  again.destroy();
});
