// Servers that fail to start, or exit soon after.
import assert from 'node:assert/strict';
import { suite, test } from './lib/concurrently.mjs';
import { exampleServer, fixture, gatewayFor } from './lib/gateway.mjs';
import { rawConnection, request } from './lib/http.mjs';
import { long } from './lib/long.mjs';
import { initializeRequest, openSession, post, postBytes } from './lib/session.mjs';
import { assertBack, baseLine, DEBUG, leavesNothing, MIB } from './lib/state.mjs';
import { until } from './lib/until.mjs';

// Shorter than the 30 s for initialize, longer than a busy machine needs to start a server.
const AT_ONCE = 25_000;
const WAITS = { skip: long('it waits 30 s for the limit') };

const textOf = ({ result }) => result.content[0].text;
const hostile = (t, ...habits) => gatewayFor(t, fixture('hostile', ...habits), DEBUG);

// A gateway whose servers never start can only be warmed up by a failure.
const failOnce = async (gateway) => (await post(gateway.url, initializeRequest())).done;
const connectOnce = async (gateway) => (await request(gateway.at('/healthz'))).done;

async function assertFails(gateway, code) {
  const began = Date.now();
  const reply = await post(gateway.url, initializeRequest());
  const [answer] = await reply.all();
  assert.deepEqual([answer.id, answer.error?.code], [0, code], reply.received);
  assert.equal(reply.headers['mcp-session-id'], undefined);
  return Date.now() - began;
}

for (const [habit, code] of [
  ['exits-at-once', -32603],
  ['exits-on-initialize', -32603],
  ['breaks-off', -32603],
  ['unknown-version', -32603],
  ['refuses', -32602],
])
  test(`a server that fails to initialise (${habit}) is an error for its client and leaves nothing`, async (t) => {
    const gateway = await hostile(t, habit);
    const before = await baseLine(gateway, failOnce);
    for (let round = 0; round < 5; ++round) assert.ok((await assertFails(gateway, code)) < AT_ONCE);
    await Promise.all(Array.from({ length: 5 }, () => assertFails(gateway, code)));
    await assertBack(gateway, before, 64 * MIB);
  });

test('a server that begins with a line of 20 MB is understood all the same', async (t) => {
  const gateway = await hostile(t, `long-line=${20 * MIB}`);
  const before = await baseLine(gateway, connectOnce);
  await (await openSession(gateway.url)).delete();
  await assertBack(gateway, before, 64 * MIB);
});

suite('a client', { concurrency: true }, () => {
  for (const habits of [['mute'], ['deaf'], ['half-silent'], ['mute', 'stubborn']]) {
    test(`that leaves takes a server along that never answers initialize (${habits})`, async (t) => {
      const gateway = await hostile(t, ...habits);
      const before = await baseLine(gateway, connectOnce);
      const bytes = postBytes(gateway.url, initializeRequest());
      const connections = [1, 2, 3].map(() => rawConnection(gateway.port, bytes));
      await until('their servers are there', () => gateway.children().length === 3);
      connections.forEach(({ socket }) => socket.resetAndDestroy());
      await assertBack(gateway, before);
    });

    test(`is told in time that its server never answers initialize (${habits})`, WAITS, async (t) => {
      const gateway = await hostile(t, ...habits);
      const before = await baseLine(gateway, connectOnce);
      const took = await assertFails(gateway, -32603);
      assert.ok(took > 29_000 && took < 60_000, `${took} ms`);
      await assertBack(gateway, before);
    });
  }
});

test('a server that starts slowly is waited for, and its client may ask for more meanwhile', async (t) => {
  const gateway = await hostile(t, 'late=700');
  const sessions = await Promise.all([1, 2, 3, 4].map(() => openSession(gateway.url)));
  const told = await Promise.all(sessions.map((session) => session.call(1, 'echo', { message: 'hi' })));
  assert.deepEqual(told.map(textOf), ['hi', 'hi', 'hi', 'hi']);
});

test('a server that crashes again and again is an error each time, and nothing is left', async (t) => {
  const gateway = await gatewayFor(t, exampleServer, DEBUG);
  await leavesNothing(gateway, async () => {
    for (let round = 0; round < 20; ++round) {
      const session = await openSession(gateway.url);
      const listening = await session.listen();
      assert.equal((await session.call(1, 'crash')).error.code, -32603);
      await listening.done;
      assert.equal((await session.ping()).status, 404);
    }
  });
});
