// Nodes that restart, or are out of reach for a while: a session that lives is never said to be over.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { allow, test } from './lib/concurrently.mjs';
import { at, emptyCluster, statusOf } from './lib/cluster.mjs';
import { exampleServer } from './lib/gateway.mjs';
import { freePort } from './lib/ports.mjs';
import { SLOWNESS } from './lib/processes.mjs';
import { scratch } from './lib/scratch.mjs';
import { openSession } from './lib/session.mjs';
import { until } from './lib/until.mjs';

allow(4);

const ROUNDS = 3;

const statusesAt = (node, sessions) => Promise.all(sessions.map(async (session) => (await at(node, session).ping()).status));
const membersOf = (node) => {
  const file = node.fileOf('--members-file');
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
};
const remembers = (node, ...others) =>
  until(`it remembers ${others.map(({ name }) => name)}`, () => {
    const wanted = others.map(({ address }) => address).sort();
    return membersOf(node) === [`troupe-members 1 ${node.name}`, ...wanted, ''].join('\n');
  });
const isReady = (node) => until(`${node.name} is ready`, async () => (await statusOf(node, '/readyz')) === 200);

const joins = {
  'its own': ([one]) => [one.address],
  'its own and one where nobody is': async ([one]) => [one.address, `127.0.0.1:${await freePort()}`],
};

const ways = Object.entries(joins).flatMap(([which, joinsOf]) => [
  [which, joinsOf, false],
  [`${which} and remembers its members`, joinsOf, true],
]);
for (const [which, joinsOf, remember] of ways)
  test(`a node that joins only ${which} knows the others when it is ready again`, async (t) => {
    const cluster = await emptyCluster(t, { command: exampleServer, remember });
    const nodes = await cluster.make(3);
    const [one, two, three] = await cluster.start(nodes, await joinsOf(nodes));
    await cluster.whole();
    if (remember) await remembers(one, two, three);
    const sessions = await Promise.all([two, three].map((node) => openSession(node.url)));
    const took = [];
    for (let round = 0; round < ROUNDS; ++round) {
      await one.kill();
      const began = Date.now();
      await one.start();
      await isReady(one);
      took.push(Date.now() - began);
      if (remember) assert.ok(await one.knows(two, three), one.told(`round ${round}`));
      assert.deepEqual(await statusesAt(one, sessions), [200, 200], one.told(`round ${round}`));
    }
    t.diagnostic(`ready after ms ${took}`);
    await cluster.whole();
    await Promise.all(sessions.map((session) => at(one, session).delete()));
  });

test('a node that was alone is ready at once when it starts again', async (t) => {
  const cluster = await emptyCluster(t, { command: exampleServer, remember: true });
  const nodes = await cluster.make(1);
  const [one] = await cluster.start(nodes);
  await isReady(one);
  await until('it is written', () => membersOf(one) === 'troupe-members 1 node-1\n');
  const took = [];
  for (let round = 0; round < ROUNDS; ++round) {
    await one.kill();
    await one.start();
    const began = Date.now();
    await isReady(one);
    took.push(Date.now() - began);
  }
  t.diagnostic(`ready after ms ${took}`);
  assert.ok(Math.min(...took) < 1500 * SLOWNESS, one.told(took.join()));
});

test('a node remembers members that are lost, and not those that left', async (t) => {
  const cluster = await emptyCluster(t, { command: exampleServer, remember: true });
  const [one, two, three] = await cluster.start(await cluster.make(3));
  await cluster.whole();
  await remembers(one, two, three);
  assert.equal(statSync(one.fileOf('--members-file')).mode & 0o777, 0o600);
  await two.kill();
  await three.stop();
  await remembers(one, two);
});

test('a broken file of members is reported and does not keep a node from the others', async (t) => {
  const cluster = await emptyCluster(t, { command: exampleServer, remember: true });
  const [one, two] = await cluster.start(await cluster.make(2));
  await cluster.whole();
  await one.kill();
  writeFileSync(one.fileOf('--members-file'), `troupe-members 1 node-1\n${two.address}\nnowhere`);
  await one.start();
  await isReady(one);
  assert.ok(await one.knows(two));
  assert.equal(one.logged('the file of members is ignored: this node looks for the others as on its first start')['wrong line'], '3');
});

test('a node keeps its members in the directory that systemd gives it', async (t) => {
  const cluster = await emptyCluster(t, { command: exampleServer });
  const nodes = await cluster.make(1);
  const folder = scratch();
  nodes[0].before = ['env', `STATE_DIRECTORY=${folder}:/elsewhere`];
  await cluster.start(nodes);
  await until('it is written', () => existsSync(join(folder, 'members')));
});

test('nodes that start at once and join one address know the sessions of each other when they are ready', async (t) => {
  for (let round = 0; round < ROUNDS; ++round) {
    const cluster = await emptyCluster(t, { command: exampleServer });
    const nodes = await cluster.make(3);
    const began = Date.now();
    await cluster.start(nodes, [nodes[0].address]);
    await Promise.all(nodes.map(isReady));
    t.diagnostic(`all are ready after ${Date.now() - began} ms`);
    const sessions = await Promise.all(nodes.map((node) => openSession(node.url)));
    for (const node of nodes) assert.deepEqual(await statusesAt(node, sessions), [200, 200, 200], node.told(`round ${round}`));
    await cluster.stop();
  }
});

test('a session of a node that is out of reach gets 503 until the node is back', async (t) => {
  const cluster = await emptyCluster(t, { command: exampleServer, heartbeat: 2 });
  const nodes = await cluster.make(2);
  const [one, two] = await cluster.start(nodes);
  await cluster.whole();
  const session = await openSession(two.url);
  two.freeze();
  await until('it is missed', async () => (await one.others()).length === 0);
  const asked = await at(one, session).ping();
  assert.equal(asked.status, 503);
  assert.equal(asked.headers['retry-after'], '1');
  assert.match(asked.received, /cannot be reached/);
  two.thaw();
  await until('it is served', async () => {
    const { status } = await at(one, session).ping();
    assert.notEqual(status, 404);
    return status === 200;
  });
  await session.delete();
});
