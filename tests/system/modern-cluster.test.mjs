// Stateless clients (2026-07-28) with several nodes: every node leads to the caller's process.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { suite, test } from './lib/concurrently.mjs';
import { startBalancer } from './lib/balancer.mjs';
import { HEARTBEAT, lasting, missed, startCluster } from './lib/cluster.mjs';
import { fixture } from './lib/gateway.mjs';
import { rawConnection } from './lib/http.mjs';
import { accepted, answersTo, assertAsked, Caller, fieldsOf, modernRequest, textOf } from './lib/modern.mjs';
import { postBytes } from './lib/session.mjs';
import { debugState } from './lib/state.mjs';
import { until } from './lib/until.mjs';

const command = fixture('counter');
const [program, ...args] = command;
const FORMS = { can: { elicitation: { form: {} } } };
const INVALID_PARAMS = -32602;
const INTERNAL_ERROR = -32603;
// A busy machine delays messages between nodes. Lost nodes must still be detected.
const UNHURRIED = 2 * HEARTBEAT;
// The pause between two calls. Without it they would slow the nodes down.
const PAUSE = 5;
const named = (name) => () => accepted({ name });

const callersAt = (nodes, how) => nodes.map(({ url }) => new Caller(url, how));
const counted = async (caller) => Number(textOf(await caller.call('count')));

async function countedInTurn(callers, times) {
  const counts = [];
  for (let n = 0; n < times; ++n) counts.push(await counted(callers[n % callers.length]));
  return counts;
}

// The node that has a process, and the others.
function partedBy(nodes) {
  const isOwner = (node) => node.children().length > 0;
  assert.equal(nodes.filter(isOwner).length, 1, 'one process');
  return [nodes.find(isOwner), ...nodes.filter((node) => !isOwner(node))];
}

async function parkedAt(caller) {
  return assertAsked(await caller.call('ask'), 'elicitation/create');
}

const retryAt = (caller, parked, name = 'Ada') =>
  caller.begin('tools/call', { name: 'ask', arguments: {}, ...answersTo(parked, named(name)) });

suite('a caller', { concurrency: 1 }, () => {
  let nodes;
  const t = lasting();
  before(async () => {
    const config = { mcpServers: { counter: { command: program, args, affinity: 'header' } } };
    ({ nodes } = await startCluster(t, { config }));
  });
  after(() => t.end());

  const withHandle = (handle, how = {}) => callersAt(nodes, { ...how, headers: { 'troupe-affinity': handle } });

  test('meets the same process at every node', async () => {
    assert.deepEqual(await countedInTurn(withHandle('one'), 9), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  test('meets one process also when all nodes are asked at once', async () => {
    const callers = withHandle('at-once');
    const counts = await Promise.all(Array.from({ length: 30 }, (_, n) => counted(callers[n % 3])));
    assert.deepEqual(counts.toSorted((a, b) => a - b), Array.from({ length: 30 }, (_, n) => n + 1));
  });

  test('is served by one node, and others by others', async () => {
    for (let n = 0; n < 12; ++n) assert.deepEqual(await countedInTurn(withHandle(`many-${n}`), 3), [1, 2, 3]);
    for (const node of nodes) assert.ok(node.children().length > 0, node.name);
  });

  test('has a process for each request without a handle, at the node that it asks', async () => {
    const before = await Promise.all(nodes.map((node) => debugState(node)));
    assert.deepEqual(await countedInTurn(callersAt(nodes), 6), [1, 1, 1, 1, 1, 1]);
    await until('there are no more leases than before', async () => {
      const now = await Promise.all(nodes.map((node) => debugState(node)));
      return now.every(({ leases }, index) => leases.now === before[index].leases.now);
    });
  });

  test('is asked at one node and answers at another', async () => {
    const callers = withHandle('asked', FORMS);
    for (const [asking, answering] of [[0, 1], [1, 2], [2, 0], [0, 0]]) {
      const parked = await parkedAt(callers[asking]);
      const reply = await retryAt(callers[answering], parked, `${answering}`);
      const [message] = await reply.all();
      assert.equal(reply.status, 200, reply.received);
      assert.equal(JSON.parse(textOf(message)).content.name, `${answering}`);
      const again = await retryAt(callers[answering], parked);
      const [{ error }] = await again.all();
      assert.deepEqual([again.status, error.code], [200, INVALID_PARAMS], 'one answer for each question');
    }
    assert.deepEqual(await countedInTurn(callers, 3), [1, 2, 3]);
  });

  test('answers once, also when it answers at several nodes at once', async () => {
    const callers = withHandle('answers-twice', FORMS);
    for (let n = 0; n < 5; ++n) {
      const parked = await parkedAt(callers[n % 3]);
      const replies = await Promise.all(callers.map((caller, index) => retryAt(caller, parked, `${index}`)));
      const told = await Promise.all(replies.map(async (reply) => (await reply.all()).at(-1)));
      const taken = told.filter(({ result }) => result);
      assert.equal(taken.length, 1, JSON.stringify(told));
      assert.equal(JSON.parse(textOf(taken[0])).content.name, `${told.indexOf(taken[0])}`);
      const refused = told.filter(({ error }) => error?.code === INVALID_PARAMS);
      assert.equal(refused.length, 2, JSON.stringify(told));
    }
  });

  test('cancels a call by going away, at whichever node', async () => {
    const callers = withHandle('away');
    await counted(callers[0]);
    for (const [index, node] of nodes.entries()) {
      const message = modernRequest('gone', 'tools/call', { name: 'never', arguments: {} });
      const fields = { ...fieldsOf(message), ...callers[index].headers };
      const connection = rawConnection(node.port, postBytes(node.url, message, fields));
      await until('the call runs', async () => (await total('calls')) === 1);
      connection.socket.destroy();
      await until('nothing is relayed, and no call runs', async () => (await relayed()) + (await total('calls')) === 0);
      assert.equal(Number(textOf(await callers[index].call('cancelled'))), index + 1, 'its server has heard of it');
    }
  });

  const sum = async (count) => {
    const states = await Promise.all(nodes.map((node) => debugState(node)));
    return states.reduce((all, state) => all + count(state), 0);
  };
  const total = (what) => sum(({ leases }) => leases[what]);
  const relayed = () => sum(({ cluster }) => cluster.relayed_here);
});

test('who has no key is led back to the process that asked, also where all of a node share one', async (t) => {
  const [modern, ...of] = fixture('modern-stdio');
  const config = { mcpServers: { it: { command: modern, args: of, affinity: 'none' } } };
  const { nodes } = await startCluster(t, { config });
  const [asking, ...others] = callersAt(nodes, FORMS);
  for (const caller of others) {
    const parked = await parkedAt(asking);
    assert.notEqual(parked.requestState, 'state of ask', 'it would lead to any node');
    const [{ result }] = await (await retryAt(caller, parked)).all();
    assert.equal(Object.values(JSON.parse(textOf({ result })))[0].content.name, 'Ada');
  }
});

test('calls fail that await a node which is lost, what it asked is no more, and the next call begins anew', async (t) => {
  const cluster = await startCluster(t, { command, heartbeat: UNHURRIED });
  assert.deepEqual(await countedInTurn(callersAt(cluster.nodes, FORMS), 3), [1, 2, 3]);
  const [owner, ...others] = partedBy(cluster.nodes);
  const callers = callersAt(others, FORMS);
  const parked = await parkedAt(callers[0]);
  const inFlight = callers.map((caller) => caller.call('never'));
  await until('the calls run', async () => (await debugState(owner)).leases.calls >= 2);
  await owner.kill();
  for (const { error } of await Promise.all(inFlight)) assert.equal(error?.code, INTERNAL_ERROR);
  await missed(owner, ...others);
  for (const caller of callers) {
    const reply = await retryAt(caller, parked);
    const [{ error }] = await reply.all();
    assert.deepEqual([reply.status, error.code], [200, INVALID_PARAMS], reply.received);
    assert.equal(error.message, 'requestState is invalid or expired');
  }
  assert.deepEqual(await countedInTurn(callers, 4), [1, 2, 3, 4]);
});

test('a node that drains lets calls finish, and its callers go on at the others without a failure', async (t) => {
  const config = { mcpServers: { counter: { command: program, args } }, gateway: { grace: '10s' } };
  const cluster = await startCluster(t, { config });
  await countedInTurn(callersAt(cluster.nodes, FORMS), 3);
  const [owner, ...others] = partedBy(cluster.nodes);
  const callers = callersAt(others, FORMS);
  const parked = await parkedAt(callers[0]);
  const stopped = owner.gateway.stop();
  await until('it drains', () => owner.logged('draining'));
  const [message] = await (await retryAt(callers[1], parked)).all();
  assert.equal(JSON.parse(textOf(message)).content.name, 'Ada');
  // Other nodes may learn a little later that it drains.
  const counts = [];
  await until('another process counts', async () => {
    counts.push(await counted(callers[counts.length % callers.length]));
    return counts.at(-1) === 1;
  });
  assert.deepEqual(await countedInTurn(callers, 18), Array.from({ length: 18 }, (_, n) => n + 2));
  await stopped;
  assert.equal(await counted(callers[0]), 20);
});

test('no call fails while nodes are restarted one after the other', async (t) => {
  const config = { mcpServers: { counter: { command: program, args, affinity: 'header' } } };
  const cluster = await startCluster(t, { config });
  // A node that is slow on a busy machine stays in the balancer.
  const patient = (file) => file.replace('timeout connect 2s', '$&\n    timeout check 10s');
  const url = `${await startBalancer(t, 'haproxy', cluster.nodes.map(({ port }) => port), patient)}/mcp`;
  const told = [];
  let over = false;
  const callsOn = async (handle) => {
    const caller = new Caller(url, { headers: { 'troupe-affinity': handle } });
    while (!over) {
      const reply = await caller.beginCall('count');
      await reply.done;
      const isAnswered = reply.status === 200 && reply.messages.at(-1)?.result;
      told.push(isAnswered ? 'answered' : `${reply.status} ${reply.received}`);
      await pause(PAUSE);
    }
  };
  const callers = ['a', 'b', 'c', 'd', 'e', 'f'].map(callsOn);
  for (const node of cluster.nodes) {
    assert.equal(await node.gateway.signal('SIGTERM'), 0, node.told('exit code'));
    await node.start();
    await cluster.whole();
  }
  over = true;
  await Promise.all(callers);
  const failed = told.filter((one) => one !== 'answered');
  t.diagnostic(`${told.length} calls, ${failed.length} failed`);
  assert.deepEqual(failed, []);
});
