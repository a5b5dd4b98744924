// Keys and certificates of nodes change under continuous load, and no call fails and no session ends.
import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { suite, test } from './lib/concurrently.mjs';
import { Callers, inTurn } from './lib/callers.mjs';
import { Authority } from './lib/certificates.mjs';
import { at, PATIENT, startCluster, statusOf } from './lib/cluster.mjs';
import { exampleServer } from './lib/gateway.mjs';
import { openSession } from './lib/session.mjs';
import { startRecovering } from './lib/store.mjs';
import { until } from './lib/until.mjs';

const OLD = 'the key of last year, 32 bytes..';
const NEW = 'the key of this year, 32 bytes..';
const CHANGED = 'keys of the cluster changed';
const TURNED_AWAY = 'a caller at the port for nodes is turned away';
const SESSIONS = 9;
const GRACE = '20s';

const keysChanged = (node) => node.allLogged(CHANGED).length;

// Replaces a file by renaming, as Kubernetes does.
function replace(file, text) {
  writeFileSync(`${file}.next`, text);
  renameSync(`${file}.next`, file);
}

async function restart(cluster, node) {
  assert.equal(await node.gateway.signal('SIGTERM'), 0, node.told('exit code'));
  await node.start();
  await cluster.whole();
}

// Asserts that every node serves the sessions, wherever they are.
async function assertKnown(nodes, sessions) {
  for (const session of sessions)
    for (const node of nodes) assert.equal((await at(node, session).ping()).status, 200, node.told(session.id));
}

// Applies the stages to one node after the other. In each stage nodes restart, so that nodes of neighboring stages link
// in both directions. `change` brings a node to a stage.
async function rotate(t, options, stages, change) {
  const ours = { apart: true, heartbeat: PATIENT, gateway: { grace: GRACE } };
  const { cluster, store, nodes } = await startRecovering(t, { ...ours, ...options });
  const open = (node) => openSession(node.at('/servers/a/mcp'));
  const sessions = await Promise.all(Array.from({ length: SESSIONS }, (_, index) => open(nodes[index % nodes.length])));
  await store.keeps(sessions.length);
  const way = inTurn(nodes, true);
  const callers = new Callers(sessions, way.place);
  const later = [];
  for (const [index, stage] of stages.entries()) {
    const [first, second, third] = nodes;
    await change(first, stage);
    // The restarted node dials a node of the previous stage and one of this stage, and both of them dial it.
    await restart(cluster, second);
    await assertKnown(nodes, [...sessions, ...later]);
    await change(second, stage);
    await restart(cluster, third);
    await change(third, stage);
    later.push(await open(nodes[index]));
    await assertKnown(nodes, [...sessions, ...later]);
  }
  const { answered } = callers;
  await until('they are answered', () => callers.answered >= answered + SESSIONS);
  await callers.stop();
  way.end();
  t.diagnostic(`${callers.answered} calls answered, ${callers.failed.length} failed`);
  assert.deepEqual(callers.failed, []);
  for (const node of nodes) assert.ok(!node.logged(TURNED_AWAY), node.told('no node was turned away'));
  return { cluster, nodes };
}

// A node with the initial secrets, which has missed all changes.
async function startStranger(cluster) {
  const [member] = cluster.nodes;
  const [stranger] = await cluster.make(1);
  stranger.storeLink = member.storeLink;
  await cluster.start([stranger], [member.address]);
  return stranger;
}

async function assertRefused(cluster, stranger, why) {
  const members = cluster.nodes.filter((node) => node !== stranger);
  await until('it is turned away', () => members.some((node) => node.logged(TURNED_AWAY)));
  await until('it says why', () => stranger.log.find((line) => line.includes(why)));
  await until('it is ready', async () => (await statusOf(stranger, '/readyz')) === 200);
  assert.deepEqual(await stranger.others(), []);
  for (const node of members) assert.ok(!(await node.knows(stranger)), node.told('it is no member'));
}

async function changeKeys(node, keys) {
  const before = keysChanged(node);
  replace(node.fileOf('--cluster-key'), `${keys.join('\n')}\n`);
  await until('it has read them', () => keysChanged(node) > before);
  const { keys: count } = node.allLogged(CHANGED).at(-1);
  assert.equal(count, String(keys.length));
}

suite('while clients call', { concurrency: 3 }, () => {
  for (const tls of [false, true])
    test(`the key is rotated, ${tls ? 'with' : 'without'} certificates`, async (t) => {
      const stages = [[OLD, NEW], [NEW, OLD], [NEW]];
      const { cluster, nodes } = await rotate(t, { key: OLD, tls }, stages, changeKeys);
      for (const node of nodes) assert.ok(!node.log.some((line) => line.includes(OLD) || line.includes(NEW)));
      const stranger = await startStranger(cluster);
      assert.equal(readFileSync(stranger.fileOf('--cluster-key'), 'utf8'), OLD);
      await assertRefused(cluster, stranger, 'it has another cluster key');
    });

  test('the authority and the certificates of nodes are rotated', async (t) => {
    const renewed = {};
    const both = (cluster) => readFileSync(cluster.certificate) + readFileSync(renewed.authority.certificate);
    const stages = ['trust both', 'show the new', 'trust the new'];
    const change = (node, stage) => {
      const old = { certificate: node.fileOf('--cluster-ca') };
      renewed.authority ??= new Authority(node.fileOf('--cluster-ca').replace(/[^/]*$/, ''), 'renewed');
      if (stage === 'trust both') return writeFileSync(old.certificate, both(old));
      if (stage === 'trust the new') return copyFileSync(renewed.authority.certificate, old.certificate);
      const { certificate, key } = renewed.authority.issue(node.name);
      copyFileSync(certificate, node.fileOf('--cluster-cert'));
      return copyFileSync(key, node.fileOf('--cluster-cert-key'));
    };
    const { cluster } = await rotate(t, { tls: true }, stages, change);
    const stranger = await startStranger(cluster);
    await assertRefused(cluster, stranger, 'its certificate was not signed by our authority');
  });
});

test('the key is rotated and no link ends, but that of a node that starts with the old one alone', async (t) => {
  const cluster = await startCluster(t, { command: exampleServer, apart: true, key: OLD });
  const nodes = cluster.nodes.slice();
  const sessions = [await openSession(nodes[0].url)];
  for (const keys of [[OLD, NEW], [NEW, OLD], [NEW]])
    for (const node of nodes) {
      await changeKeys(node, keys);
      sessions.push(await openSession(node.url));
      await assertKnown(nodes, sessions);
    }
  for (const node of nodes) {
    assert.equal(node.allLogged(CHANGED).at(-1)['links by removed keys'], '2', node.told('links to both others'));
    assert.ok(!node.logged('node lost'), node.told('no link was lost'));
  }
  const stranger = await cluster.add([nodes[0].address]);
  await assertRefused(cluster, stranger, 'it has another cluster key');
  replace(stranger.fileOf('--cluster-key'), NEW);
  await until('it is let in', () => stranger.knows(...nodes));
  await cluster.whole();
});

test('a file of keys that cannot be used changes nothing, and is in the log once', async (t) => {
  const KEPT = 'the keys of the cluster stay as they were';
  const cluster = await startCluster(t, { command: exampleServer, nodes: 2, apart: true, key: OLD });
  const [one, two] = cluster.nodes;
  const file = one.fileOf('--cluster-key');
  const session = await openSession(two.url);
  for (const [text, why] of [[`${OLD}\nshort\n`, /line 2 must have at least 16 bytes/], ['', /is missing/]]) {
    const before = one.allLogged(KEPT).length;
    replace(file, text);
    const said = await until('it says so', () => one.allLogged(KEPT)[before]);
    assert.match(said.why, why);
    assert.equal(said.level, 'error');
  }
  await restart(cluster, two);
  assert.ok(await cluster.isWhole());
  const fresh = await openSession(two.url);
  assert.equal((await at(one, fresh).ping()).status, 200);
  assert.equal((await at(one, session).ping()).status, 404, 'its node had no store');
  replace(file, `${NEW}\n${OLD}\n`);
  await until('it reads on', () => one.logged(CHANGED));
  assert.equal(one.allLogged(KEPT).length, 2);
  assert.equal((await at(one, fresh).ping()).status, 200);
});
