// Faults between two nodes under load: the two lose each other, and other nodes are unaffected.
import assert from 'node:assert/strict';
import { test } from './lib/concurrently.mjs';
import { at, startCluster } from './lib/cluster.mjs';
import {
  assertNoticed, assertServes, assertStays, BEAT, NOTICE, others, pairOptions, rejoined, security, settle, underLoad,
  victimsOf, waiting,
} from './lib/faults.mjs';
import { fixture } from './lib/gateway.mjs';
import { openSession } from './lib/session.mjs';

// Below the size limit of a message, and slower to transfer than a heartbeat.
const LONG_TEXT = 3 * 1024 * 1024;

for (const tls of [false, true])
  for (const fault of ['cut', 'silence']) {
    const options = pairOptions(tls === (fault === 'silence'));
    const what = fault === 'cut' ? 'cut' : 'silent';
    test(`a link that is ${what} parts two nodes and no others, ${security(tls)}`, options, async (t) => {
      const { cluster, load } = await underLoad(t, { proxied: true, tls });
      for (const third of victimsOf(cluster.nodes, tls)) {
        const [one, two] = others(cluster, third);
        assert.ok((await cluster.links.count(one, two)) >= 1, 'they speak through the link of the test');
        const waits = [await waiting(one, two), await waiting(two, one)];
        const safe = [await waiting(one, third), await waiting(third, two)];
        const name = `a link with fault ${fault}`;
        const began = Date.now();
        await cluster.links[fault](one, two);
        await Promise.all([
          assertNoticed(t, name, two, one, waits[0], began, NOTICE),
          assertNoticed(t, name, one, two, waits[1], began, NOTICE),
        ]);
        await assertServes([one, third]);
        await assertServes([two, third]);
        // Longer than any timeout between nodes. Attempts to reconnect must not affect others.
        await assertStays(cluster, third, 1_500 * BEAT);
        for (const { stream, listening, session } of safe) {
          assert.ok(!stream.ended && !listening.ended, third.told('the links of the third hold'));
          await session.delete();
        }
        await cluster.links.mend(one, two);
        await rejoined(t, name, cluster);
        for (const { there, session } of waits) {
          assert.equal((await there.ping()).status, 200, 'the session is there again');
          await session.delete();
        }
      }
      await settle(t, fault, cluster, load);
    });
  }

test('a message that takes longer than a heartbeat keeps the link', async (t) => {
  const cluster = await startCluster(t, { command: fixture('hostile'), heartbeat: BEAT, proxied: true, nodes: 2 });
  const [one, two] = cluster.nodes;
  const session = await openSession(two.url);
  await cluster.links.slow(one, two);
  const began = Date.now();
  const { result, error } = await at(one, session).call('long', 'echo', { message: 'x'.repeat(LONG_TEXT) });
  assert.equal(result?.content[0].text.length, LONG_TEXT, one.told(JSON.stringify(error)));
  const took = Date.now() - began;
  t.diagnostic(`it took ${took} ms`);
  assert.ok(took > 2_000 * BEAT);
  for (const node of cluster.nodes) assert.equal(node.logged('node lost'), undefined);
});
