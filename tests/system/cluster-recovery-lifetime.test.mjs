// The lifetime of stored sessions: as long as the session, and no longer.
import assert from 'node:assert/strict';
import { allow, test } from './lib/concurrently.mjs';
import { at, missed } from './lib/cluster.mjs';
import { debugState } from './lib/state.mjs';
import { ALONE, answerOf, asked, assertGone, introduce, listening, pidAt, startRecovering, touch } from './lib/store.mjs';
import { until } from './lib/until.mjs';

allow(5);

test('a session that its client ends is forgotten by all nodes and by Redis', async (t) => {
  const { nodes, store } = await startRecovering(t);
  const [one, two, three] = nodes;
  const sessions = [await introduce(one.at(ALONE)), await introduce(one.at(ALONE))];
  const stream = await listening(two, sessions[0]);
  await asked(sessions[0], 'resources/subscribe', { uri: 'test://one' });
  await touch(two, sessions[0], [1, 2, 3]);
  await until('there are keys', async () => (await store.sessionKeys()).length >= 3);
  const dump = await store.dump();
  for (const { id } of sessions) {
    assert.ok(!dump.includes(id), `the id ${id} is in Redis`);
    for (const part of id.split(/[^0-9A-Za-z]/).filter(({ length }) => length >= 16))
      assert.ok(!dump.toLowerCase().includes(part.toLowerCase()), `part ${part} of the id is in Redis`);
  }
  assert.equal((await at(three, sessions[0]).delete()).status, 200);
  await stream.done;
  // A node answers before Redis has stored the session.
  await store.keeps(1);
  await one.kill();
  await missed(one, two, three);
  assert.ok(await pidAt(two, sessions[1]), 'another goes on');
  await assertGone([two, three], sessions[0]);
  assert.equal((await at(three, sessions[1]).delete()).status, 200);
  await assertGone([two, three], sessions[1]);
  await until('nothing is left of them', async () => (await store.sessionKeys()).length === 0);
});

test('a session that ends for other reasons is forgotten, too', async (t) => {
  const { nodes, store } = await startRecovering(t, { flags: ['--session-timeout', '12'] });
  const [one, two, three] = nodes;
  // All at once, because a busy machine takes long for each.
  const [idle, restored, lost] = await Promise.all([1, 2, 3].map(() => introduce(one.at(ALONE))));
  await store.keeps(3);
  await one.kill();
  // All at once, because a session without requests is idle.
  const [, , pid] = await Promise.all([pidAt(two, restored), pidAt(three, idle), pidAt(three, lost)]);
  process.kill(pid, 'SIGKILL');
  await until('the session of the lost server is gone', async () => (await answerOf(two, lost)).status === 404);
  const left = async () => (await debugState(two)).sessions + (await debugState(three)).sessions;
  await until('the others are idle for long enough', async () => (await left()) === 0, 30_000);
  await until('all are forgotten', async () => (await store.sessionKeys()).length === 0);
  await assertGone([two, three], idle);
  await assertGone([two, three], restored);
  await assertGone([two, three], lost);
});

// Longer than the idle timeout.
const USES = {
  'its client only listens': 6,
  'its client calls all the time': 6,
  'its client calls, and its idle time is more than a minute': 100,
};
for (const [use, seconds] of Object.entries(USES))
  test(`a session is kept as long as it lives: ${use}`, async (t) => {
    const { nodes, store } = await startRecovering(t, { nodes: 2, flags: ['--session-timeout', String(seconds)] });
    const [one, two] = nodes;
    const session = await introduce(one.at(ALONE));
    const stream = use.includes('listens') ? await listening(two, session) : undefined;
    const began = Date.now();
    let gone;
    await until('time passes', async () => {
      gone ??= (await store.sessionKeys()).length === 0 ? Date.now() - began : undefined;
      if (!stream) await pidAt(two, session);
      return Date.now() - began > 3_000 + 1_000 * Math.min(seconds, 4);
    }, 60_000);
    t.diagnostic(`its keys ${gone ? `were gone after ${gone} ms` : 'stayed'}`);
    assert.ok(!stream?.ended, 'it lives, as it has a stream');
    await one.kill();
    assert.ok(await pidAt(two, session), 'it is restored');
    await at(two, session).delete();
  });
