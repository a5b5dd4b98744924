// The counts of GET /debug/state.
import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { test } from 'node:test';
import { exampleServer, fixture, gatewayFor } from './lib/gateway.mjs';
import { request } from './lib/http.mjs';
import { openSession, toolCall } from './lib/session.mjs';
import { openSseSession } from './lib/sse.mjs';
import { DEBUG, debugState } from './lib/state.mjs';
import { until } from './lib/until.mjs';

const NO_STREAMS = { primary: 0, shadow: 0, call: 0, detached: 0 };
const NOTHING_STORED = { events: 0, bytes: 0 };

test('the counts are not shown unless a flag says so: 404', async (t) => {
  const gateway = await gatewayFor(t, exampleServer);
  assert.equal((await request(gateway.at('/debug/state'))).status, 404);
});

test('the counts of an idle gateway are zero, but for the broker that tells', async (t) => {
  const gateway = await gatewayFor(t, exampleServer, DEBUG);
  const { actors, limits, ...counts } = await debugState(gateway);
  assert.deepEqual(counts, {
    sessions: 0,
    leases: { now: 0, calls: 0, parked: 0, listens: 0 },
    streams: NO_STREAMS,
    brokers: 1,
    calls: 0,
    questions: 0,
    waiting: 0,
    stored: NOTHING_STORED,
    dropped: 0,
    upstreams: [],
    servers: [{ name: 'fixture-server', session: '', state: 'idle', restarts: 0, why: '', users: 0 }],
    cluster: { nodes: [], relayed_here: 0, relayed_elsewhere: 0 },
    problems: [],
  });
  assert.ok(actors > 0);
  const used = Object.fromEntries(Object.entries(limits).map(([name, of]) => [name, of.used]));
  assert.deepEqual(used, { sessions: 0, eventBytes: 0, waitingBytes: 0, connections: 1, unsentBytes: 0 });
  for (const [name, { most }] of Object.entries(limits)) assert.ok(most > 0, name);
});

test('the counts take a GET from this machine only, and no other method', async (t) => {
  const gateway = await gatewayFor(t, exampleServer, DEBUG);
  const reply = await request(gateway.at('/debug/state'));
  assert.match(reply.headers['content-type'], /^application\/json/);
  assert.equal((await request(gateway.at('/debug/state'), { method: 'POST', body: '{}' })).status, 405);
  const foreign = { headers: { origin: 'http://evil.example.com' } };
  assert.equal((await request(gateway.at('/debug/state'), foreign)).status, 403);
  const rebound = { headers: { host: 'evil.example.com' } };
  assert.equal((await request(gateway.at('/debug/state'), rebound)).status, 403);
});

const outside = Object.values(networkInterfaces())
  .flat()
  .find(({ family, internal }) => family === 'IPv4' && !internal);

test('the counts are not shown to who comes from outside: 404', { skip: !outside }, async (t) => {
  const gateway = await gatewayFor(t, exampleServer, DEBUG, '--host', '0.0.0.0', '--allow-anonymous');
  const url = `http://${outside.address}:${gateway.port}`;
  assert.equal((await request(`${url}/healthz`)).status, 200);
  assert.equal((await request(`${url}/debug/state`)).status, 404);
  assert.equal((await request(`http://127.0.0.1:${gateway.port}/debug/state`)).status, 200);
});

test('the counts tell of sessions, streams and servers', async (t) => {
  const gateway = await gatewayFor(t, fixture('hostile'), DEBUG);
  const session = await openSession(gateway.url, undefined, { sampling: {} });
  const sse = await openSseSession(gateway);
  const opened = await debugState(gateway);
  assert.equal(opened.sessions, 2);
  const pids = gateway.children().map(({ pid }) => pid);
  assert.deepEqual(opened.upstreams.map(({ pid }) => pid).toSorted(), pids.toSorted());
  for (const { session: name } of opened.upstreams)
    assert.ok([session.id, sse.id].some((id) => name === `${id.slice(0, 8)}…`), name);

  const listening = await session.listen();
  await session.listen();
  const asking = await session.post(toolCall(1, 'ask', { method: 'sampling/createMessage' }));
  await asking.message('the question', ({ method }) => method === 'sampling/createMessage');
  const call = await session.post(toolCall(2, 'flood', { kind: 'progress', count: 1e6, every_ms: 20 }, 'mine'));
  const busy = await debugState(gateway);
  assert.ok(busy.streams.primary >= 1 && busy.streams.shadow === 1, JSON.stringify(busy));
  assert.deepEqual([busy.streams.call, busy.calls, busy.questions], [2, 2, 1]);
  assert.ok(busy.stored.events > 0 && busy.stored.bytes > 0);
  assert.ok(busy.brokers >= 5, String(busy.brokers));

  call.destroy();
  listening.destroy();
  await until('they are detached', async () => (await debugState(gateway)).streams.detached === 2);
  const later = await debugState(gateway);
  assert.deepEqual([later.streams.shadow, later.streams.call, later.calls], [0, 1, 2]);
  later.upstreams.forEach(({ age_ms: age, pid }) =>
    assert.ok(age > opened.upstreams.find((one) => one.pid === pid).age_ms),
  );
  await session.delete();
});

test('the counts tell what waits for a stream and what was dropped', async (t) => {
  const gateway = await gatewayFor(t, fixture('hostile'), DEBUG);
  const session = await openSession(gateway.url);
  await session.call(1, 'flood_later', { kind: 'updated', count: 5 });
  await until('five wait', async () => (await debugState(gateway)).waiting === 5);
  await session.call(2, 'flood_later', { kind: 'log', count: 100 });
  await until('some were dropped', async () => (await debugState(gateway)).dropped === 41);
  assert.equal((await debugState(gateway)).waiting, 64);
});

test('what waits for a stream is limited in size as well: 1 MiB', async (t) => {
  const gateway = await gatewayFor(t, fixture('hostile'), DEBUG);
  const session = await openSession(gateway.url);
  await session.call(1, 'flood_later', { kind: 'log', count: 40, bytes: 100_000 });
  const { waiting } = await until('all have come', async () => {
    const state = await debugState(gateway);
    return state.waiting + state.dropped === 40 && state;
  });
  assert.ok(waiting <= 10 && waiting > 0, `${waiting} wait`);
});
