// The access log has one line for each request, with its target and outcome and without secrets.
import assert from 'node:assert/strict';
import { readFileSync, renameSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from './lib/concurrently.mjs';
import { at, startCluster } from './lib/cluster.mjs';
import { gatewayWith } from './lib/config.mjs';
import { exampleServer, fixture, gatewayFor } from './lib/gateway.mjs';
import { rawConnection, request } from './lib/http.mjs';
import { Caller } from './lib/modern.mjs';
import { scratch } from './lib/scratch.mjs';
import { openSession, post, postBytes, toolCall } from './lib/session.mjs';
import { SseSession, openStream } from './lib/sse.mjs';
import { DEBUG, debugState } from './lib/state.mjs';
import { until } from './lib/until.mjs';

const SECRET = 'swordfish';
// A server without a configured name is named after its program.
const SERVER = basename(exampleServer[0]);

// The last line may be incomplete.
const linesIn = (file) => readFileSync(file, 'utf8').split('\n').slice(0, -1);
const recordsIn = (file) => linesIn(file).map((line) => JSON.parse(line));
// The parts of a record that are the same in each run.
const shown = (record) =>
  ['http.method', 'http.status', 'mcp.method.name', 'gen_ai.tool.name', 'server', 'error.type']
    .map((name) => record[name] ?? '-')
    .join(' ');
const untilShown = (file, wanted) =>
  until(`the log says ${wanted}`, () => recordsIn(file).find((record) => shown(record) === wanted));

async function logging(t, command, ...flags) {
  const file = join(scratch(), 'access.log');
  return { file, gateway: await gatewayFor(t, command, '--access-log', file, ...flags) };
}

test('each request of a session has its line, and none a secret', async (t) => {
  const { file, gateway } = await logging(t, exampleServer);
  const session = await openSession(gateway.url);
  await session.call(1, 'echo', { message: SECRET });
  await session.call(2, SECRET.slice(0, 4), {});
  await (await post(gateway.url, 'nonsense')).all();
  await (await session.delete()).done;
  await (await session.ping()).done;
  await until('each has its line', () => linesIn(file).length >= 7);
  // Each request uses a new connection, because a line may only be written with the next request.
  assert.deepEqual(recordsIn(file).map(shown).toSorted(), [
    `POST 200 initialize - ${SERVER} -`,
    'POST 202 - - - -',
    `POST 200 tools/call echo ${SERVER} -`,
    `POST 200 tools/call swor ${SERVER} -32602`,
    'POST 400 - - - -32700',
    'DELETE 200 - - - -',
    'POST 404 ping - - -32600',
  ].toSorted());
  assert.ok(!readFileSync(file, 'utf8').includes(SECRET));
  assert.ok(!readFileSync(file, 'utf8').includes(session.id));
  const call = await untilShown(file, `POST 200 tools/call echo ${SERVER} -`);
  assert.match(call.request_id, /^[0-9a-f]{16}$/);
  assert.equal(call.client, '127.0.0.1');
  assert.equal(call['http.path'], '/mcp');
  assert.ok(session.id.startsWith(call['mcp.session.id'].replace('…', '')));
  assert.ok(call.duration_ms >= call.server_duration_ms && call.server_duration_ms > 0, JSON.stringify(call));
  assert.ok(call.bytes_in > 0 && call.bytes_out > 0);
  assert.equal(new Set(recordsIn(file).map(({ request_id }) => request_id)).size, 7);
});

test('requests without a session and over HTTP+SSE have lines too', async (t) => {
  const { file, gateway } = await logging(t, exampleServer);
  const caller = new Caller(gateway.url);
  await caller.call('echo', { message: 'hello' });
  await untilShown(file, `POST 200 tools/call echo ${SERVER} -`);
  const stream = await openStream(gateway);
  const { data } = await until('the endpoint', () => stream.events.find(({ event }) => event === 'endpoint'));
  const session = new SseSession(gateway, stream, data);
  await (await session.post({ jsonrpc: '2.0', id: 1, method: 'ping' })).done;
  await untilShown(file, 'POST 202 ping - - -');
  stream.destroy();
  await untilShown(file, 'GET 200 - - - -');
  assert.ok(!readFileSync(file, 'utf8').includes(session.id));
});

test('a client that leaves and a server that dies are told apart', async (t) => {
  const { file, gateway } = await logging(t, fixture('hostile'), DEBUG);
  const session = await openSession(gateway.url, '2025-06-18'); // later versions become a stream with status 200 after 200 ms
  const leaving = rawConnection(gateway.port, postBytes(gateway.url, toolCall(1, 'never'), session.headers));
  await until('the call is under way', async () => (await debugState(gateway)).calls === 1);
  leaving.socket.destroy();
  const { server_duration_ms } = await untilShown(file, 'POST 499 tools/call never - closed');
  assert.equal(server_duration_ms, undefined);
  const { error } = await session.call(2, 'close_stdout');
  assert.equal(error.code, -32603);
  await untilShown(file, `POST 200 tools/call close_stdout ${SERVER} server_lost`);
});

test('where servers are merged a line names the one that was asked', async (t) => {
  const file = join(scratch(), 'access.log');
  const [command, ...args] = exampleServer;
  const gateway = await gatewayWith(
    t, { mcpServers: { one: { command, args }, two: { command, args } } }, '--access-log', file);
  const session = await openSession(gateway.at('/mcp'));
  await session.call(1, 'two__echo', { message: 'x' });
  await (await session.post({ jsonrpc: '2.0', id: 2, method: 'tools/list' })).all();
  await untilShown(file, 'POST 200 tools/list - - -');
  await untilShown(file, 'POST 200 tools/call two__echo two -');
});

test('the node that a client is connected to writes its line, wherever the session lives', async (t) => {
  const file = join(scratch(), 'access.log');
  const cluster = await startCluster(t, { nodes: 2, command: exampleServer, flags: ['--access-log', file] });
  const [one, two] = cluster.nodes;
  const session = await openSession(one.at('/mcp'));
  await at(two, session).call(7, 'no-such-tool', {});
  const { server_duration_ms } = await untilShown(file, `POST 200 tools/call no-such-tool ${SERVER} -32602`);
  assert.ok(server_duration_ms > 0);
});

test('a line goes to the new file once SIGHUP has come', async (t) => {
  const { file, gateway } = await logging(t, exampleServer, '--access-log-format', 'text');
  await (await request(gateway.at('/healthz'))).done;
  await until('the first line', () => linesIn(file).length === 1);
  assert.match(linesIn(file)[0], /^\S+Z access .*http\.path=\/healthz/);
  renameSync(file, `${file}.1`);
  gateway.child.kill('SIGHUP');
  await until('a line in the new file', async () => {
    await (await request(gateway.at('/healthz'))).done;
    try {
      return linesIn(file).length > 0;
    } catch {
      return false;
    }
  });
});

test('the log says that lines were lost while the disk was full', async (t) => {
  const gateway = await gatewayFor(t, exampleServer, '--access-log', '/dev/full');
  await openSession(gateway.url);
  const told = await until('it is told', () => gateway.log.find((line) => line.includes('lines of the log or the access log are lost')));
  const { level, lines } = JSON.parse(told);
  assert.equal(level, 'warning');
  assert.ok(Number(lines) >= 1);
});
