// Nodes restart one after the other under continuous load, and no call fails.
import assert from 'node:assert/strict';
import http from 'node:http';
import { test } from './lib/concurrently.mjs';
import { startBalancer } from './lib/balancer.mjs';
import { Callers, inTurn } from './lib/callers.mjs';
import { openSession } from './lib/session.mjs';
import { startRecovering } from './lib/store.mjs';
import { until } from './lib/until.mjs';

const ENOUGH = Number(process.env.ROLLING_CALLS ?? 1_000);
// A busy machine takes long to restart the servers of all sessions.
const GRACE = process.env.ROLLING_GRACE ?? '20s';
// In seconds. No node loses its lease or is considered lost, however slow the machine or Redis is.
const HEARTBEAT = 30;
const SESSIONS = { a: 8, b: 32 };

const ways = {
  'a plain round robin': (t, nodes) => inTurn(nodes, false),
  'a round robin that keeps connections': (t, nodes) => inTurn(nodes, true),
  'HAProxy, which asks who is ready': async (t, nodes) => {
    const base = await startBalancer(t, 'haproxy', nodes.map(({ port }) => port));
    const agent = new http.Agent({ keepAlive: true });
    return { place: () => ({ base, agent }), end: () => agent.destroy() };
  },
};

for (const [name, wayTo] of Object.entries(ways))
  test(`no call fails while nodes are restarted behind ${name}`, async (t) => {
    const servers = { a: {}, b: { sharing: 'shared' } };
    const options = { servers, gateway: { grace: GRACE }, heartbeat: HEARTBEAT };
    const { cluster, store, nodes, heard } = await startRecovering(t, options);
    const way = await wayTo(t, nodes);
    const places = Object.entries(SESSIONS).flatMap(([server, count]) => Array(count).fill(`/servers/${server}/mcp`));
    const sessions = await Promise.all(places.map((path, index) => openSession(nodes[index % nodes.length].at(path))));
    await store.keeps(sessions.length);
    const callers = new Callers(sessions, way.place);
    const took = [];
    do {
      for (const node of nodes) {
        const began = Date.now();
        assert.equal(await node.gateway.signal('SIGTERM'), 0, node.told('exit code'));
        took.push(Date.now() - began);
        await node.start();
        await cluster.whole();
      }
    } while (callers.answered < ENOUGH);
    await until('there are enough', () => callers.answered >= ENOUGH);
    await callers.stop();
    way.end();
    t.diagnostic(`${callers.answered} calls answered, ${callers.failed.length} failed; nodes went within ms ${took}`);
    assert.deepEqual(callers.failed, []);
    const calls = heard().filter(({ method }) => method === 'tools/call').map(({ params }) => params.arguments.message);
    assert.equal(new Set(calls).size, calls.length, 'no call was made twice');
    assert.ok(calls.length >= callers.answered);
    await Promise.all(sessions.map((session) => session.delete()));
  });
