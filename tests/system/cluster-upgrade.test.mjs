// Nodes of two versions in one cluster, and a cluster that is updated node by node without a failed call.
//
// UPGRADE_FROM and UPGRADE_TO are absolute paths of other programs, to test an upgrade from or to a release. The
// defaults are this program and one that is a version ahead. UPGRADE_CALLS is the minimum number of calls.
import assert from 'node:assert/strict';
import { test } from './lib/concurrently.mjs';
import { Callers, inTurn } from './lib/callers.mjs';
import { at, missed } from './lib/cluster.mjs';
import { NEXT_PROGRAM, PROGRAM } from './lib/gateway.mjs';
import { LONG } from './lib/long.mjs';
import { accepted, ALL, answersTo, assertAsked, Caller, textOf } from './lib/modern.mjs';
import { adminOf, ANY_PORT } from './lib/operator.mjs';
import { openSession } from './lib/session.mjs';
import {
  ALONE, assertMarks, asked, idOfMark, introduce, listening, marksOn, pidAt, resumeAfter, startRecovering, touch,
} from './lib/store.mjs';
import { until } from './lib/until.mjs';

const FROM = process.env.UPGRADE_FROM ?? PROGRAM;
const TO = process.env.UPGRADE_TO ?? NEXT_PROGRAM;
const PROGRAMS = [FROM, TO];
const ENOUGH = Number(process.env.UPGRADE_CALLS ?? (LONG ? 10_000 : 2_000));
const CALL_MS = 100;
const GRACE = '20s';
// Clients whose sessions have a server each, share one, or are stateless.
const CLIENTS = { a: 8, b: 24 };
const STATELESS = 8;

const FORM = { message: 'Who?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } };
const SUBSCRIBE = ['resources/subscribe', { uri: 'test://one' }];

// -- concurrency -----------------------------------------------------------------------------------------------------

test('nodes of two versions pass calls, events and the end of sessions to each other, both ways', async (t) => {
  const { nodes } = await startRecovering(t, { nodes: 2, programs: PROGRAMS });
  for (const [owner, other] of [nodes, nodes.toReversed()]) {
    const session = await introduce(owner.at(ALONE));
    await asked(session, ...SUBSCRIBE);
    assert.equal(await pidAt(other, session), await pidAt(owner, session));
    const stream = await listening(other, session);
    await assertMarks(other, session, stream, [], 1);
    await assertMarks(owner, session, stream, [1], 2);
    assert.equal((await at(other, session).delete()).status, 200);
    await stream.done;
    for (const node of nodes) assert.equal((await at(node, session).ping()).status, 404);
  }
});

test('a caller without a session meets the same process at nodes of either version', async (t) => {
  const { nodes } = await startRecovering(t, { nodes: 2, programs: PROGRAMS });
  const pids = [];
  for (const node of [...nodes, ...nodes]) pids.push(textOf(await new Caller(node.at(ALONE)).call('pid')));
  assert.equal(new Set(pids).size, 1, pids.join());
});

test('a question that came from a node is answered at one of the other version', async (t) => {
  const { nodes } = await startRecovering(t, { nodes: 2, programs: PROGRAMS });
  const question = { name: 'ask', arguments: { method: 'elicitation/create', params: FORM } };
  for (const both of [nodes, nodes.toReversed()]) {
    const [first, second] = both.map((node) => new Caller(node.at(ALONE), { can: ALL }));
    const told = assertAsked(await first.ask('tools/call', question), 'elicitation/create');
    const { name } = both[0];
    const answer = await second.ask('tools/call', { ...question, ...answersTo(told, () => accepted({ name })) });
    assert.deepEqual(JSON.parse(textOf(answer)).result, accepted({ name }));
  }
});

test('operators see and end sessions of nodes of either version from any of them', async (t) => {
  const { nodes } = await startRecovering(t, { nodes: 2, programs: PROGRAMS, flags: ANY_PORT });
  for (const [owner, other] of [nodes, nodes.toReversed()]) {
    const admin = adminOf(other);
    const session = await openSession(owner.at(ALONE));
    const { sessions } = await admin.api(`sessions?node=${owner.name}`);
    assert.deepEqual(sessions.map(({ id }) => session.id.startsWith(id.slice(0, 8))), [true], JSON.stringify(sessions));
    await admin.api(`sessions/${sessions[0].number}?node=${owner.name}`, 'DELETE');
    await until('its client hears 404', async () => (await at(owner, session).ping()).status === 404);
  }
});

test('a session goes on at a node of the other version when its own is killed, and back', async (t) => {
  const { cluster, nodes, store } = await startRecovering(t, { nodes: 2, programs: PROGRAMS });
  const session = await introduce(nodes[0].at(ALONE));
  await asked(session, ...SUBSCRIBE);
  let mark = 0;
  for (const [owner, next] of [nodes, nodes.toReversed()]) {
    const before = await pidAt(owner, session);
    const stream = await listening(next, session);
    await touch(next, session, [(mark += 1)]);
    await until('the event comes', () => marksOn(stream).includes(mark));
    await store.has(`"mark":${mark}`);
    await owner.kill();
    await missed(owner, next);
    assert.notEqual(await pidAt(next, session), before);
    const again = await listening(next, session, resumeAfter(idOfMark(stream, mark)));
    await assertMarks(next, session, again, [], (mark += 1));
    again.destroy();
    await owner.start();
    await cluster.whole();
  }
});

// -- sequential calls ------------------------------------------------------------------------------------------------

async function replaced(cluster, node, program) {
  const began = Date.now();
  assert.equal(await node.gateway.signal('SIGTERM'), 0, node.told('exit code'));
  const took = Date.now() - began;
  node.program = program;
  await node.start();
  await cluster.whole();
  return took;
}

test('no call fails while nodes are updated one by one, nor while they are set back', async (t) => {
  const servers = { a: {}, b: { sharing: 'shared' } };
  // No node loses its lease, however slow the machine or Redis is.
  const options = { programs: [FROM], servers, gateway: { grace: GRACE }, heartbeat: 30 };
  const { cluster, store, nodes, heard } = await startRecovering(t, options);
  const places = Object.entries(CLIENTS).flatMap(([server, count]) => Array(count).fill(`/servers/${server}/mcp`));
  const sessions = await Promise.all(places.map((path, index) => openSession(nodes[index % nodes.length].at(path))));
  await store.keeps(sessions.length);
  const stateless = Array.from({ length: STATELESS }, () => new Caller(nodes[0].at(ALONE)));
  const way = inTurn(nodes, true);
  const callers = new Callers([...sessions, ...stateless], way.place, CALL_MS);
  const took = [];
  const began = Date.now();
  do {
    for (const program of [TO, FROM]) for (const node of nodes) took.push(await replaced(cluster, node, program));
  } while (callers.answered < ENOUGH);
  await callers.stop();
  way.end();
  const seconds = Math.round((Date.now() - began) / 1000);
  t.diagnostic(`${callers.answered} calls answered in ${seconds} s, ${callers.failed.length} failed; ` +
    `nodes went within ms ${took}`);
  assert.deepEqual(callers.failed, []);
  const calls = heard().filter(({ method }) => method === 'tools/call').map(({ params }) => params.arguments.message);
  assert.equal(new Set(calls).size, calls.length, 'no call was made twice');
  assert.ok(calls.length >= callers.answered);
  await Promise.all(sessions.map((session) => session.delete()));
});
