// Slow clients, and idle streams.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { gatewayWith } from './lib/config.mjs';
import { fixture, gatewayFor } from './lib/gateway.mjs';
import { assertServes, dribble, getBytes, lazyConnection, unreadStream } from './lib/hostile-client.mjs';
import { rawConnection } from './lib/http.mjs';
import { long } from './lib/long.mjs';
import { peakMemory } from './lib/processes.mjs';
import { initializeRequest, openSession, postBytes, toolCall } from './lib/session.mjs';
import { openSseSession } from './lib/sse.mjs';
import { assertBack, baseLine, DEBUG, debugState, MIB } from './lib/state.mjs';
import { until } from './lib/until.mjs';

const HEADER_LIMIT = 15_000;
const BODY_LIMIT = 60_000;
const FIRST_REQUEST_LIMIT = 10_000;
const WRITE_LIMIT = 60_000;
const KEEP_ALIVE_LIMIT = 28_000;
// The allowed delay on a busy machine.
const SLACK = 20_000;

const waits = (ms) => ({ skip: long(`it waits ${ms / 1_000} s for the limit`) });

const repeated = (count, make) => Promise.all(Array.from({ length: count }, (_, index) => make(index)));

suite('as time goes by', { concurrency: true }, () => {
  test('clients slow with a header are shown out, and others are served meanwhile', async (t) => {
    const gateway = await gatewayFor(t, fixture('hostile'), DEBUG);
    const before = await baseLine(gateway);
    const bytes = postBytes(gateway.url, initializeRequest(), { 'x-long': 'x'.repeat(1_000) });
    const slow = await repeated(40, (index) => dribble(gateway.port, bytes, index + 1));
    await assertServes(gateway);
    await until('the slow are gone', () => slow.every(({ closed }) => closed), HEADER_LIMIT + SLACK);
    assert.ok(slow.every(({ received }) => /^$|^HTTP\/1\.1 408/.test(received)));
    await assertBack(gateway, before);
  });

  test('clients slow with a body are shown out, and others are served meanwhile', waits(BODY_LIMIT), async (t) => {
    const gateway = await gatewayFor(t, fixture('hostile'), DEBUG);
    const before = await baseLine(gateway);
    const capabilities = { experimental: { x: 'x'.repeat(9_000) } };
    const bytes = postBytes(gateway.url, initializeRequest('2025-11-25', capabilities));
    const head = bytes.indexOf('\r\n\r\n') + 4;
    const slow = await repeated(20, (index) => dribble(gateway.port, bytes, head + index));
    await assertServes(gateway);
    await until('the slow are gone', () => slow.every(({ closed }) => closed), BODY_LIMIT + SLACK);
    await assertBack(gateway, before);
  });

  test('clients that say nothing at all are shown out', async (t) => {
    const gateway = await gatewayFor(t, fixture('hostile'), DEBUG);
    const before = await baseLine(gateway);
    const idle = await repeated(50, () => rawConnection(gateway.port));
    await assertServes(gateway);
    await until('the idle are gone', () => idle.every(({ closed }) => closed), FIRST_REQUEST_LIMIT + SLACK);
    await assertBack(gateway, before);
  });

  test('a listener that stops reading is shown out, however little waits for it', waits(WRITE_LIMIT), async (t) => {
    const gateway = await gatewayFor(t, fixture('hostile'), DEBUG);
    const session = await openSession(gateway.url);
    const listening = await unreadStream(gateway.port, getBytes(gateway.url, session.headers));
    await session.call(1, 'flood_later', { kind: 'log', count: 180, bytes: 50_000 });
    const isGone = async () => (await debugState(gateway)).streams.primary === 0;
    await until('it is shown out', isGone, WRITE_LIMIT + 20_000);
    listening.socket.destroy();
    await session.delete();
  });

  test('clients that read nothing are kept no more than the gateway may keep', async (t) => {
    const [command, ...args] = fixture('hostile');
    const limits = { unsentBytes: 32 * MIB };
    const gateway = await gatewayWith(t, { mcpServers: { a: { command, args } }, gateway: { limits } });
    const session = await openSession(gateway.at('/servers/a/mcp'));
    const { bytes, value: clients } = await peakMemory(gateway.pid, async () => {
      const asking = await repeated(20, (id) =>
        lazyConnection(gateway.port, postBytes(session.url, toolCall(id, 'big', { bytes: 9_900_000 }), session.headers)));
      await until('all are answered', () => asking.every(({ received }) => received !== ''));
      return asking;
    });
    t.diagnostic(`${Math.round(bytes / MIB)} MiB`);
    assert.ok(bytes < 120 * MIB, `${bytes} bytes`);
    assert.equal((await session.ping()).status, 200);
    clients.forEach(({ socket }) => socket.destroy());
    await session.delete();
  });

  test('streams without messages are kept alive by comments', async (t) => {
    const gateway = await gatewayFor(t, fixture('hostile'));
    const [session, sse] = await Promise.all([openSession(gateway.url), openSseSession(gateway)]);
    const [primary, shadow] = [await session.listen(), await session.listen()];
    const call = await session.post(toolCall(1, 'flood', { kind: 'progress', count: 2, every_ms: 40_000 }, 'mine'));
    const quiet = [primary, shadow, call, sse.stream].map((stream) => ({ stream, length: stream.received.length }));
    const isAlive = ({ stream, length }) => /^:/m.test(stream.received.slice(length));
    await until('a comment comes on each', () => quiet.every(isAlive), KEEP_ALIVE_LIMIT);
    sse.close();
    await session.delete();
  });
});
