// Clients behind the load balancers of deploy/.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { parse } from 'yaml';
import { test } from './lib/concurrently.mjs';
import { balancerNames, checkBalancer, readDeployed, startBalancer } from './lib/balancer.mjs';
import { at, HEARTBEAT, startCluster } from './lib/cluster.mjs';
import { gatewayWith } from './lib/config.mjs';
import { fixture, gatewayFor } from './lib/gateway.mjs';
import { request } from './lib/http.mjs';
import { SLOWNESS } from './lib/processes.mjs';
import { scratch } from './lib/scratch.mjs';
import { initializeRequest, openSession, post, Session, toolCall } from './lib/session.mjs';
import { debugState } from './lib/state.mjs';
import { until } from './lib/until.mjs';

const TRUSTED = ['--trusted-proxy', '127.0.0.1'];

async function sessionBehind(t, name) {
  const gateway = await gatewayFor(t, fixture('reload-server'), ...TRUSTED);
  const url = `${await startBalancer(t, name, [gateway.port])}/mcp`;
  return { url, gateway, session: await openSession(url) };
}

// The time after which HAProxy detects a frozen node: each check times out after one interval. The rest is for a busy
// machine.
const [, EVERY, CHECKS] = /inter (\d+)s fall (\d+)/.exec(readDeployed('haproxy.cfg')).map(Number);
const FROZEN_MS = 2 * EVERY * CHECKS * 1_000 + 10_000 * SLOWNESS;
const HEAD = 64 * 1024; // bytes that Troupe accepts

const withHead = (url, bytes) => request(new URL('/healthz', url), { headers: { 'x-long': 'x'.repeat(bytes) } });

// A node with settable readiness that holds or refuses calls, and counts its checks.
async function heldNode(t) {
  const node = { status: 200, refuses: false, asked: 0, calls: [] };
  const server = createHttpServer((request, response) => {
    request.resume();
    if (request.url === '/readyz') {
      node.asked += 1;
      return response.writeHead(node.status).end();
    }
    if (node.refuses) response.writeHead(503).end();
    return node.calls.push(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  t.after(() => server.closeAllConnections());
  node.port = server.address().port;
  return node;
}

// A node that accepts requests and exits before it answers. It counts the requests.
async function dyingNode(t) {
  const node = { requests: 0 };
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (data) => {
      if (!String(data).startsWith('POST')) return socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
      node.requests += 1;
      return socket.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  node.port = server.address().port;
  return node;
}

for (const name of balancerNames) {
  test(`${name} takes its file`, async () => {
    const { code, said } = await checkBalancer(name);
    assert.equal(code, 0, said);
    assert.doesNotMatch(said, /warn/i);
  });

  test(`${name} takes heads as long as Troupe does`, async (t) => {
    const gateway = await gatewayFor(t, fixture('reload-server'), ...TRUSTED);
    const url = await startBalancer(t, name, [gateway.port]);
    assert.equal((await withHead(url, HEAD - 512)).status, 200);
    assert.ok([400, 431].includes((await withHead(url, HEAD)).status));
  });

  test(`events pass ${name} when they happen`, async (t) => {
    const { session } = await sessionBehind(t, name);
    const file = join(scratch(), 'open');
    const reply = await session.post(toolCall('held', 'hold', { file }, 'mine'));
    await reply.message('progress before the answer', ({ method }) => method === 'notifications/progress');
    assert.equal(reply.ended, false);
    writeFileSync(file, '');
    assert.equal((await reply.all()).at(-1).result.content[0].text, 'held');
  });

  test(`a stream passes ${name}, and so does its end`, async (t) => {
    const { session } = await sessionBehind(t, name);
    const stream = await session.listen();
    assert.equal(stream.status, 200);
    await until('the stream has begun', () => stream.received !== '');
    assert.equal((await session.delete()).status, 200);
    await stream.done;
  });

  test(`a session that is gone is a 404 behind ${name}`, async (t) => {
    const { session } = await sessionBehind(t, name);
    await session.delete();
    const reply = await session.ping();
    const [answer] = await reply.all();
    assert.deepEqual([reply.status, answer.error.code], [404, -32600]);
  });

  test(`addresses that a client makes up dodge no limit behind ${name}`, async (t) => {
    const [command, ...args] = fixture('reload-server');
    const limits = { perAddress: { initializesPerMinute: 1 } };
    const gateway = await gatewayWith(t, { mcpServers: { a: { command, args } }, gateway: { limits } }, ...TRUSTED);
    const url = await startBalancer(t, name, [gateway.port]);
    const statuses = [];
    for (let n = 1; n <= 6; n += 1)
      statuses.push((await post(`${url}/mcp`, initializeRequest(), { 'x-forwarded-for': `203.0.113.${n}` })).status);
    assert.deepEqual(statuses, [200, 200, 429, 429, 429, 429]);
  });

  test(`${name} never sends a POST again that may have run`, async (t) => {
    const node = await dyingNode(t);
    const url = await startBalancer(t, name, [node.port]);
    const reply = await post(`${url}/mcp`, initializeRequest());
    assert.equal(reply.status, 502);
    assert.equal(node.requests, 1);
  });

  test(`${name} goes to another node when one cannot be reached`, async (t) => {
    const gateway = await gatewayFor(t, fixture('reload-server'), ...TRUSTED);
    const url = await startBalancer(t, name, [gateway.port, 1, 1]);
    const initialize = async () => (await post(`${url}/mcp`, initializeRequest())).status;
    // On a busy machine the checks of HAProxy may interfere: it answers 502 when it removes the node during a try.
    const patient = async () => {
      const status = await initialize();
      return status === 502 ? initialize() : status;
    };
    const statuses = await Promise.all([1, 2, 3, 4, 5, 6].map(name === 'haproxy' ? patient : initialize));
    assert.deepEqual(statuses, [200, 200, 200, 200, 200, 200]);
  });
}

test('nginx takes nodes by turns, however fast one refuses', async (t) => {
  const [busy, refusing] = [await heldNode(t), await heldNode(t)];
  refusing.refuses = true;
  const url = await startBalancer(t, 'nginx', [busy.port, busy.port, refusing.port]);
  const all = [];
  for (let n = 1; n <= 9; n += 1) {
    all.push(post(`${url}/mcp`, initializeRequest()));
    await until('it is there', () => busy.calls.length + refusing.calls.length === n);
  }
  assert.deepEqual([busy.calls.length, refusing.calls.length], [6, 3]);
  for (const response of busy.calls) response.end('{}');
  await Promise.all(all);
});

test('haproxy lets a node that drains finish its calls, and sends it nothing new', async (t) => {
  const [leaving, staying] = [await heldNode(t), await heldNode(t)];
  const url = await startBalancer(t, 'haproxy', [leaving.port, staying.port, 1]);
  const calls = [];
  const call = async () => {
    const held = leaving.calls.length + staying.calls.length;
    calls.push(post(`${url}/mcp`, initializeRequest()));
    await until('the call is there', () => leaving.calls.length + staying.calls.length > held);
  };
  await call();
  await call();
  // On a busy machine HAProxy may consider a node lost for a moment, and send its calls to the other one.
  while (leaving.calls.length === 0) await call();
  const taken = leaving.calls.length;
  leaving.status = 503;
  const { asked } = leaving;
  await until('it has been asked often enough to be lost', () => leaving.asked >= asked + CHECKS + 2);
  await call();
  await call();
  assert.equal(leaving.calls.length, taken);
  for (const response of [...leaving.calls, ...staying.calls]) response.end('{}');
  for (const reply of calls) assert.equal((await reply).status, 200);
});

test('clients of a node that is frozen move on behind haproxy', async (t) => {
  const cluster = await startCluster(t, { command: fixture('reload-server'), heartbeat: HEARTBEAT });
  const [frozen, owner] = cluster.nodes;
  const url = await startBalancer(t, 'haproxy', cluster.nodes.map(({ port }) => port));
  const { id, version } = await openSession(owner.url);
  const session = new Session(`${url}/mcp`, id, version);
  const relayed = async () => (await debugState(frozen)).cluster.relayed_elsewhere;
  let streams = [];
  // On a busy machine HAProxy may consider a running node lost.
  await until('a stream goes through each node', async () => {
    for (const stream of streams) stream.destroy();
    await until('they are gone', async () => (await relayed()) === 0);
    streams = [await session.listen(), await session.listen(), await session.listen()];
    return (await relayed()) === 1;
  });

  frozen.freeze();
  t.after(() => frozen.thaw());
  const began = Date.now();
  const asked = await Promise.all([1, 2, 3, 4, 5, 6].map((id) => session.ping(id)));
  await until('a stream is closed', () => streams.some(({ ended }) => ended));
  assert.ok(Date.now() - began < FROZEN_MS, `${Date.now() - began} ms`);
  assert.ok(asked.every(({ status }) => status === 200 || status === 502));
  assert.equal(streams.filter(({ ended }) => ended).length, 1, 'the others are on nodes that live');
  for (const _ of cluster.nodes) {
    assert.equal((await session.ping()).status, 200);
    assert.equal((await (await openSession(session.url)).delete()).status, 200);
  }
  assert.equal((await session.listen()).status, 200);

  frozen.thaw();
  await cluster.whole();
  assert.equal((await at(frozen, session).ping()).status, 200);
});

for (const name of balancerNames)
  test(`what clients make up of themselves does not pass ${name}`, async (t) => {
    const server = createHttpServer(({ headers }, response) => response.end(JSON.stringify(headers)));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.after(() => server.close());
    t.after(() => server.closeAllConnections());
    const url = await startBalancer(t, name, [server.address().port]);
    const headers = {
      forwarded: 'for=127.0.0.1;host=evil.example;proto=https',
      'x-forwarded-for': '203.0.113.1',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
      'x-forwarded-prefix': '/evil',
    };
    const [seen] = await (await request(url, { headers })).all();
    assert.equal(seen.forwarded ?? '', '');
    assert.equal(seen['x-forwarded-prefix'] ?? '', '');
    assert.equal(seen['x-forwarded-host'], new URL(url).host);
    assert.equal(seen['x-forwarded-proto'], 'http');
    assert.equal(seen['x-forwarded-for'], '127.0.0.1', 'only where the client really is');
  });

test('nodes of compose believe its proxy, and nobody else in a private network', () => {
  const { networks } = parse(readDeployed('compose.yaml'), { merge: true }).services.nginx;
  const [, trusted] = /"trustedProxies": (\[.*\])/.exec(readDeployed('cluster.mcp.json'));
  assert.deepEqual(JSON.parse(trusted), [networks.front.ipv4_address]);
});
