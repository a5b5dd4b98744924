// What goes wrong with nodes, while clients call: nothing hangs, nobody is told what is not true,
// and it is all made good when the fault is over.
import assert from 'node:assert/strict';
import { test } from './lib/at-once.mjs';
import { at, startCluster, statusOf } from './lib/cluster.mjs';
import {
  assertNoticed, assertServes, BEAT, IDLE, loaded, NOTICE, others, rejoined, settle, underLoad, victimsOf, waiting,
} from './lib/faults.mjs';
import { fixture } from './lib/gateway.mjs';
import { SLOWNESS } from './lib/processes.mjs';
import { openSession, toolCall } from './lib/session.mjs';
import { debugState } from './lib/state.mjs';
import { until } from './lib/until.mjs';

// How long the balancer waits for a node that is frozen: longer than the others, or it blames them.
const BALANCER_MS = (BEAT + 2) * 1_000;
const GRACE_MS = 8_000 * SLOWNESS;
const ROUNDING_MS = 100;

const patientFor = (ms) => (text) => text.replace(/proxy_read_timeout \d+s/, `proxy_read_timeout ${ms / 1_000}s`);
const security = (tls) => (tls ? 'with certificates' : 'without certificates');

// -- nodes -------------------------------------------------------------------------------------------------------------

const NODE_FAULTS = {
  'a killed node': { strike: (node) => node.kill(), mend: (node) => node.start(), isNewLife: true, longest: NOTICE },
  // Who asked the frozen node itself hears of it when the balancer has enough.
  'a frozen node': { strike: (node) => node.freeze(), mend: (node) => node.thaw(), longest: BALANCER_MS + NOTICE },
};

for (const tls of [false, true])
  for (const [fault, { strike, mend, isNewLife, longest }] of Object.entries(NODE_FAULTS))
    test(`${fault} is noticed, survived and taken back, ${security(tls)}`, async (t) => {
      const { cluster, load } = await underLoad(t, { tls }, patientFor(BALANCER_MS));
      for (const victim of victimsOf(cluster.nodes, tls)) {
        const survivors = others(cluster, victim);
        const waits = await Promise.all(survivors.map((asker) => waiting(victim, asker)));
        const among = await waiting(survivors[0], survivors[1]);
        const began = Date.now();
        await strike(victim);
        await Promise.all(
          survivors.map((asker, index) => assertNoticed(t, fault, asker, victim, waits[index], began, NOTICE)),
        );
        await assertServes(survivors);
        assert.ok(!among.stream.ended && !among.listening.ended, survivors[1].told('survivors do not lose each other'));
        await among.session.delete();
        const reply = await among.json;
        await reply.done;
        await mend(victim);
        await rejoined(t, fault, cluster);
        for (const { there, session } of waits) {
          const { status } = await there.ping();
          assert.equal(status, isNewLife ? 404 : 200, 'only a new life has forgotten its sessions');
          await session.delete();
        }
      }
      await settle(t, fault, cluster, load, longest);
    });

test('a node that is restarted under load has lost its sessions, and nothing else', async (t) => {
  const { cluster, load } = await underLoad(t, {});
  for (const victim of victimsOf(cluster.nodes)) {
    const session = await openSession(victim.url);
    const before = Date.now();
    await victim.restart();
    await rejoined(t, 'a restarted node', cluster);
    for (const node of cluster.nodes) assert.equal((await at(node, session).ping()).status, 404);
    t.diagnostic(`${victim.name} was away for ${Date.now() - before} ms`);
  }
  await settle(t, 'a restarted node', cluster, load);
});

// -- drains --------------------------------------------------------------------------------------------------------------

test('a node that drains under load serves what it owns through the others, until its grace ends', async (t) => {
  const [command, ...args] = fixture('hostile');
  const config = { mcpServers: { a: { command, args } }, gateway: { grace: `${GRACE_MS}ms` } };
  const cluster = await startCluster(t, { config, flags: IDLE });
  const path = '/servers/a/mcp';
  const load = await loaded(t, cluster, path);
  const [victim, ...survivors] = cluster.nodes;
  const owned = await Promise.all(survivors.map(() => openSession(victim.at(path))));
  const stream = await at(survivors[0], owned[0]).listen();
  const ended = stream.done.then(() => Date.now());

  const began = Date.now();
  const exited = victim.gateway.signal('SIGTERM');
  await until('it is not ready', async () => (await statusOf(victim, '/readyz')) === 503, NOTICE);
  for (const node of survivors)
    await until('the others know', async () =>
      (await node.others()).some(({ name, draining }) => name === victim.name && draining), NOTICE);
  t.diagnostic(`the others knew after ${Date.now() - began} ms`);
  const begun = await openSession(victim.at(path));
  // So that it is not idle.
  const listening = await at(survivors[1], begun).listen();
  // What was heard when the grace was over says nothing of it.
  const isInGrace = () => Date.now() - began < GRACE_MS - ROUNDING_MS;
  let served = 0;
  while (isInGrace()) {
    for (const [index, session] of owned.entries()) {
      const { result, error } = await at(survivors[index], session).call(++served, 'echo', { message: `${served}` });
      if (isInGrace()) assert.equal(result?.content[0].text, `${served}`, JSON.stringify(error));
    }
    assert.equal((await openSession(survivors[0].at(path)).then((one) => one.delete())).status, 200);
  }
  const code = await exited;
  const lived = Date.now() - began;
  t.diagnostic(`${served} calls were served; it ended after ${lived} ms of a grace of ${GRACE_MS} ms; ${load}`);
  assert.equal(code, 0, victim.told(''));
  assert.ok(lived >= GRACE_MS - ROUNDING_MS && lived < GRACE_MS + NOTICE, `${lived} ms`);
  const failed = Math.min(load.first('lost'), load.first('gone')) - began;
  assert.ok(failed >= GRACE_MS - ROUNDING_MS, `a call failed after ${failed} ms`);
  const listened = (await ended) - began;
  assert.ok(listened >= GRACE_MS - ROUNDING_MS, `a listening stream ended after ${listened} ms`);
  for (const [index, session] of owned.entries())
    await until('its sessions are gone', async () => (await at(survivors[index], session).ping()).status === 404, NOTICE);
  const { result } = await at(survivors[0], begun).call(++served, 'echo', { message: 'here' });
  assert.equal(result?.content[0].text, 'here', 'what began meanwhile began elsewhere');
  await at(survivors[0], begun).delete();
  await listening.done;
  await victim.start();
  await rejoined(t, 'a drained node', cluster);
  await settle(t, 'a drained node', cluster, load, NOTICE, path);
  assert.equal(load.count('broken off'), 0, String(load));
});

test('a call in flight on a node that drains is answered through another node', async (t) => {
  const [command, ...args] = fixture('hostile');
  const config = { mcpServers: { a: { command, args } }, gateway: { grace: '30s' } };
  const cluster = await startCluster(t, { config });
  const [victim, other] = cluster.nodes;
  const session = await openSession(victim.at('/servers/a/mcp'));
  const reply = at(other, session).post(toolCall(1, 'sleep', { ms: 2_000 * SLOWNESS }));
  await until('it runs', async () => (await debugState(victim)).calls === 1);
  const exited = victim.gateway.signal('SIGTERM');
  const answer = (await (await reply).all()).at(-1);
  assert.equal(answer.result?.content[0].text, 'rested', JSON.stringify(answer));
  await at(other, session).delete();
  assert.equal(await exited, 0);
});

// -- all at once -----------------------------------------------------------------------------------------------------------

test('the last node that lives serves on, and the others come back to it', async (t) => {
  const { cluster, load } = await underLoad(t, {});
  const [one, two, three] = cluster.nodes;
  const session = await openSession(three.url);
  // So that it is not idle, however long the others take.
  const listening = await session.listen();
  await Promise.all([one.kill(), two.kill()]);
  for (let n = 0; n < 50; ++n)
    assert.equal((await session.call(n, 'echo', { message: `${n}` })).result.content[0].text, `${n}`);
  await Promise.all([one.start(), two.start()]);
  await rejoined(t, 'two killed nodes', cluster);
  for (const node of cluster.nodes) assert.equal((await at(node, session).ping()).status, 200);
  await session.delete();
  await listening.done;
  await settle(t, 'two killed nodes', cluster, load);
});
