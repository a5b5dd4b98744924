// Nodes of one cluster: any of them serves any session.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { suite, test } from './lib/concurrently.mjs';
import { at, lasting, startCluster } from './lib/cluster.mjs';
import { exampleServer, fixture } from './lib/gateway.mjs';
import { ENDINGS, STATES } from './lib/hostile-client.mjs';
import { SANITIZED } from './lib/processes.mjs';
import { random, SEED } from './lib/random.mjs';
import { LATEST, openSession, post, Session, toolCall } from './lib/session.mjs';
import { openSseSession } from './lib/sse.mjs';
import { assertBack, baseLine, debugState, MIB } from './lib/state.mjs';
import { until } from './lib/until.mjs';

const BODY_LIMIT = 4 * MIB;
// The line limit of a server's output.
const LINE_LIMIT = 10 * MIB;
const SAMPLING = { sampling: {}, elicitation: {} };

const counting = (length) => Array.from({ length }, (_, index) => index + 1);
const textOf = ({ result }) => result?.content[0].text;

async function assertGone(session, node) {
  for (const asked of [session.ping(), session.listen(), session.delete()]) {
    const reply = await asked;
    const [answer] = await reply.all();
    assert.deepEqual([reply.status, answer.error.code], [404, -32600], `${node.name}: ${reply.received}`);
  }
}

suite('a session', () => {
  let cluster;
  let one;
  let two;
  let three;
  const t = lasting();
  before(async () => {
    cluster = await startCluster(t, { command: fixture('hostile') });
    [one, two, three] = cluster.nodes;
  });
  after(() => t.end());

  const everywhere = (session) => cluster.nodes.map((node) => at(node, session));

  test('is served by every node, whichever it began at', async () => {
    for (const node of cluster.nodes) {
      const session = await openSession(node.url);
      const pids = new Set();
      for (const [index, there] of everywhere(session).entries()) {
        assert.equal((await there.ping()).status, 200);
        assert.equal(textOf(await there.call(index, 'echo', { message: `at ${index}` })), `at ${index}`);
        pids.add(textOf(await there.call('pid', 'pid')));
      }
      assert.equal(pids.size, 1, 'one server');
      assert.equal((await session.delete()).status, 200);
    }
  });

  test('that is deleted at another node is gone at every node: 404', async () => {
    const session = await openSession(one.url);
    const stream = await at(three, session).listen();
    assert.equal((await at(two, session).delete()).status, 200);
    await stream.done;
    for (const node of cluster.nodes) await assertGone(at(node, session), node);
  });

  test('is answered the same by every node, also when it is asked wrongly', async () => {
    const session = await openSession(one.url);
    const wrong = [
      (there) => there.post('{'),
      (there) => there.post({ jsonrpc: '2.0', id: 1, method: 'no/such' }),
      (there) => there.post(toolCall(1, 'no-such')),
      (there) => there.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'none' } }),
      (there) => there.post({ jsonrpc: '2.0', id: 'nobody', result: {} }),
      (there) => there.post({ jsonrpc: '2.0', id: 1, method: 'ping' }, { 'mcp-protocol-version': '1999-01-01' }),
      (there) => there.post({ jsonrpc: '2.0', id: 1, method: 'ping' }, { accept: 'text/plain' }),
      (there) => there.post(toolCall(1, 'echo', { message: 'x'.repeat(BODY_LIMIT) })),
      (there) => there.listen({ 'last-event-id': 'nonsense' }),
      (there) => there.listen({ accept: 'application/json' }),
      (there) => post(there.url, { jsonrpc: '2.0', id: 1, method: 'ping' }),
    ];
    for (const ask of wrong) {
      const replies = [];
      for (const there of everywhere(session)) replies.push(await ask(there));
      await Promise.all(replies.map(({ done }) => done));
      const [first, ...others] = replies.map(({ status, headers, received }) => {
        const { date, ...rest } = headers;
        return { status, headers: rest, received };
      });
      for (const other of others) assert.deepEqual(other, first, ask.toString());
    }
    await session.delete();
  });

  test('has a hundred calls at a time through all nodes, each with its own answer', async () => {
    const session = await openSession(two.url);
    const there = everywhere(session);
    const told = await Promise.all(counting(100).map((n) => there[n % 3].call(n, 'echo', { message: `${n}` })));
    told.forEach(({ id, result }, index) => assert.deepEqual([id, result?.content[0].text], [index + 1, `${index + 1}`]));
    await session.delete();
  });

  test('is called at one node and cancelled at another', async () => {
    const session = await openSession(one.url);
    const reply = at(two, session).post(toolCall('long', 'never'));
    await until('the call runs', async () => (await debugState(one)).calls === 1);
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'long' } };
    assert.equal((await at(three, session).post(cancel)).status, 202);
    await until('the server heard of it', async () => textOf(await session.call('c', 'cancelled')) !== '[]');
    const { messages } = await (await reply).done.then(() => reply);
    assert.ok(messages.every(({ result }) => result === undefined), JSON.stringify(messages));
    await until('nothing is relayed', async () => (await debugState(two)).cluster.relayed_elsewhere === 0);
    await session.delete();
  });

  for (const method of ['sampling/createMessage', 'elicitation/create'])
    test(`is asked (${method}) at one node, and answers at another`, async () => {
      const session = await openSession(one.url, LATEST, SAMPLING);
      const call = await at(two, session).post(toolCall(1, 'ask', { method }));
      const { id } = await call.message('the question', (message) => message.method === method);
      const answer = { jsonrpc: '2.0', id, result: { text: 'from elsewhere' } };
      assert.equal((await at(three, session).post(answer)).status, 202);
      await call.done;
      assert.match(textOf(call.messages.at(-1)), /from elsewhere/);
      await session.delete();
    });

  test('takes the longest body through another node, and gives the longest answer back', async () => {
    const session = await openSession(one.url);
    const there = at(two, session);
    const around = JSON.stringify(toolCall(1, 'echo', { message: '' })).length;
    const message = 'x'.repeat(BODY_LIMIT - around);
    assert.equal(textOf(await there.call(1, 'echo', { message })), message);
    assert.equal((await there.post(toolCall(1, 'echo', { message: `${message}x` }))).status, 413);
    for (const bytes of [LINE_LIMIT - 1_000, LINE_LIMIT - 100])
      assert.equal(textOf(await there.call(bytes, 'big', { bytes }))?.length, bytes);
    const unicode = 'grüße 🎭 \u2028 "quoted" \\ '.repeat(40_000);
    assert.equal(textOf(await there.call(4, 'echo', { message: unicode })), unicode);
    await session.delete();
  });

  test('of an older revision answers a batch through another node', async () => {
    const session = await openSession(one.url, '2025-03-26');
    const batch = [1, 2, 3].map((n) => toolCall(n, 'echo', { message: `${n}` }));
    const reply = await at(two, session).post(batch);
    const answers = (await reply.all()).toSorted((a, b) => a.id - b.id);
    assert.deepEqual(answers.map(({ id, result }) => [id, result.content[0].text]), [[1, '1'], [2, '2'], [3, '3']]);
    await session.delete();
  });

  test('over HTTP+SSE takes messages at every node, and is gone at every node when its stream ends', async () => {
    const session = await openSseSession(one);
    for (const node of cluster.nodes) {
      const url = node.at(session.endpoint);
      assert.equal((await post(url, toolCall(node.name, 'echo', { message: node.name }))).status, 202);
      const answer = await session.message('the answer', ({ id }) => id === node.name);
      assert.equal(textOf(answer), node.name);
    }
    session.close();
    for (const node of cluster.nodes)
      await until('it is gone', async () => (await post(node.at(session.endpoint), toolCall(1, 'pid'))).status === 404);
  });

  test('of one path is no session of another, at any node', async () => {
    const session = await openSession(one.url);
    const statuses = [];
    for (const node of cluster.nodes) {
      const other = new Session(node.at('/servers/node/mcp'), session.id, session.version);
      statuses.push((await other.ping()).status);
    }
    assert.deepEqual(statuses, Array(3).fill(statuses[0]), 'the same at every node');
    await session.delete();
  });

  test('whose clients leave through another node in any state leaves nothing behind', async (t) => {
    const chance = random();
    const warm = async () => {
      const session = await openSession(one.url);
      await Promise.all(everywhere(session).map((there) => there.call(1, 'big', { bytes: 2_000_000 })));
      await session.delete();
      await until('the server has ended', () => one.children().length === 0);
    };
    const before = [];
    for (const node of cluster.nodes) before.push(await baseLine(node, warm));
    const idle = before[0].counts.brokers;
    for (const [state, enter] of Object.entries(STATES)) {
      // Stateless clients are served by one gateway alone.
      if (enter.length < 2) continue;
      for (const ending of Object.keys(ENDINGS)) {
        const session = await openSession(one.url, undefined, { elicitation: {} });
        const connection = await enter(two, at(two, session), chance);
        ENDINGS[ending](connection.socket);
        await until(`${state}, ${ending}: its node lets go of it`, async () => {
          connection.socket.resume();
          const { cluster: here } = await debugState(two);
          const { cluster: there, brokers } = await debugState(one);
          return here.relayed_elsewhere === 0 && there.relayed_here === 0 && brokers <= idle;
        });
        assert.equal((await at(three, session).delete()).status, 200);
      }
    }
    for (const [index, node] of cluster.nodes.entries()) await assertBack(node, before[index], 32 * MIB);
    t.diagnostic(`seed ${SEED}`);
  });

  // -- ids ---------------------------------------------------------------------------------------------------------

  test('has an id that no other id resembles: any digit changed is a 404 at every node', async () => {
    const session = await openSession(one.url);
    const changed = (index) => {
      const digit = ((Number.parseInt(session.id[index], 16) + 1 + (index % 15)) % 16).toString(16);
      return session.id.slice(0, index) + digit + session.id.slice(index + 1);
    };
    const forged = [...session.id].map((_, index) => changed(index));
    forged.push(session.id.toUpperCase(), session.id.slice(0, -1), `${session.id}0`, session.id.slice(0, 32), 'x');
    for (const id of forged) {
      if (id === session.id) continue;
      const replies = await Promise.all(cluster.nodes.map((node) => new Session(node.url, id, LATEST).ping()));
      assert.deepEqual(replies.map(({ status }) => status), [404, 404, 404], id);
    }
    for (const there of everywhere(session)) assert.equal((await there.ping()).status, 200);
    await session.delete();
  });
});

// -- many nodes --------------------------------------------------------------------------------------------------------

const MANY = SANITIZED ? 300 : 999;

test(`${MANY} sessions made turn by turn are served at every node`, async (t) => {
  const [command, ...args] = exampleServer;
  const config = { mcpServers: { a: { command, args, sharing: 'shared' } } };
  const { nodes } = await startCluster(t, { config });
  const began = Date.now();
  const left = counting(MANY);
  const ids = new Set();
  const worker = async () => {
    for (let n = left.pop(); n; n = left.pop()) {
      const session = await openSession(nodes[n % 3].url);
      ids.add(session.id);
      for (const [index, node] of nodes.entries()) {
        const answer = await at(node, session).call(n, 'add', { a: n, b: index });
        assert.deepEqual([answer.id, textOf(answer)], [n, String(n + index)]);
      }
    }
  };
  await Promise.all(counting(16).map(worker));
  const sessions = await Promise.all(nodes.map(async (node) => (await debugState(node)).sessions));
  assert.equal(ids.size, MANY);
  assert.deepEqual(sessions, Array(3).fill(MANY / 3));
  t.diagnostic(`${MANY} sessions and ${3 * MANY} calls took ${Date.now() - began} ms`);
});

test('the counts of a cluster tell of the other nodes and of what is relayed', async (t) => {
  const { nodes } = await startCluster(t, { command: fixture('hostile') });
  const [one, two] = nodes;
  const session = await openSession(one.url);
  const reply = at(two, session).post(toolCall('held', 'never'));
  await until('it is relayed', async () => (await debugState(one)).cluster.relayed_here === 1);
  const { cluster } = await debugState(two);
  assert.deepEqual(cluster.nodes, ['node-1', 'node-3'].map((name) => ({ name, draining: false })));
  assert.deepEqual([cluster.relayed_here, cluster.relayed_elsewhere], [0, 1]);
  await at(two, session).post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'held' } });
  await (await reply).done;
  for (const node of [one, two])
    await until('nothing is relayed', async () => {
      const { relayed_here: here, relayed_elsewhere: elsewhere } = (await debugState(node)).cluster;
      return here === 0 && elsewhere === 0;
    });
});
