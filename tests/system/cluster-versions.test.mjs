// Nodes without a common version refuse each other. Both sides report the reason, and the cluster is unaffected.
import assert from 'node:assert/strict';
import { test } from './lib/concurrently.mjs';
import { at, startCluster, statusOf } from './lib/cluster.mjs';
import { exampleServer, NEXT_PROGRAM } from './lib/gateway.mjs';
import { callNode, cardOf, peerThatIsCalled } from './lib/peer.mjs';
import { openSession } from './lib/session.mjs';
import { until } from './lib/until.mjs';

// The version of the node protocol.
const OURS = '8';
const NEXT = '9';
const BOTH = `${OURS}-${NEXT}`;
const strange = (theirs, ours = OURS) =>
  `it speaks version ${theirs} of the protocol between nodes, here it is ${ours}`;
const NEWER = strange(NEXT);
const noVersion = (theirs) => `it says that it speaks version ${theirs} of the protocol between nodes, which is none`;
const OTHER_HANDSHAKE = 'it speaks another version';
const command = exampleServer;

const lines = (node) => node.log.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
const errors = (node) => lines(node).filter(({ level }) => level === 'error');
const refusals = (node) => errors(node).map(({ msg, node: who, why }) => ({ msg, node: who, why }));
const refusalOf = (name) => ({ msg: 'a node is refused', node: name, why: NEWER });

async function assertUnharmed({ nodes: [one, two] }) {
  const session = await openSession(one.url);
  assert.equal((await at(two, session).ping()).status, 200);
  await session.delete();
  for (const [node, other] of [[one, two], [two, one]]) {
    assert.deepEqual((await node.others()).map(({ name }) => name), [other.name]);
    assert.ok(!node.logged('node lost'), node.told(''));
  }
}

test('a node of a newer version that calls again and again is told why not, and the log tells it once', async (t) => {
  const cluster = await startCluster(t, { command, nodes: 2 });
  const [node] = cluster.nodes;
  for (let attempt = 0; attempt < 3; ++attempt) {
    const peer = callNode(node.clusterPort, { card: cardOf('newer', NEXT) });
    assert.equal(await peer.refused(), NEWER);
    assert.ok(peer.isProvenTo, 'the node has the key');
    assert.match(peer.theirs.hello, new RegExp(`^${OURS} [0-9a-f]{32} ${node.name}$`));
    await until('it is shown out', () => peer.closed);
  }
  const other = callNode(node.clusterPort, { card: cardOf('newest', NEXT) });
  assert.equal(await other.refused(), NEWER);
  await until('both are in the log', () => errors(node).length >= 2);
  assert.deepEqual(refusals(node), [refusalOf('newer'), refusalOf('newest')]);
  await assertUnharmed(cluster);
});

test('a node of a newer version that is called again and again hears why not, and the log tells it once', async (t) => {
  const cluster = await startCluster(t, { command, nodes: 2 });
  const called = await peerThatIsCalled(t, { card: cardOf('newer', NEXT) });
  const node = await cluster.add([...cluster.nodes.map(({ address }) => address), called.address]);
  for (const index of [0, 1]) {
    const peer = await until('it is called', () => called.callers[index]);
    await until('the node has proved its key', () => peer.isProvenTo);
    peer.consent();
    assert.equal(await peer.refused(), NEWER);
  }
  await until('it is in the log', () => errors(node).length > 0);
  assert.deepEqual(refusals(node), [refusalOf('newer')]);
  await until('it is ready', async () => (await statusOf(node, '/readyz')) === 200);
  await cluster.whole();
});

// Versions that two programs announce, with the expected outcome.
const sides = [
  { ours: OURS, taken: [OURS, BOTH, `7-${OURS}`, '1-4294967295'],
    refused: { 7: strange('7'), '9-10': strange('9-10') } },
  { ours: BOTH, programs: [NEXT_PROGRAM], taken: [OURS, NEXT, BOTH, '9-10', '7-8'],
    refused: { '10-11': strange('10-11', BOTH), '6-7': strange('6-7', BOTH) } },
];
const NONE = ['9-8', '8-', '-8', '8-8', '8-9-10', '08', 'eight', '99999999999999999999', '8-99999999999999999999'];

for (const { ours, programs, taken, refused } of sides)
  test(`a node that speaks ${ours} takes whoever speaks one of these, and says to all others why not`, async (t) => {
    const cluster = await startCluster(t, { command, nodes: 1, programs });
    const [node] = cluster.nodes;
    for (const theirs of taken) {
      const peer = callNode(node.clusterPort, { card: cardOf('alike', theirs) });
      await until(`the node takes the link of ${theirs}`, () => peer.theirs?.rest === 'ok\n');
      assert.ok(peer.theirs.hello.startsWith(`${ours} `), peer.theirs.hello);
      peer.socket.destroy();
      await until('the link is gone', () => peer.closed);
    }
    assert.deepEqual(errors(node), []);
    const reasons = { ...refused, ...Object.fromEntries(NONE.map((theirs) => [theirs, noVersion(theirs)])) };
    for (const [theirs, why] of Object.entries(reasons)) {
      const peer = callNode(node.clusterPort, { card: cardOf(`of ${theirs}`, theirs) });
      assert.equal(await peer.refused(), why);
      await until('it is shown out', () => peer.closed);
    }
    const said = ([theirs, why]) => ({ msg: 'a node is refused', node: `of ${theirs}`, why });
    const told = Object.entries(reasons).map(said);
    await until('all are in the log', () => errors(node).length >= told.length);
    assert.deepEqual(refusals(node), told);
    assert.equal(await statusOf(node, '/readyz'), 200);
  });

test('a node with another handshake is told that it speaks another version when it calls', async (t) => {
  const cluster = await startCluster(t, { command, nodes: 2 });
  const [node] = cluster.nodes;
  const peer = callNode(node.clusterPort, { card: cardOf('strange', OURS), speaks: '3' });
  assert.equal(await peer.refused(), OTHER_HANDSHAKE);
  await until('it is shown out', () => peer.closed);
  assert.ok(!peer.isProvenTo, 'it is told nothing else');
  await assertUnharmed(cluster);
});

test('a node with another handshake is told so when it is called, and the caller says it once', async (t) => {
  const cluster = await startCluster(t, { command, nodes: 2 });
  const called = await peerThatIsCalled(t, { card: cardOf('strange', OURS), speaks: '3' });
  const node = await cluster.add([...cluster.nodes.map(({ address }) => address), called.address]);
  for (const index of [0, 1]) {
    const peer = await until('it is called', () => called.callers[index]);
    assert.equal(await peer.refused(), OTHER_HANDSHAKE);
  }
  const told = () => lines(node).filter(({ address, why }) => address === called.address && why === OTHER_HANDSHAKE);
  await until('it is in the log', () => told().length > 0);
  assert.deepEqual(told().map(({ level, msg }) => [level, msg]), [['warning', 'no node answers']]);
  await until('it is ready', async () => (await statusOf(node, '/readyz')) === 200);
  await cluster.whole();
});
