// Detection of silent nodes with the default heartbeat of 5 s.
import assert from 'node:assert/strict';
import { test } from './lib/concurrently.mjs';
import { startCluster, statusOf } from './lib/cluster.mjs';
import { exampleServer } from './lib/gateway.mjs';
import { SLOWNESS } from './lib/processes.mjs';
import { until } from './lib/until.mjs';

// Includes time for a busy machine, which may delay one node more than the other.
const FIRST = 5_000 + 4_000 * SLOWNESS;
const LIMIT = 5_000 + 15_000 * SLOWNESS;
// Longer than a heartbeat.
const WHILE = 12_000 * SLOWNESS;
// A node sends a heartbeat every second. A node that was heard within this time is not lost.
const LEAST = 2_000;

// An idle cluster, whose nodes exchange only heartbeats.
const idleCluster = (t) => startCluster(t, { command: exampleServer, heartbeat: null, proxied: true });

const lossOf = (node, other) => node.logged('node lost', { node: other.name });

// Resolves when all have detected the loss. `pairs` are the detecting nodes and the lost ones.
async function assertLostInTime(t, what, began, pairs) {
  const noticed = async ([node, other]) => {
    await until(`${node.name} loses ${other.name}`, () => lossOf(node, other), LIMIT);
    const took = Date.now() - began;
    t.diagnostic(`${what}: ${node.name} noticed after ${took} ms`);
    assert.ok(took >= LEAST, `${took} ms, not ${LEAST}`);
    return took;
  };
  const first = Math.min(...(await Promise.all(pairs.map(noticed))));
  assert.ok(first <= FIRST, `${first} ms, not ${FIRST}`);
}

test('a node that is stopped is lost within 5 s, unless a flag says otherwise', async (t) => {
  const cluster = await idleCluster(t);
  const [one, two, three] = cluster.nodes;
  const began = Date.now();
  three.freeze();
  await assertLostInTime(t, 'a stopped node', began, [[one, three], [two, three]]);
  assert.ok(!lossOf(one, two) && !lossOf(two, one));
  three.thaw();
  assert.equal(await statusOf(three, '/healthz'), 200);
  const thawed = Date.now();
  await until('it notices', () => three.logged('this node stood still: it looks for the others again'));
  await until('it is ready again', async () => (await statusOf(three, '/readyz')) === 200);
  assert.ok(await three.knows(one, two), three.told('it is ready before it has found the others'));
  t.diagnostic(`it was ready again after ${Date.now() - thawed} ms`);
  await cluster.whole();
});

test('a link that is silent is lost within 5 s on both sides, unless a flag says otherwise', async (t) => {
  const cluster = await idleCluster(t);
  const [one, two, three] = cluster.nodes;
  const began = Date.now();
  await cluster.links.silence(one, two);
  await assertLostInTime(t, 'a silent link', began, [[one, two], [two, one]]);
  assert.ok(!three.logged('node lost'), three.told('the third loses nobody'));
  await cluster.links.mend(one, two);
  await cluster.whole();
});

test('an idle cluster stays whole for longer than a heartbeat', async (t) => {
  const cluster = await idleCluster(t);
  const isLost = () => cluster.nodes.some((node) => node.logged('node lost'));
  await assert.rejects(until('somebody is lost', isLost, WHILE));
  assert.ok(await cluster.isWhole());
});
