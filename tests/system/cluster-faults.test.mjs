// Faults of nodes under load: no client hangs or gets a wrong answer, and everything recovers after the fault.
import assert from 'node:assert/strict';
import { test } from './lib/concurrently.mjs';
import { at } from './lib/cluster.mjs';
import {
  assertNoticed, assertServes, BEAT, NOTICE, others, pairOptions, rejoined, security, settle, underLoad, victimsOf,
  waiting,
} from './lib/faults.mjs';
import { openSession } from './lib/session.mjs';

// The balancer's timeout for a frozen node. It must exceed that of the nodes, or the balancer blames the others.
const BALANCER_MS = (BEAT + 2) * 1_000;

const patientFor = (ms) => (text) => text.replace(/proxy_read_timeout \d+s/, `proxy_read_timeout ${ms / 1_000}s`);

const NODE_FAULTS = {
  'a killed node': { strike: (node) => node.kill(), mend: (node) => node.start(), isNewLife: true, longest: NOTICE },
  // Clients of the frozen node itself are answered when the balancer times out.
  'a frozen node': { strike: (node) => node.freeze(), mend: (node) => node.thaw(), longest: BALANCER_MS + NOTICE },
};

for (const tls of [false, true])
  for (const [fault, { strike, mend, isNewLife, longest }] of Object.entries(NODE_FAULTS)) {
    const options = pairOptions(tls === Boolean(isNewLife));
    test(`${fault} is noticed, survived and taken back, ${security(tls)}`, options, async (t) => {
      const { cluster, load } = await underLoad(t, { tls }, patientFor(BALANCER_MS));
      for (const victim of victimsOf(cluster.nodes, tls)) {
        const survivors = others(cluster, victim);
        const waits = await Promise.all(survivors.map((asker) => waiting(victim, asker)));
        const among = await waiting(survivors[0], survivors[1]);
        const began = Date.now();
        await strike(victim);
        await Promise.all(
          survivors.map((asker, index) => assertNoticed(
            t, fault, asker, victim, waits[index], began, NOTICE, { isEnded: isNewLife },
          )),
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
  }

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

test('the last node that lives serves on, and the others come back to it', async (t) => {
  const { cluster, load } = await underLoad(t, {});
  const [one, two, three] = cluster.nodes;
  const session = await openSession(three.url);
  // Keeps the session from being idle, however long the other steps take.
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
