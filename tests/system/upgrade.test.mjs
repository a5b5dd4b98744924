// SIGUSR2: a new process replaces the gateway, and clients are unaffected.
import assert from 'node:assert/strict';
import http from 'node:http';
import { chmodSync, copyFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from './lib/concurrently.mjs';
import { Callers } from './lib/callers.mjs';
import { startCluster, statusOf } from './lib/cluster.mjs';
import { exampleServer, fixture, PROGRAM, serve, serveBy, serving, servingBy } from './lib/gateway.mjs';
import { refusesConnections, request } from './lib/http.mjs';
import {
  accepted, answersTo, assertAsked, Caller, envelope, fieldsOf, modernRequest, SUBSCRIPTION, textOf,
} from './lib/modern.mjs';
import { descendants, kill, openFiles } from './lib/processes.mjs';
import { scratch } from './lib/scratch.mjs';
import { openSession, POST_HEADERS, toolCall } from './lib/session.mjs';
import { openSseSession } from './lib/sse.mjs';
import { until } from './lib/until.mjs';
import { records, upgraded } from './lib/upgraded.mjs';

const ADMIN = ['--admin-listen', '127.0.0.1:0', '--admin-open'];
const pidOf = async (session, id = 'pid') => JSON.parse((await session.call(id, 'pid')).result.content[0].text);

async function started(t, ...args) {
  const gateway = await serve(...args);
  t.after(() => gateway.stop());
  return gateway;
}

// A gateway configured by a file, with the server whose tools return their environment.
function witnessFile(gateway = {}) {
  const file = join(scratch(), 'mcp.json');
  const [command, ...args] = fixture('witness', join(scratch(), 'witness'));
  writeFileSync(file, JSON.stringify({ mcpServers: { witness: { command, args } }, gateway }));
  return file;
}

async function assertEnds(gateway) {
  assert.equal(await gateway.exited, 0, gateway.told('the old process ends cleanly'));
}

test('sessions go on with their processes, what is new begins in the next process, and the last one ends', async (t) => {
  const gateway = await started(t, '--config', witnessFile());
  const old = await openSession(gateway.url);
  const server = await pidOf(old);
  const next = await upgraded(t, gateway);
  assert.equal(await pidOf(old, 2), server, 'the same process answers');
  const fresh = await openSession(gateway.url);
  assert.notEqual(await pidOf(fresh), server);
  assert.equal((await old.delete()).status, 200);
  await assertEnds(gateway);
  assert.equal((await old.ping()).status, 404);
  assert.equal((await fresh.ping()).status, 200);
  assert.ok(!next.hasEnded());
});

test('no call fails while it is replaced again and again', async (t) => {
  const gateway = await started(t, '--config', witnessFile());
  const kept = new http.Agent({ keepAlive: true });
  t.after(() => kept.destroy());
  const sessions = await Promise.all(Array.from({ length: 8 }, () => openSession(gateway.url)));
  let calls = 0;
  const place = () => ({ base: gateway.url, agent: (calls += 1) % 2 ? kept : false });
  const callers = new Callers(sessions, place);
  await until('they call', () => callers.answered > 40);
  await upgraded(t, gateway);
  const answered = callers.answered;
  await until('they go on', () => callers.answered > answered + 100);
  await callers.stop();
  assert.deepEqual(callers.failed, []);
  await Promise.all(sessions.map((session) => session.delete()));
  await assertEnds(gateway);
});

test('a request for a session of the old process that has just ended gets 404', async (t) => {
  const gateway = await started(t, '--', ...exampleServer);
  const session = await openSession(gateway.url);
  await upgraded(t, gateway);
  const post = async (id) => {
    const reply = await session.post({ jsonrpc: '2.0', id, method: 'tools/list' });
    return [reply.status, (await reply.all()).at(-1)];
  };
  const deleted = session.delete();
  const during = await Promise.all([1, 2, 3, 4].map(post));
  assert.equal((await deleted).status, 200);
  const after = await Promise.all([1, 2, 3, 4].map(post));
  for (const [status, answer] of during) assert.ok(status === 404 || answer.result, JSON.stringify(answer));
  for (const [status, answer] of after) assert.equal(status, 404, JSON.stringify(answer));
  await assertEnds(gateway);
});

test('streams of before go on, and are resumed through the next process', async (t) => {
  const gateway = await started(t, '--', ...exampleServer);
  const session = await openSession(gateway.url);
  const listening = await session.listen();
  const call = await session.post({
    jsonrpc: '2.0', id: 1, method: 'tools/call',
    params: { name: 'slow', arguments: { steps: 20, delay_ms: 100 }, _meta: { progressToken: 'p' } },
  });
  await call.message('some progress', ({ method }) => method === 'notifications/progress');
  // Not the last event, which on a busy machine may be the answer.
  const { id: last } = call.events.find(({ data }) => data?.includes('notifications/progress'));
  await upgraded(t, gateway);
  call.destroy();
  const resumed = await session.listen({ 'last-event-id': last });
  assert.equal(resumed.status, 200);
  await resumed.message('the answer', ({ id }) => id === 1);
  assert.ok(!listening.ended, 'nobody closed the stream of before');
  await session.delete();
  await listening.done;
  await assertEnds(gateway);
});

test('a client of 2024-11-05 keeps its stream, and POSTs to the next process', async (t) => {
  const gateway = await started(t, '--', ...exampleServer);
  const session = await openSseSession(gateway);
  await upgraded(t, gateway);
  const answer = await session.call(1, 'echo', { message: 'still here' });
  assert.equal(answer.result.content[0].text, 'still here');
  session.close();
  await assertEnds(gateway);
});

test('a call of 2026-07-28 that waits for its client goes on, and its next call begins in the next process', async (t) => {
  const gateway = await started(t, '--config', witnessFile());
  const caller = new Caller(gateway.url, { can: { elicitation: { form: {} } } });
  const args = {
    method: 'elicitation/create',
    params: { message: 'Who?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } },
  };
  const asked = assertAsked(await caller.call('ask', args), args.method);
  await upgraded(t, gateway);
  const answers = answersTo(asked, () => accepted({ name: 'Ada' }));
  const told = await caller.ask('tools/call', { name: 'ask', arguments: args, ...answers });
  assert.match(textOf(told), /Ada/);
  assert.ok((await caller.call('pid')).result);
  await assertEnds(gateway);
});

const TOOLS = 'notifications/tools/list_changed';
const LISTEN = { notifications: { toolsListChanged: true } };
const hears = (stream) => stream.message('the change', ({ method }) => method === TOOLS);

test('a subscription of a 2026-07-28 client ends, and the client keeps nothing in the old process', async (t) => {
  const gateway = await started(t, '--config', witnessFile());
  const caller = new Caller(gateway.url);
  const stream = await caller.listen(LISTEN.notifications, 'mine');
  const next = await upgraded(t, gateway);
  const { id, result } = (await stream.all()).at(-1);
  assert.deepEqual([id, result.resultType, result._meta[SUBSCRIPTION]], ['mine', 'complete', 'mine']);
  assert.ok(stream.isWhole);
  await assertEnds(gateway);
  const again = await caller.listen(LISTEN.notifications);
  await caller.call('say', { method: TOOLS });
  await hears(again);
  await upgraded(t, gateway, next.pid);
  assert.equal((await again.all()).at(-1).result.resultType, 'complete');
});

test('requests of 2026-07-28 clients on old connections reach the new process', async (t) => {
  const gateway = await started(t, '--config', witnessFile());
  const session = await openSession(gateway.url);
  const caller = new Caller(gateway.url);
  const agents = [1, 2].map(() => new http.Agent({ keepAlive: true, maxSockets: 1 }));
  t.after(() => agents.forEach((agent) => agent.destroy()));
  const ports = new Set();
  const ask = async (agent, method, params) => {
    const message = modernRequest(method, method, params, envelope());
    const headers = { ...POST_HEADERS, ...fieldsOf(message) };
    const reply = await request(gateway.url, { method: 'POST', headers, body: JSON.stringify(message), agent });
    ports.add(reply.socket.localPort);
    return reply;
  };
  const serverOf = async (agent) =>
    textOf((await (await ask(agent, 'tools/call', { name: 'pid', arguments: {} })).all()).at(-1));
  const [old] = await Promise.all(agents.map(serverOf));
  await upgraded(t, gateway);
  const server = await serverOf(agents[0]);
  const stream = await ask(agents[1], 'subscriptions/listen', LISTEN);
  assert.equal(ports.size, agents.length, 'no further connection is made');
  assert.notEqual(server, old);
  assert.equal(textOf(await caller.call('pid')), server, 'all requests of the caller reach one process');
  await caller.call('say', { method: TOOLS });
  await hears(stream);
  await session.delete();
  await assertEnds(gateway);
  await stream.done;
});

test('the next process has no descriptor of the one before but what it takes over', async (t) => {
  const gateway = await started(t, '--', ...exampleServer);
  const session = await openSession(gateway.url);
  const listening = await session.listen();
  const next = await upgraded(t, gateway);
  const socketsOf = (pid) => new Set(
    [...openFiles(pid)].filter(([fd, name]) => fd > 2 && name.startsWith('socket:')).map(([, name]) => name));
  const shared = () => [...socketsOf(next.pid)].filter((socket) => socketsOf(gateway.pid).has(socket));
  await until('the listening socket is kept, and nothing else is shared', () => shared().length === 1);
  const [server] = descendants(gateway.pid);
  assert.ok(!socketsOf(server.pid).has(shared()[0]), 'no server has it');
  assert.ok(!listening.ended, 'the stream of before is open meanwhile');
  await session.delete();
  await listening.done;
  await assertEnds(gateway);
});

test('operators ask the next process at the same address', async (t) => {
  const gateway = await started(t, ...ADMIN, '--', ...exampleServer);
  const { url } = await until('it listens for operators', () => records(gateway, 'listening for operators')[0]);
  const session = await openSession(gateway.url);
  const sessions = async () => /^troupe_sessions\{.*\} (\d+)$/m.exec(await metrics(url))?.[1] ?? 'none';
  await until('it is counted', async () => (await sessions()) === '1');
  const next = await upgraded(t, gateway);
  await until('it is not in the next', async () => (await sessions()) !== '1');
  await session.delete();
  await assertEnds(gateway);
  assert.ok(!next.hasEnded());
});

async function metrics(url) {
  const reply = await request(`${url}/metrics`);
  await reply.done;
  return reply.received;
}

test('a unix socket keeps its file', async (t) => {
  const path = join(scratch(), 'clients');
  const flags = ['--listen', `unix:${path}`, '--log-format', 'json'];
  const gateway = await serveBy([PROGRAM, 'serve', ...flags, '--', ...exampleServer]);
  t.after(() => gateway.stop());
  const next = await upgraded(t, gateway);
  await assertEnds(gateway);
  assert.ok(existsSync(path));
  await next.end();
});

test('the old process ends with what time it has for its sessions', async (t) => {
  const gateway = await started(t, '--config', witnessFile({ upgradeTime: '300ms' }));
  const session = await openSession(gateway.url);
  await upgraded(t, gateway);
  await assertEnds(gateway);
  assert.equal((await session.ping()).status, 404);
});

test('the old process exits when the new one is stopped, and leaves the port free', async (t) => {
  const gateway = await started(t, '--', ...exampleServer);
  await openSession(gateway.url);
  const next = await upgraded(t, gateway);
  await next.end();
  await assertEnds(gateway);
  assert.ok(await refusesConnections(gateway.port));
});

test('a call that the old process answers may finish when the next one stops', async (t) => {
  const gateway = await started(t, '--', ...exampleServer);
  const session = await openSession(gateway.url);
  const next = await upgraded(t, gateway);
  const call = await session.post(toolCall(1, 'slow', { steps: 10, delay_ms: 100 }, 'mine'));
  const stopped = next.end();
  assert.ok((await call.all()).at(-1).result, 'it was answered');
  await stopped;
  await assertEnds(gateway);
});

test('it is replaced once more when the old process has ended, and not before', async (t) => {
  const gateway = await started(t, '--', ...exampleServer);
  const session = await openSession(gateway.url);
  const second = await upgraded(t, gateway);
  process.kill(second.pid, 'SIGUSR2');
  const { reason } = await until('it says why not', () => records(gateway, 'no upgrade: this process serves on')[0]);
  assert.match(reason, /old process still has sessions/);
  await session.delete();
  await assertEnds(gateway);
  const third = await upgraded(t, gateway, second.pid);
  await until('the second has ended', second.hasEnded);
  assert.equal((await openSession(gateway.url)).version, '2025-11-25');
  assert.ok(!third.hasEnded());
});

test('processes of servers have the limits and the environment that they had before', async (t) => {
  const limited = ['prlimit', '--nofile=512:', '--locks=0'];
  const gateway = await serveBy([...limited, ...serving('--pass-environment', '--', ...exampleServer)]);
  t.after(() => gateway.stop());
  assert.equal(records(gateway, 'a process that a server leaves behind may order a hand-over (SIGUSR2)').length, 1);
  const limitBelow = (process) => {
    const limits = readFileSync(`/proc/${descendants(process)[0].pid}/limits`, 'utf8');
    return /^Max open files +(\d+)/m.exec(limits)[1];
  };
  const session = await openSession(gateway.url);
  assert.equal(limitBelow(gateway.pid), '512');
  const next = await upgraded(t, gateway);
  await session.delete();
  await assertEnds(gateway);
  await openSession(gateway.url);
  assert.equal(limitBelow(next.pid), '512');
  assert.doesNotMatch(readFileSync(`/proc/${descendants(next.pid)[0].pid}/environ`, 'utf8'), /(^|\0)TROUPE_HANDED_OVER=/);
});

test('a process that cannot begin changes nothing', async (t) => {
  const file = witnessFile();
  const gateway = await started(t, '--config', file);
  const session = await openSession(gateway.url);
  writeFileSync(file, '{');
  gateway.child.kill('SIGUSR2');
  const { reason } = await until('it says so', () => records(gateway, 'no upgrade: this process serves on')[0]);
  assert.match(reason, /^the other process has ended before it served$/);
  assert.equal((await session.ping()).status, 200);
  assert.equal((await openSession(gateway.url)).version, '2025-11-25');
});

test('a node of a cluster is not replaced, but its place is taken by other nodes', async (t) => {
  const { nodes: [node] } = await startCluster(t, { command: exampleServer, nodes: 1 });
  process.kill(node.pid, 'SIGUSR2');
  const { reason } = await until('it says so', () => records(node.gateway, 'no upgrade: this process serves on')[0]);
  assert.match(reason, /a node of a cluster/);
  assert.equal((await openSession(node.url)).version, '2025-11-25');
});

test('what one process tells the next is no other process\' business', async (t) => {
  const gateway = await serveBy(['env', 'TROUPE_HANDED_OVER=1 clients=0 link=1', ...serving('--', ...exampleServer)]);
  t.after(() => gateway.stop());
  assert.equal((await openSession(gateway.url)).version, '2025-11-25');
});

// -- untrusted servers -------------------------------------------------------------------------------------------------

// A shell that runs a command and then becomes the example server. Its background processes are orphaned.
const shellServer = (command) => ['sh', '-c', `${command}; exec "$0" "$@"`, ...exampleServer];

test('a server cannot have its gateway replaced, and no process that it leaves behind can', async (t) => {
  for (const command of ['kill -USR2 $PPID', 'gateway=$PPID; ( (kill -USR2 $gateway; exec sleep 60) & )']) {
    const gateway = await started(t, '--', ...shellServer(command));
    const session = await openSession(gateway.url);
    const refused = await until('it is told', () => records(gateway, 'SIGUSR2 is not obeyed')[0]);
    assert.equal(refused.reason, 'its sender is a process of a server', command);
    assert.deepEqual(records(gateway, 'another process starts to take over'), []);
    assert.equal((await session.ping()).status, 200);
  }
});

test('nor can the servers of the gateway before, while it lives and after its end', async (t) => {
  const [whileItLives, afterIt] = [join(scratch(), 'process'), join(scratch(), 'process')];
  const signals = (file) =>
    `setsid sh -c 'while ! [ -s ${file} ]; do sleep 0.05; done; while kill -USR2 $(cat ${file}); do sleep 0.5; done' &`;
  const gateway = await started(t, '--', ...shellServer(`( ${signals(whileItLives)} ${signals(afterIt)} )`));
  const session = await openSession(gateway.url);
  const left = await until('both are left behind', () => {
    const found = descendants(gateway.pid).filter(({ parent }) => parent === gateway.pid);
    return found.filter(({ pid }) => commandOf(pid).startsWith('sh\0-c\0while')).length === 2 && found;
  });
  t.after(() => left.forEach(kill));
  const next = await upgraded(t, gateway);
  const refused = () => records(gateway, 'SIGUSR2 is not obeyed').map(({ reason }) => reason);
  writeFileSync(whileItLives, String(next.pid));
  await until('the first is refused', () => refused().length > 0);
  await session.delete();
  await assertEnds(gateway);
  left.filter(({ pid }) => commandOf(pid).includes(whileItLives)).forEach(kill);
  const before = refused().length;
  writeFileSync(afterIt, String(next.pid));
  await until('the second is refused', () => refused().length > before);
  for (const reason of refused()) assert.match(reason, /a process of a server/);
  assert.equal(records(gateway, 'another process starts to take over').length, 1);
  await upgraded(t, gateway, next.pid); // commands reach it from here on
});

function commandOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

test('the next process has the environment of the one before, but nobody reads it there', async (t) => {
  const file = join(scratch(), 'mcp.json');
  const [command, ...args] = fixture('witness', join(scratch(), 'witness'));
  writeFileSync(file, JSON.stringify({ mcpServers: { witness: { command, args, env: { TOKEN: '${SECRET}' } } } }));
  const gateway = await serveBy(['env', 'SECRET=only-mine', ...serving('--config', file)]);
  t.after(() => gateway.stop());
  const next = await upgraded(t, gateway);
  const begun = readFileSync(`/proc/${next.pid}/environ`, 'utf8');
  assert.match(begun, /(^|\0)TROUPE_HANDED_OVER=\d+ [^\0]*\0/);
  assert.deepEqual(begun.split('\0').filter((one) => one && !/^(TROUPE_HANDED_OVER|LD_\w+|\w+SAN_OPTIONS)=/.test(one)), []);
  const fresh = await openSession(gateway.url);
  const server = readFileSync(`/proc/${await pidOf(fresh)}/environ`, 'utf8').split('\0');
  assert.ok(server.includes('TOKEN=only-mine'), 'its servers have what the file says');
  assert.ok(server.includes(`PATH=${process.env.PATH}`), 'and what all have');
  assert.equal(statSync(`/proc/${next.pid}/environ`).uid, 0, 'it has made itself unreadable');
  await assertEnds(gateway);
});

// A server of the same user could read the new process's memory before that protects itself, if the program file were
// readable. The test runs an unreadable copy.
test('the next process is unreadable from its first instruction on', async (t) => {
  const folder = scratch();
  const program = join(folder, 'troupe');
  chmodSync(folder, 0o755);
  copyFileSync(PROGRAM, program);
  chmodSync(program, 0o755);
  const another = process.getuid() === 0 ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : [];
  const gateway = await serveBy([...another, ...servingBy(program, '--', ...exampleServer)]);
  t.after(() => gateway.stop());
  const assertUnreadable = ({ pid }) => {
    assert.equal(readFileSync(`/proc/${pid}/comm`, 'utf8'), 'troupe\n');
    if (another.length > 0) assert.match(readFileSync(`/proc/${pid}/maps`, 'utf8'), /\/memfd:troupe/);
    else assert.throws(() => readFileSync(`/proc/${pid}/maps`));
  };
  const next = await upgraded(t, gateway);
  assertUnreadable(next);
  await assertEnds(gateway);
  assertUnreadable(await upgraded(t, gateway, next.pid));
  assert.equal(await statusOf(gateway, '/healthz'), 200);
});

// The script keeps only the arguments that release 1.0.0 knows. A server kills every process it can find, but none that
// holds the program's secrets.
test('a program that takes no environment changes nothing, and never sees it', async (t) => {
  const folder = scratch();
  const older = join(folder, 'older');
  writeFileSync(older, '#!/bin/bash\n' +
    `env >>${folder}/environment\necho "$@" >>${folder}/arguments\n` +
    'export TROUPE_HANDED_OVER="$(sed "s/ environment=[0-9]*//" <<<"$TROUPE_HANDED_OVER")"\n' +
    `exec -a "$0" ${PROGRAM} "$@"\n`, { mode: 0o755 });
  const gateway = await serveBy(['env', 'SECRET=only-mine', older, ...serving('--', ...exampleServer).slice(1)]);
  t.after(() => gateway.stop());
  const session = await openSession(gateway.url);
  writeFileSync(join(folder, 'environment'), '');
  process.kill(gateway.pid, 'SIGUSR2');
  const told = await until('it says so', () => records(gateway, 'no upgrade: this process serves on')[0]);
  assert.match(told.reason, /takes its environment no way that is safe .* restart the gateway instead/);
  const begun = readFileSync(join(folder, 'environment'), 'utf8');
  assert.match(begun, /^TROUPE_HANDED_OVER=/m);
  assert.doesNotMatch(begun, /SECRET|only-mine/);
  const starts = readFileSync(join(folder, 'arguments'), 'utf8').trim().split('\n');
  assert.deepEqual(starts, [starts[0], starts[0]], 'it is started as the gateway was, and to serve');
  await until('the other process has ended', () => !existsSync(`/proc/${told.process}`));
  assert.equal((await session.ping()).status, 200);
  assert.equal((await openSession(gateway.url)).version, '2025-11-25');
});

test('a process that has not begun ends with the one before', async (t) => {
  const folder = scratch();
  const slow = join(folder, 'slow');
  writeFileSync(slow, `#!/bin/bash\n[ -z "$TROUPE_HANDED_OVER" ] || exec sleep 60\nexec -a "$0" ${PROGRAM} "$@"\n`,
    { mode: 0o755 });
  const gateway = await serveBy([slow, ...serving('--', ...exampleServer).slice(1)]);
  t.after(() => gateway.stop());
  process.kill(gateway.pid, 'SIGUSR2');
  const start = () => records(gateway, 'another process starts to take over')[0];
  const { process: next } = await until('it starts', start);
  t.after(() => existsSync(`/proc/${next}`) && kill({ pid: Number(next) }));
  assert.equal(await gateway.signal('SIGTERM'), 0);
  await until('it has ended', () => !existsSync(`/proc/${next}`));
});

test('what servers leave behind is reaped', async (t) => {
  const gateway = await started(t, '--', ...shellServer('( sleep 0.2 & sleep 60 & )'));
  const session = await openSession(gateway.url);
  const below = () => descendants(gateway.pid).filter(({ parent }) => parent === gateway.pid);
  await until('they are its children', () => below().length >= 2);
  await until('one has ended, and is gone', () => below().length === 2);
  assert.ok(below().every(({ state }) => state !== 'Z'));
  assert.equal((await session.ping()).status, 200);
});
