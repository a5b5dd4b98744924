// Servers inside a host, on two nodes: merged, shared, separate, over both transports, and restored.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import {
  Client, connect, ResourceUpdatedNotificationSchema, SSEClientTransport, StreamableHTTPClientTransport,
} from '../system/lib/client.mjs';
import { at, startCluster } from '../system/lib/cluster.mjs';
import { fixture } from '../system/lib/gateway.mjs';
import { startRedis } from '../system/lib/redis.mjs';
import { openSession } from '../system/lib/session.mjs';
import { asked, assertGone, LEASE, patientAnswerOf } from '../system/lib/store.mjs';
import { until } from '../system/lib/until.mjs';

const NOTE = 'notes://one';
// The resource's URI on the merged endpoint.
const MERGED_NOTE = `troupe://notes/${NOTE}`;
const SAID = 'This is a simple text response for testing.';
const NAMES = ['counter__count', 'notes__change', 'notes__where', 'program__test_simple_text'];

async function call(client, name, args = {}) {
  const { content, isError } = await client.callTool({ name, arguments: args });
  assert.ok(!isError, JSON.stringify(content));
  return content[0].text;
}

const namesOf = async (client) => (await client.listTools()).tools.map(({ name }) => name);

async function over(t, transport) {
  const client = new Client({ name: 'system-test', version: '1' });
  await client.connect(transport);
  t.after(() => client.close());
  return client;
}

const overHttp = (t, url, options) => over(t, new StreamableHTTPClientTransport(new URL(url), options));
const overSse = (t, url) => over(t, new SSEClientTransport(new URL(url)));

// The session, addressed at another node.
const moved = (t, { transport: { sessionId, protocolVersion } }, url) => overHttp(t, url, { sessionId, protocolVersion });

// Asserts that the nodes log nothing but JSON, because a gateway must not write otherwise.
const assertQuiet = (nodes) => {
  for (const { log } of nodes) assert.deepEqual(log.filter((line) => !line.startsWith('{')), []);
};

const start = (t, options) => startCluster(t, { nodes: 2, command: fixture('stdio'), ...options });

suite('servers of a host on two nodes', () => {
  const ends = [];
  let one;
  let two;
  before(async () => {
    ({ nodes: [one, two] } = await start({ after: (end) => ends.push(end) }));
  });
  after(async () => {
    for (const end of ends) await end();
  });

  test('are merged with a program at /mcp and at /sse', async (t) => {
    for (const client of [(await connect(t, one.url)).client, await overSse(t, one.at('/sse'))]) {
      const names = await namesOf(client);
      for (const name of NAMES) assert.ok(names.includes(name), names.join());
      assert.equal(await call(client, 'notes__where'), one.name);
      assert.match(await call(client, 'counter__count'), /^\d+$/);
      assert.equal(await call(client, 'program__test_simple_text'), SAID);
      assert.equal((await client.readResource({ uri: MERGED_NOTE })).contents[0].text, 'a note');
    }
  });

  test('have paths of their own, for both transports', async (t) => {
    const here = (name, transport) => two.at(`/servers/${name}/${transport}`);
    for (const open of [async (name) => (await connect(t, here(name, 'mcp'))).client, (name) => overSse(t, here(name, 'sse'))]) {
      const hosted = await open('notes');
      assert.deepEqual(await namesOf(hosted), ['where', 'change']);
      assert.equal(await call(hosted, 'where'), two.name);
      const actor = await open('counter');
      assert.deepEqual(await namesOf(actor), ['count']);
      assert.match(await call(actor, 'count'), /^\d+$/);
    }
  });

  test('are called through the other node', async (t) => {
    const began = await connect(t, one.url);
    const elsewhere = await moved(t, began, two.url);
    for (const client of [began.client, elsewhere]) assert.equal(await call(client, 'notes__where'), one.name);
    const count = Number(await call(began.client, 'counter__count'));
    assert.equal(Number(await call(elsewhere, 'counter__count')), count + 1, 'the same actor');
    assert.equal(await call(elsewhere, 'program__test_simple_text'), SAID);
  });

  test('are shared by the sessions of a node, if they are to be', async (t) => {
    const count = async (client) => Number(await call(client, 'count'));
    const clients = [];
    for (let i = 0; i < 3; ++i) clients.push((await connect(t, one.at('/servers/counter/mcp'))).client);
    const first = await count(clients[0]);
    const counted = [await count(clients[1]), await count(clients[2])];
    assert.deepEqual(counted, [first + 1, first + 2]);
  });

  test('tell a client that listens at one node what a call at the other caused', async (t) => {
    const fetchThere = (url, request) => fetch(request.method === 'GET' ? two.url : url, request);
    const listening = await overHttp(t, one.url, { fetch: fetchThere });
    const told = [];
    listening.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
      told.push(params.uri);
    });
    await listening.subscribeResource({ uri: MERGED_NOTE });
    const { client } = await connect(t, one.url);
    for (const times of [1, 2]) {
      await call(client, 'notes__change');
      await until('it is told', () => told.length === times);
    }
    assert.deepEqual(told, [MERGED_NOTE, MERGED_NOTE]);
  });

  // Last test, because it kills a node.
  test('are served on when the other node is killed, whose sessions are gone', async (t) => {
    const lost = [await openSession(one.url), await openSession(one.at('/servers/notes/mcp'))];
    const kept = await connect(t, two.url);
    for (const session of lost) assert.equal((await at(two, session).ping()).status, 200);
    await one.kill();
    for (const session of lost)
      await until('it is gone', async () => (await at(two, session).ping()).status === 404);
    for (const session of lost) await assertGone([two], session);
    assert.equal(await call(kept.client, 'notes__where'), two.name);
    const { client } = await connect(t, two.url);
    assert.match(await call(client, 'counter__count'), /^\d+$/);
    assertQuiet([one, two]);
  });
});

test('sessions with servers of a host go on at the other node when theirs is killed', async (t) => {
  const flags = ['--store', await startRedis(t)];
  const { nodes: [one, two] } = await start(t, { heartbeat: LEASE, flags });
  const alone = await openSession(one.at('/servers/notes/mcp'));
  await asked(alone, 'resources/subscribe', { uri: NOTE });
  const merged = await openSession(one.url);
  const where = (session, name) => asked(at(two, session), 'tools/call', { name }).then(({ content }) => content[0].text);
  assert.equal(await where(alone, 'where'), one.name);
  assert.equal(await where(merged, 'notes__where'), one.name);
  await one.kill();
  await until('the other node has both', async () => {
    const answers = [await patientAnswerOf(two, alone), await patientAnswerOf(two, merged)];
    return answers.every(({ status }) => status === 200);
  });
  assert.equal(await where(alone, 'where'), two.name);
  assert.equal(await where(merged, 'notes__where'), two.name);
  assert.equal(await where(merged, 'counter__count'), '1', 'another actor');
  const stream = await at(two, alone).listen();
  await where(alone, 'change');
  const { params } = await stream.message('that it changed', ({ method }) => method === 'notifications/resources/updated');
  assert.equal(params.uri, NOTE);
  assertQuiet([one, two]);
});
