// The operators' API: it shows live objects, and acts on them.
import assert from 'node:assert/strict';
import { test } from './lib/concurrently.mjs';
import { startCluster } from './lib/cluster.mjs';
import { gatewayWith, replaceFile } from './lib/config.mjs';
import { exampleServer, gatewayFor } from './lib/gateway.mjs';
import { Caller } from './lib/modern.mjs';
import { adminOf, ANY_PORT, logged } from './lib/operator.mjs';
import { initializeRequest, openSession, post, toolCall } from './lib/session.mjs';
import { openSseSession } from './lib/sse.mjs';
import { until } from './lib/until.mjs';

const SHOWN = 8;
const HANG = ['slow', { steps: 1, delay_ms: 60_000 }];
const of = ([command, ...args], more = {}) => ({ command, args, ...more });
const shown = (session) => session.id.slice(0, SHOWN);
const named = (sessions, session) => sessions.find(({ id }) => id.startsWith(shown(session)));
const hang = (session, id) => session.post(toolCall(id, ...HANG));
const untilCalls = (admin, count, node = '') =>
  until(`${count} calls`, async () => {
    const { calls } = await admin.api(node ? `calls?node=${node}` : 'calls');
    return calls.length === count && calls;
  });

test('sessions are listed as they come and go, with whom they are for', async (t) => {
  const gateway = await gatewayFor(t, exampleServer, ...ANY_PORT);
  const admin = adminOf(gateway);
  assert.deepEqual(await admin.api('sessions'), { sessions: [], total: 0 });
  const first = await openSession(gateway.url);
  const stream = await first.listen();
  const second = await openSession(gateway.url);
  const sse = await openSseSession(gateway);
  await new Caller(gateway.url).call('echo', { message: 'm' });
  const { sessions, total } = await until('all are there', async () => {
    const all = await admin.api('sessions');
    return all.total === 4 && all;
  });
  assert.equal(total, 4);
  assert.deepEqual(sessions.map(({ number }) => number), [1, 2, 3, 4]);
  assert.deepEqual(sessions.map(({ transport }) => transport),
    ['streamable_http', 'streamable_http', 'http_sse', 'stateless']);
  assert.equal(named(sessions, first).streams.primary, 1);
  assert.equal('idle_ms' in named(sessions, first), false, 'it listens');
  assert.equal('idle_ms' in named(sessions, second), true);
  assert.ok(sessions.every(({ id }) => id.length <= SHOWN + 3), 'no whole id is shown');
  assert.deepEqual((await admin.api('sessions?idle=false')).sessions.map(({ number }) => number), [1, 3]);
  assert.deepEqual((await admin.api(`sessions?id=${shown(second)}`)).sessions.map(({ number }) => number), [2]);
  assert.equal((await admin.api('sessions/2')).id, named(sessions, second).id);
  stream.destroy();
  await first.delete();
  await until('it is gone', async () => (await admin.refusal('sessions/1')).startsWith('404'));
  sse.close();
});

test('a list has pages', async (t) => {
  const gateway = await gatewayFor(t, exampleServer, ...ANY_PORT);
  const admin = adminOf(gateway);
  for (let i = 0; i < 5; ++i) await openSession(gateway.url);
  const pages = [];
  for (let after = 0; after !== undefined;) {
    const { sessions, total, next } = await admin.api(`sessions?limit=2&after=${after}`);
    assert.equal(total, 5);
    pages.push(sessions.map(({ number }) => number));
    after = next;
  }
  assert.deepEqual(pages, [[1, 2], [3, 4], [5]]);
});

test('a session that is ended is gone for its client, and no other is', async (t) => {
  const gateway = await gatewayFor(t, exampleServer, ...ANY_PORT);
  const admin = adminOf(gateway);
  const [ended, other] = [await openSession(gateway.url), await openSession(gateway.url)];
  const reply = await hang(ended, 1);
  await untilCalls(admin, 1);
  assert.deepEqual(await admin.api('sessions/1', 'DELETE'), { ended: 1 });
  const answer = (await reply.all()).at(-1);
  assert.match(answer.error.message, /an operator ended it/);
  await until('its client hears 404', async () => (await ended.ping()).status === 404);
  assert.equal((await other.call(1, 'echo', { message: 'm' })).result.content[0].text, 'm');
  assert.match(await admin.refusal('sessions/1', 'DELETE'), /^404 no session has this number/);
  await until('its process is gone', () => gateway.children().length === 1);
});

test('a call that hangs is found and ended, and its session goes on', async (t) => {
  const gateway = await gatewayFor(t, exampleServer, ...ANY_PORT);
  const admin = adminOf(gateway);
  const session = await openSession(gateway.url);
  const reply = await hang(session, 'mine');
  const [call] = await untilCalls(admin, 1);
  assert.deepEqual([call.method, call.name, call.session], ['tools/call', 'slow', 1]);
  assert.ok(call.server && call.session_id.startsWith(shown(session)));
  assert.deepEqual(await admin.api(`sessions/1/calls/${call.number}`, 'DELETE'), { ended: call.number });
  const { id, error } = (await reply.all()).at(-1);
  assert.deepEqual([id, error.code], ['mine', -32603]);
  assert.match(error.message, /operator/);
  assert.match(await admin.refusal(`sessions/1/calls/${call.number}`, 'DELETE'), /^404 /);
  assert.match(await admin.refusal('sessions/2/calls/1', 'DELETE'), /^404 no session/);
  assert.equal((await session.call(2, 'echo', { message: 'm' })).result.content[0].text, 'm');
});

test('the same of a client of 2026-07-28', async (t) => {
  const gateway = await gatewayFor(t, exampleServer, ...ANY_PORT);
  const admin = adminOf(gateway);
  const caller = new Caller(gateway.url);
  const answer = caller.call(...HANG);
  const [call] = await untilCalls(admin, 1);
  assert.equal(call.name, 'slow');
  await admin.api(`sessions/${call.session}/calls/${call.number}`, 'DELETE');
  assert.match((await answer).error.message, /operator/);
  await caller.call('echo', { message: 'm' });
});

test('the oldest call is listed first', async (t) => {
  const gateway = await gatewayFor(t, exampleServer, ...ANY_PORT);
  const admin = adminOf(gateway);
  const session = await openSession(gateway.url);
  for (const id of [1, 2, 3]) {
    await hang(session, id);
    await untilCalls(admin, id);
  }
  const { calls, total } = await admin.api('calls?limit=2');
  assert.equal(total, 3);
  assert.ok(calls[0].age_ms >= calls[1].age_ms && calls[0].number < calls[1].number);
  await session.delete();
});

test('servers are shown with their processes, and restarted', async (t) => {
  const config = { mcpServers: {
    one: of(exampleServer, { sharing: 'shared' }), each: of(exampleServer, { onLoss: 'restart' }),
  } };
  const gateway = await gatewayWith(t, config, ...ANY_PORT);
  const admin = adminOf(gateway);
  const session = await openSession(gateway.at('/servers/one/mcp'));
  const alone = await openSession(gateway.at('/servers/each/mcp'));
  const pids = async (name) => (await admin.api(`servers/${name}`)).processes.map(({ pid }) => pid);
  const { servers } = await admin.api('servers');
  assert.deepEqual(servers.map(({ name, kind, enabled }) => [name, kind, enabled]),
    [['one', 'stdio', true], ['each', 'stdio', true]]);
  assert.deepEqual(servers.flatMap(({ processes }) => processes.map(({ pid }) => pid)).toSorted(),
    gateway.children().map(({ pid }) => pid).toSorted());
  assert.equal(servers[1].processes[0].session.startsWith(shown(alone)), true);
  for (const name of ['one', 'each']) {
    const [before] = await pids(name);
    assert.deepEqual(await admin.api(`servers/${name}/restart`, 'POST'), { server: name, asked: 'restart' });
    await until('its process is gone', async () => !(await pids(name)).includes(before));
  }
  assert.equal((await session.call(1, 'echo', { message: 'm' })).result.content[0].text, 'm');
  await until('who had a process alone has to begin anew', async () => (await alone.ping()).status === 404);
  assert.match(await admin.refusal('servers/none/restart', 'POST'), /^404 no server of this name/);
  assert.match(await admin.refusal('servers/none'), /^404 /);
});

test('a server that is disabled serves nobody until it is enabled, also when the file is read again', async (t) => {
  const config = { mcpServers: { a: of(exampleServer), b: of(exampleServer) } };
  const gateway = await gatewayWith(t, config, ...ANY_PORT);
  const admin = adminOf(gateway);
  const status = async () => (await post(gateway.at('/servers/a/mcp'), initializeRequest())).status;
  await admin.api('servers/a/disable', 'POST');
  assert.deepEqual((await admin.api('servers')).servers.map(({ enabled }) => enabled), [false, true]);
  await until('it is gone', async () => (await status()) === 404);
  assert.match(await admin.refusal('servers/a/restart', 'POST'), /^409 the server is disabled/);
  await replaceFile(gateway, { mcpServers: { ...config.mcpServers, c: of(exampleServer) } });
  assert.deepEqual(await admin.api('reload', 'POST'), { reloaded: true });
  await until('the third is there', async () => (await admin.api('servers')).servers.length === 3);
  assert.equal(await status(), 404);
  await admin.api('servers/a/enable', 'POST');
  await until('it is there again', async () => (await status()) === 200);
});

test('a file that is wrong is refused with the reason, and nothing has changed', async (t) => {
  const gateway = await gatewayWith(t, { mcpServers: { a: of(exampleServer) } }, ...ANY_PORT);
  const admin = adminOf(gateway);
  await replaceFile(gateway, '{"mcpServers": {"a": {"command": 1}}}');
  assert.match(await admin.refusal('reload', 'POST'), /^409 .*mcp\.json:1: error: mcpServers\.a\.command/);
  assert.equal((await admin.api('servers')).servers.length, 1);
  const plain = adminOf(await gatewayFor(t, exampleServer, ...ANY_PORT));
  assert.match(await plain.refusal('reload', 'POST'), /^409 there is no configuration file/);
});

test('the level of the log is changed while it runs', async (t) => {
  const gateway = await gatewayFor(t, exampleServer, ...ANY_PORT, '--log-level', 'info');
  const admin = adminOf(gateway);
  assert.deepEqual(await admin.api('log-level'), { level: 'info' });
  assert.deepEqual(await admin.api('log-level', 'PUT', { level: 'error' }), { level: 'error' });
  const [quiet, loud] = [await openSession(gateway.url), await openSession(gateway.url)];
  await (await quiet.delete()).done;
  await until('it has ended', async () => (await admin.api('sessions')).total === 1);
  await admin.api('log-level', 'PUT', { level: 'info' });
  await loud.delete();
  const [ended, ...others] = await until('it is logged', () => {
    const lines = logged(gateway, 'session ended');
    return lines.length > 0 && lines;
  });
  assert.equal(ended.session.startsWith(shown(loud)), true);
  assert.deepEqual(others, []);
  assert.match(await admin.refusal('log-level', 'PUT', { level: 'loud' }), /^400 level has to be debug, info/);
});

test('a drain that an operator orders ends the gateway as a signal does', async (t) => {
  const gateway = await gatewayFor(t, exampleServer, ...ANY_PORT);
  const admin = adminOf(gateway);
  assert.equal((await admin.api('node')).draining, false);
  assert.deepEqual(await admin.api('drain', 'POST'), { draining: true });
  await until('it has ended', () => gateway.hasExited);
  assert.equal(await gateway.exited, 0);
});

test('a node says what it is', async (t) => {
  const gateway = await gatewayFor(t, exampleServer, ...ANY_PORT);
  const admin = adminOf(gateway);
  await openSession(gateway.url);
  const node = await admin.api('node');
  assert.match(node.version, /^\d+\.\d+\.\d+$/);
  assert.deepEqual([node.node, node.pid, node.sessions, node.leases, node.nodes], ['', gateway.pid, 1, 0, []]);
  assert.deepEqual(node.can, { reload: false, drain: true, log_level: true, content: false });
  assert.ok(node.uptime_ms >= 0 && node.max_sessions > 0);
});

test('a session is followed, without what its messages say', async (t) => {
  const gateway = await gatewayFor(t, exampleServer, ...ANY_PORT);
  const admin = adminOf(gateway);
  const session = await openSession(gateway.url);
  const stream = await admin.begin('/api/sessions/1/follow');
  assert.deepEqual([stream.status, stream.headers['content-type']], [200, 'text/event-stream']);
  await session.call('mine', 'echo', { message: 'swordfish' });
  const seen = await until('both are told', () => stream.messages.length === 2 && stream.messages);
  assert.deepEqual(seen.map(({ from, kind, id, method, name }) => [from, kind, id, method, name]),
    [['client', 'request', '"mine"', 'tools/call', 'echo'], ['server', 'response', '"mine"', undefined, undefined]]);
  assert.ok(!stream.received.includes('swordfish'));
  assert.match(await admin.refusal('sessions/1/follow?content=true'), /^403 .*gateway\.admin\.content/);
  await session.delete();
  await stream.done;
  assert.equal(stream.events.at(-1).event, 'end');
  assert.match(await admin.refusal('sessions/1/follow'), /^404 /);
});

test('what they say is shown where the configuration allows it, of both eras', async (t) => {
  const config = { mcpServers: { a: of(exampleServer) }, gateway: { admin: { listen: '127.0.0.1:0', open: true, content: true } } };
  const gateway = await gatewayWith(t, config);
  const admin = adminOf(gateway);
  const caller = new Caller(gateway.url);
  await caller.call('echo', { message: 'before' });
  const stream = await admin.begin('/api/sessions/1/follow?content=true');
  await caller.call('echo', { message: 'swordfish' });
  const seen = await until('both are told', () => stream.messages.length === 2 && stream.messages);
  assert.equal(seen[0].message.params.arguments.message, 'swordfish');
  assert.equal(seen[1].message.result.content[0].text, 'swordfish');
  assert.deepEqual([seen[0].id, seen[0].kind, seen[1].kind], [seen[1].id, 'request', 'response']);
  stream.destroy();
});

test('any node of a cluster shows and does it for all', async (t) => {
  const cluster = await startCluster(t, { command: exampleServer, flags: ANY_PORT });
  const [a, b] = cluster.nodes;
  const admin = adminOf(a);
  const node = await admin.api('node');
  assert.equal(node.node, a.name);
  assert.deepEqual(node.nodes.map(({ name }) => name).toSorted(), cluster.nodes.slice(1).map(({ name }) => name));
  const session = await openSession(b.url);
  assert.equal((await admin.api('sessions')).total, 0);
  assert.equal((await admin.api(`node?node=${b.name}`)).pid, b.pid);
  const { sessions } = await admin.api(`sessions?node=${b.name}`);
  assert.deepEqual(sessions.map(({ id }) => id.slice(0, SHOWN)), [shown(session)]);
  const followed = await admin.begin(`/api/sessions/1/follow?node=${b.name}`);
  const reply = await hang(session, 1);
  const [call] = await untilCalls(admin, 1, b.name);
  await until('it is told', () => followed.messages.length === 1);
  await admin.api(`sessions/1/calls/${call.number}?node=${b.name}`, 'DELETE');
  assert.match((await reply.all()).at(-1).error.message, /operator/);
  await admin.api(`log-level?node=${b.name}`, 'PUT', { level: 'warning' });
  assert.deepEqual(await adminOf(b).api('log-level'), { level: 'warning' });
  await admin.api(`sessions/1?node=${b.name}`, 'DELETE');
  await followed.done;
  await until('it is gone', async () => (await session.ping()).status === 404);
  assert.match(await admin.refusal('sessions?node=nobody'), /^404 the cluster has no node/);
  assert.match(await admin.refusal(`sessions/9?node=${b.name}`), /^404 no session has this number/);
  assert.match(await admin.refusal(`nothing?node=${b.name}`), /^404 /);
});

test('what is asked of a node that dies meanwhile is answered', async (t) => {
  const cluster = await startCluster(t, { command: exampleServer, flags: ANY_PORT });
  const [a, b] = cluster.nodes;
  const admin = adminOf(a);
  const session = await openSession(b.url);
  const followed = await admin.begin(`/api/sessions/1/follow?node=${b.name}`);
  assert.equal(followed.status, 200);
  await b.kill();
  await followed.done;
  await until('nobody is asked in vain', async () => /^(404|503) /.test(await admin.refusal(`sessions?node=${b.name}`)));
  assert.ok(session);
});

test('nothing is done for a page of another site', async (t) => {
  const gateway = await gatewayFor(t, exampleServer, ...ANY_PORT);
  const admin = adminOf(gateway);
  const session = await openSession(gateway.url);
  for (const headers of [{ origin: 'http://evil.example' }, { 'sec-fetch-site': 'cross-site' }, { host: 'evil.example' }])
    for (const [path, method] of [['sessions/1', 'DELETE'], ['drain', 'POST'], ['servers/x/disable', 'POST']])
      assert.equal(await admin.status(`/api/${path}`, { method, headers }), 403);
  assert.equal((await session.ping()).status, 200);
});
