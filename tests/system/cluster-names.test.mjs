// Nodes that find each other by a DNS name, and a name whose addresses change.
import assert from 'node:assert/strict';
import { test } from './lib/concurrently.mjs';
import { at, emptyCluster, HEARTBEAT, statusOf } from './lib/cluster.mjs';
import { exampleServer } from './lib/gateway.mjs';
import { freePort } from './lib/ports.mjs';
import { SLOWNESS } from './lib/processes.mjs';
import { openSession } from './lib/session.mjs';
import { mountNamespace } from './lib/mount-namespace.mjs';
import { throughout, until } from './lib/until.mjs';

const NAME = 'troupe-nodes';
// Names are resolved again every 5 s.
const LOOK_UP = 5_000;
const FOUND = 2 * LOOK_UP + 20_000 * SLOWNESS;
const hostOf = (number) => `127.0.0.${number}`;

// The nodes of a test; nothing where the machine does not allow them.
async function stage(t, numbers) {
  const around = mountNamespace(t);
  if (!around) return undefined;
  const cluster = await emptyCluster(t, { command: exampleServer, heartbeat: HEARTBEAT });
  const nodes = await cluster.make(numbers.length);
  const port = await freePort();
  const move = (node, number) => node.liveAt(hostOf(number), port, around.before);
  numbers.forEach((number, index) => move(nodes[index], number));
  return {
    cluster,
    nodes,
    move,
    says: (...said) => around.names({ [NAME]: said.map(hostOf) }),
    // Starts nodes that know only the name.
    start: (...started) => cluster.start(started, [`${NAME}:${port}`]),
    startAlone: (...started) => cluster.start(started, []),
  };
}

async function assertWhole(t, what, cluster) {
  const began = Date.now();
  await cluster.whole(FOUND);
  t.diagnostic(`${what}: all know each other after ${Date.now() - began} ms`);
  for (const owner of cluster.up) {
    const session = await openSession(owner.url);
    for (const node of cluster.up) assert.equal((await at(node, session).ping()).status, 200, node.told(''));
    await session.delete();
  }
}

const isReady = (node) => until('it is ready', async () => (await statusOf(node, '/readyz')) === 200);
const namesOf = async (node) => (await node.others()).map(({ name }) => name).toSorted();

async function assertLost(survivors, gone) {
  for (const node of survivors) await until(`${gone.name} is lost`, async () => !(await node.knows(gone)));
}

test('nodes that know a name alone find each other, and one whose address it gets later', async (t) => {
  const scene = await stage(t, [2, 3, 4]);
  if (!scene) return;
  const { cluster, nodes: [one, two, three], says, start } = scene;
  says(2, 3);
  await start(one, two);
  await assertWhole(t, 'two', cluster);
  says(2, 3, 4);
  await start(three);
  await assertWhole(t, 'a third', cluster);
});

test('nodes find each other when their name gets addresses only after they have started', async (t) => {
  const scene = await stage(t, [2, 3]);
  if (!scene) return;
  const { cluster, nodes, says, start } = scene;
  await start(...nodes);
  for (const node of nodes) {
    await isReady(node);
    assert.deepEqual(await namesOf(node), []);
    assert.ok(node.logged('no address is known for a node'), node.told(''));
  }
  says(2, 3);
  await assertWhole(t, 'a name that nobody had', cluster);
});

test('members find a node that knows nobody when their name gets its address', async (t) => {
  const scene = await stage(t, [2, 3, 4]);
  if (!scene) return;
  const { cluster, nodes: [one, two, three], says, start, startAlone } = scene;
  says(2, 3);
  await start(one, two);
  await startAlone(three);
  await isReady(three);
  await until('the two are one', () => one.knows(two));
  assert.deepEqual([await namesOf(three), await namesOf(one)], [[], [two.name]]);
  says(2, 3, 4);
  await assertWhole(t, 'one that knows nobody', cluster);
});

test('a node stays a member when its name loses its address, and is forgotten when it dies', async (t) => {
  const scene = await stage(t, [2, 3, 4]);
  if (!scene) return;
  const { cluster, nodes: [one, two, three], says, start } = scene;
  says(2, 3, 4);
  await start(one, two, three);
  await assertWhole(t, 'three', cluster);
  says(2, 3);
  await throughout(LOOK_UP + 1_000, async () => assert.deepEqual(await namesOf(one), [two.name, three.name]));
  await three.kill();
  await assertLost([one, two], three);
  await assertWhole(t, 'two that are left', cluster);
});

test('a node that comes back at another address is a member there, and another may have its old one', async (t) => {
  const scene = await stage(t, [2, 3, 4, 4]);
  if (!scene) return;
  const { cluster, nodes: [one, two, three, four], says, start, move } = scene;
  says(2, 3, 4);
  await start(one, two, three);
  await assertWhole(t, 'three', cluster);
  const session = await openSession(three.url);
  await three.kill();
  says(2, 3);
  await assertLost([one, two], three);
  move(three, 5);
  says(2, 3, 5);
  await start(three);
  await assertWhole(t, 'one that moved', cluster);
  for (const node of cluster.up) assert.equal((await at(node, session).ping()).status, 404, 'a new life, no sessions');
  says(2, 3, 4, 5);
  await start(four);
  await assertWhole(t, 'another at the address that was left', cluster);
  for (const node of [one, two])
    assert.deepEqual(await namesOf(node), cluster.nodes.filter((other) => other !== node).map(({ name }) => name));
});

test('two nodes that change their addresses while they are away are members under their own names', async (t) => {
  const scene = await stage(t, [2, 3, 4]);
  if (!scene) return;
  const { cluster, nodes: [one, two, three], says, start, move } = scene;
  says(2, 3, 4);
  await start(one, two, three);
  await assertWhole(t, 'three', cluster);
  await Promise.all([two.kill(), three.kill()]);
  move(two, 4);
  move(three, 3);
  await start(two, three);
  await assertWhole(t, 'two that swapped', cluster);
  assert.deepEqual(await namesOf(one), [two.name, three.name]);
});

test('a node that knows an address calls whoever comes there, also when the one before has moved', async (t) => {
  const cluster = await emptyCluster(t, { command: exampleServer, heartbeat: HEARTBEAT });
  const [one, moving, coming] = await cluster.make(3);
  const { clusterPort: left } = moving;
  await cluster.start([moving], []);
  await cluster.start([one], [moving.address]);
  await assertWhole(t, 'two', cluster);
  await moving.kill();
  await assertLost([one], moving);
  moving.liveAt('127.0.0.1', await freePort());
  await cluster.start([moving], [one.address]);
  await assertWhole(t, 'one that moved', cluster);
  coming.liveAt('127.0.0.1', left);
  await cluster.start([coming], []);
  await assertWhole(t, 'another, that knows nobody, at the address that was left', cluster);
});
