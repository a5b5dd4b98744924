// The limit of open files: sessions, connections, and processes of servers.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { remoteFor, text } from './fixture/remote-script.mjs';
import { test } from './lib/concurrently.mjs';
import { at, statusOf } from './lib/cluster.mjs';
import { gatewayWith } from './lib/config.mjs';
import { bearer, KeyFile, newKey } from './lib/credentials.mjs';
import { exampleServer, serveBy, serving } from './lib/gateway.mjs';
import { rawConnection } from './lib/http.mjs';
import { Caller } from './lib/modern.mjs';
import { freePorts } from './lib/ports.mjs';
import { descriptors, SLOWNESS } from './lib/processes.mjs';
import { startRedis } from './lib/redis.mjs';
import { askRedis } from './lib/resp.mjs';
import { scratch } from './lib/scratch.mjs';
import { openSession } from './lib/session.mjs';
import { debugState } from './lib/state.mjs';
import { until } from './lib/until.mjs';

// A gateway with limited open files.
async function limited(t, { soft, hard }, ...args) {
  const limits = `ulimit -Sn ${soft} && ulimit -Hn ${hard} && exec "$0" "$@"`;
  const gateway = await serveBy(['sh', '-c', limits, ...serving(...args)]);
  t.after(() => gateway.stop());
  return gateway;
}

const limitsOf = (pid) => /Max open files\s+(\d+)\s+(\d+)/.exec(readFileSync(`/proc/${pid}/limits`, 'utf8')).slice(1);

// The log without the warning for tests that run as root.
const warnings = ({ log }) => log.map((line) => JSON.parse(line))
  .filter(({ level, msg }) => level === 'warning' && !msg.startsWith('servers run as root'));

test('the soft limit of open files is raised, but not for servers', async (t) => {
  const gateway = await limited(t, { soft: 200, hard: 2_000 }, '--', ...exampleServer);
  await openSession(gateway.url);
  assert.deepEqual(limitsOf(gateway.pid), ['2000', '2000']);
  const [server] = gateway.children();
  assert.deepEqual(limitsOf(server.pid), ['200', '2000']);
});

test('a limit that allows fewer sessions than are wanted is told', async (t) => {
  const files = { soft: 256, hard: 256 };
  const [few, enough] = await Promise.all(
    [17, 16].map((sessions) => limited(t, files, '--max-sessions', `${sessions}`, '--', ...exampleServer)),
  );
  const told = warnings(few).map(({ limit, sessions, wanted, advice }) => [limit, sessions, wanted, advice]);
  assert.deepEqual(told, [['256', '16', '17', 'raise it: ulimit -n, or LimitNOFILE= in a unit of systemd']]);
  assert.deepEqual(warnings(enough), []);
});

async function keyedGateway(t, keys) {
  const [command, ...args] = exampleServer;
  const config = join(scratch(), 'mcp.json');
  const auth = { keys: new KeyFile(...keys).path };
  writeFileSync(config, JSON.stringify({ mcpServers: { a: { command, args } }, gateway: { auth } }));
  return limited(t, { soft: 256, hard: 256 }, '--config', config);
}

const newKeys = (length) => Array.from({ length }, (_, number) => newKey(`caller-${number}`));

// Sessions and the leases of callers have a process each. None of them ends while it is in use.
test('idle sessions and leases give way to newcomers when files are out', async (t) => {
  const keys = newKeys(100);
  const gateway = await keyedGateway(t, keys);
  const comes = async ({ secret }) => {
    const caller = new Caller(gateway.at('/servers/a/mcp'), { headers: bearer(secret) });
    const reply = await caller.begin('tools/list');
    await reply.done;
    if (reply.status === 503) assert.match(reply.headers['retry-after'], /^[1-9]\d*$/);
    return reply.status;
  };
  const used = await openSession(gateway.at('/servers/a/mcp'), undefined, {}, bearer(keys[0].secret));
  const stay = setInterval(() => used.ping().catch(() => {}), 1_000);
  t.after(() => clearInterval(stay));
  const newcomers = keys.slice(1);
  const first = [];
  // Opens connections until no more are accepted.
  while (first.at(-1) !== 503 && newcomers.length > 0) first.push(await comes(newcomers.shift()));
  assert.equal(first.at(-1), 503, `${first.length} came in`);
  assert.ok(first.slice(0, -1).every((status) => status === 200), `${first}`);
  for (const one of newcomers.slice(0, 10))
    await until('there is room for another', async () => (await comes(one)) === 200, 30_000 * SLOWNESS);
  assert.equal((await used.ping()).status, 200);
  assert.ok(warnings(gateway).some(({ msg }) => msg.startsWith('out of descriptors, memory or processes')));
});

test('who holds most ends no sessions of others when files are out', async (t) => {
  const keys = newKeys(6);
  const gateway = await keyedGateway(t, keys);
  const begin = ({ secret }) => openSession(gateway.at('/servers/a/mcp'), undefined, {}, bearer(secret));
  const [much, ...few] = keys;
  const idle = await Promise.all(few.map(begin));
  const idleSince = Date.now();
  const used = [];
  const stay = setInterval(() => used.forEach((session) => session.ping().catch(() => {})), 1_000);
  t.after(() => clearInterval(stay));
  // Sessions that were used within 10 s are not ended for others.
  await until('files were out for long enough', async () => {
    const isOut = await begin(much).then((session) => !used.push(session), () => true);
    return isOut && Date.now() - idleSince > 12_000;
  }, 60_000 * SLOWNESS);
  clearInterval(stay);
  // Without free descriptors a connection may be closed before its answer.
  const answered = (session) => session.ping().then(({ status }) => status, () => 0);
  const statuses = await Promise.all(idle.map((session) => until('it is answered', () => answered(session))));
  assert.deepEqual(statuses, idle.map(() => 200));
});

// Silent connections are closed after 10 s, or to make room for others.
async function silentClients(port, count) {
  const clients = Array.from({ length: count }, () => rawConnection(port));
  await until('all have connected', () => clients.every(({ socket }) => !socket.connecting));
  return clients;
}

const closed = (clients) => clients.filter((one) => one.closed).length;

test('silent connections take nothing from others, nor from servers, nodes and the store', async (t) => {
  const redis = await startRedis(t);
  const [first, second] = await freePorts(2);
  const folder = scratch();
  const [key, config] = [join(folder, 'key'), join(folder, 'mcp.json')];
  writeFileSync(key, 'the secret of nodes with few files');
  const [command, ...args] = exampleServer;
  writeFileSync(config, JSON.stringify({ mcpServers: { a: { command, args, recovery: 'restore' } } }));
  const node = (name, port) => limited(t, { soft: 256, hard: 256 }, ...[
    ['--node', name, '--cluster-listen', `127.0.0.1:${port}`, '--join', `127.0.0.1:${first}`, '--heartbeat', '10'],
    ['--cluster-key', key, '--store', redis, '--config', config, '--debug-state', '--max-sessions', '15'],
  ].flat());
  const one = await node('one', first);
  const silent = await silentClients(one.port, 400);
  t.after(() => silent.forEach(({ socket }) => socket.destroy()));
  await until('the oldest make room', () => closed(silent) >= 400 - 128);
  assert.equal(await statusOf(one, '/healthz'), 200);
  await askRedis(new URL(redis).port, ['CLIENT', 'KILL', 'TYPE', 'normal']);
  const other = await node('two', second);
  // A session that begins before its node has a lease is never stored.
  const leases = () => askRedis(new URL(redis).port, ['KEYS', '*:n:*']);
  await until('both have a lease', async () => (await leases()).length === 2);
  // The node's state query is processed after its lease.
  await debugState(one);
  const session = await openSession(one.url);
  await until('the other node passes on', async () => (await at(other, session).ping()).status === 200);
  await until('it is kept', async () => (await askRedis(new URL(redis).port, ['KEYS', '*:s:*'])).length > 0);
  assert.ok(descriptors(one.pid) < 256);
  await session.delete();
});

test('connections beyond the limit are refused only when all others are busy', async (t) => {
  const config = { mcpServers: { a: { command: exampleServer[0], args: exampleServer.slice(1) } } };
  config.gateway = { limits: { connections: 3 }, maxSessions: 10 };
  const gateway = await gatewayWith(t, config);
  const session = await openSession(gateway.url);
  const streams = [await session.listen(), await session.listen(), await session.listen()];
  assert.equal(await statusOf(gateway, '/mcp'), 503);
  assert.deepEqual([await statusOf(gateway, '/healthz'), await statusOf(gateway, '/readyz')], [200, 200]);
  streams[1].destroy();
  await until('there is room again', async () => (await statusOf(gateway, '/mcp')) !== 503);
});

// The answers stay open for 5 s, because messages may still follow.
test('answers that a remote server leaves open take no descriptors from calls', async (t) => {
  const answer = (exchange) => exchange.stream().event({ id: exchange.id, result: text('x') });
  const far = await remoteFor(t, { on: { GET: (exchange) => exchange.status(405), 'tools/call': answer } });
  const folder = scratch();
  const config = join(folder, 'mcp.json');
  writeFileSync(config, JSON.stringify({ mcpServers: { far: { url: far.url, era: 'legacy' } } }));
  const gateway = await limited(t, { soft: 256, hard: 256 }, '--config', config, '--max-sessions', '30');
  const sessions = await Promise.all(Array.from({ length: 25 }, () => openSession(gateway.url)));
  for (let round = 1; round <= 12; ++round) {
    const all = await Promise.all(sessions.map((session) => session.call(round, 'echo', { message: 'x' })));
    assert.deepEqual(all.filter(({ result }) => !result), [], `round ${round}`);
    assert.ok(descriptors(gateway.pid) < 200, `${descriptors(gateway.pid)} descriptors in round ${round}`);
  }
});
