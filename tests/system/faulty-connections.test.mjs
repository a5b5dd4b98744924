// Greedy connections and connections without valid HTTP: after each scenario all resources are back at the baseline.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { suite, test } from './lib/concurrently.mjs';
import { exampleServer, startGateway } from './lib/gateway.mjs';
import { assertServes, ENDINGS, getBytes, malformed } from './lib/hostile-client.mjs';
import { rawConnection } from './lib/http.mjs';
import { peakMemory } from './lib/processes.mjs';
import { random } from './lib/random.mjs';
import { openSession, postBytes } from './lib/session.mjs';
import { assertBack, baseLine, DEBUG, leavesNothing, MIB } from './lib/state.mjs';
import { until } from './lib/until.mjs';

const PING = { jsonrpc: '2.0', id: 'ping', method: 'ping' };

const repeated = (count, make) => Promise.all(Array.from({ length: count }, (_, index) => make(index)));
const connected = ({ socket }) => until('it is connected', () => !socket.connecting);

suite('a connection', () => {
  let gateway;
  let clean;
  before(async () => {
    gateway = await startGateway(exampleServer, DEBUG);
    clean = await baseLine(gateway);
  });
  after(() => gateway.stop());

  for (const [name, [bytes, fitting]] of Object.entries(malformed('http://localhost/mcp', random())))
    test(`that brings ${name} is refused, and nothing is left`, async () => {
      const connection = rawConnection(gateway.port);
      connection.socket.write(bytes, 'latin1');
      const told = () => connection.closed || /^HTTP\/1\.1 \d+/.test(connection.received);
      await until('it is refused', told);
      assert.match(connection.received.split('\r\n')[0], fitting);
      connection.socket.destroy();
      await assertServes(gateway);
      await assertBack(gateway, clean);
    });

  test('with a thousand requests at once gets a thousand answers in order', async () => {
    await leavesNothing(gateway, async () => {
      const session = await openSession(gateway.url);
      const bytes = (id) => postBytes(gateway.url, { ...PING, id: `n${id}` }, session.headers);
      const requests = Array.from({ length: 1_000 }, (_, id) => bytes(id));
      const connection = rawConnection(gateway.port, requests.join(''));
      await until('the last is answered', () => connection.received.includes('"n999"'));
      const order = [...connection.received.matchAll(/"n(\d+)"/g)].map(([, id]) => Number(id));
      assert.deepEqual(order, Array.from({ length: 1_000 }, (_, id) => id));
      connection.socket.destroy();
      await session.delete();
    });
  });

  test('that sends on and on behind an open stream costs no memory', async () => {
    await leavesNothing(gateway, async () => {
      const session = await openSession(gateway.url);
      const connection = rawConnection(gateway.port, getBytes(gateway.url, session.headers));
      await until('the stream is open', () => connection.received.includes('text/event-stream'));
      const { bytes } = await peakMemory(gateway.pid, async () => {
        for (let round = 0; round < 64; ++round) connection.socket.write('x'.repeat(MIB));
        for (let round = 0; round < 10; ++round) await assertServes(gateway);
      });
      assert.ok(bytes < 16 * MIB, `${bytes / MIB} MiB`);
      assert.ok(!connection.closed);
      connection.socket.resetAndDestroy();
      await session.delete();
    });
  });

  test('that is one of five hundred is served', async () => {
    await leavesNothing(gateway, async () => {
      const connections = await repeated(500, () => rawConnection(gateway.port));
      await Promise.all(connections.map(connected));
      await assertServes(gateway);
      connections.forEach(({ socket }, index) => Object.values(ENDINGS)[index % 3](socket));
      await until('all are closed', () => connections.every(({ closed }) => closed));
    });
  });
});
