// The operators' commands with a real gateway: they show what exists, and end it.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from './lib/concurrently.mjs';
import { startCluster } from './lib/cluster.mjs';
import { gatewayWith, replaceFile } from './lib/config.mjs';
import { exampleServer, fixture, PROGRAM } from './lib/gateway.mjs';
import { assertHeld, hold, latch } from './lib/held-calls.mjs';
import { adminOf, ANY_PORT, CLOSED_PORT } from './lib/operator.mjs';
import { scratch } from './lib/scratch.mjs';
import { openSession } from './lib/session.mjs';
import { operate } from './lib/terminal.mjs';
import { until } from './lib/until.mjs';

const [command, ...args] = fixture('reload-server');
const CONFIG = { mcpServers: { a: { command, args }, b: { command, args, sharing: 'shared', eager: true } } };
const TOKEN = '0123456789abcdef';

// The operators' commands for a gateway.
function operatorsOf(gateway) {
  const { url } = adminOf(gateway);
  const tries = (...what) => operate([...what, '--admin', url]);
  const types = async (...what) => {
    const { code, err, lines } = await tries(...what);
    assert.deepEqual([code, err], [0, ''], what.join(' '));
    return lines;
  };
  const json = async (...what) => JSON.parse((await types(...what, '--json'))[0]);
  return { gateway, url, tries, types, json };
}

const operated = async (t, config = CONFIG, ...flags) =>
  operatorsOf(await gatewayWith(t, config, ...(flags.length ? CLOSED_PORT : ANY_PORT), ...flags));

// The output of `troupe follow` as it arrives.
function follows(t, url, ...what) {
  const follower = spawn(PROGRAM, ['follow', ...what, '--admin', url], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => follower.kill());
  const result = { said: '', hasEnded: () => follower.exitCode === 0 };
  follower.stdout.setEncoding('utf8').on('data', (piece) => (result.said += piece));
  return result;
}

// Calls a tool until the follower, which may begin to listen late, has received it. A follower that starts between a
// call and its answer receives only the answer, so both are awaited.
async function callsUntilHeard(session, follower) {
  let id = 0;
  await until('a call and an answer are heard', async () => {
    await session.call((id += 1), 'told');
    return ['from client request', 'from server response'].every((heard) => follower.said.includes(heard));
  });
}

const statusOf = async (session) => (await session.ping()).status;

test('a client\'s session is listed, shown and ended', async (t) => {
  const { gateway, types, tries, json } = await operated(t);
  assert.deepEqual(await types('sessions'), ['no sessions']);
  const [first, second] = [await openSession(gateway.at('/servers/a/mcp')), await openSession(gateway.url)];
  const { sessions, total } = await json('sessions');
  assert.equal(total, 2);
  assert.deepEqual(sessions.map(({ server }) => server), ['a', '']);
  const [number] = sessions.map((one) => one.number);
  const [, row] = await types('sessions', '--server', 'a');
  assert.match(row, new RegExp(`^ *${number} +${first.id.slice(0, 4)}.* http +a `));
  assert.equal((await types('sessions', '--limit', '1')).at(-1), 'and 1 more: see them with --limit');
  assert.equal((await types('session', String(number)))[0], `session: ${number}`);
  assert.deepEqual(await types('end', String(number)), [`session ${number} is ended`]);
  await until('it is gone', async () => (await statusOf(first)) === 404);
  assert.equal(await statusOf(second), 200);
  const { code, err } = await tries('session', String(number));
  assert.equal(code, 1);
  assert.match(err, /^troupe: .+\n$/);
});

test('a call that hangs is found and ended', async (t) => {
  const { gateway, types, json } = await operated(t);
  const session = await openSession(gateway.at('/servers/a/mcp'));
  const reply = await hold(session, latch().file);
  const { calls } = await json('top');
  assert.deepEqual(calls.map(({ method, name }) => [method, name]), [['tools/call', 'hold']]);
  const [{ session: number, number: call }] = calls;
  const lines = await types('top');
  assert.match(lines[0], /sessions 1 and leases 0 of 10000, calls 1$/);
  assert.match(lines.at(-1), new RegExp(`^ *${number} +${call} .* tools/call +hold +a `));
  assert.match((await types('session', String(number))).at(-1), /tools\/call +hold +a$/);
  assert.deepEqual(await types('end', String(number), String(call)), [`call ${call} of session ${number} is ended`]);
  assert.ok((await reply.all()).at(-1).error, 'its client hears of it');
  assert.equal(await statusOf(session), 200, 'its session goes on');
});

test('servers are listed, started anew, and taken away and given back', async (t) => {
  const { gateway, types, json } = await operated(t);
  const server = async (name) => (await json('servers')).servers.find((one) => one.name === name);
  const pidOf = async () => (await server('b')).processes[0]?.pid;
  const pid = await until('b runs', pidOf);
  assert.match((await types('servers'))[0], /^SERVER +KIND +STATE +PROCESSES +RESTARTS +FAILURES +USERS +WHY$/);
  await types('restart', 'b');
  await until('it is another process', async () => ![undefined, pid].includes(await pidOf()));
  await types('disable', 'a');
  await until('it is disabled', async () => (await types('servers')).some((line) => /^a +stdio +disabled /.test(line)));
  await types('enable', 'a');
  await until('it is enabled', async () => (await server('a')).enabled);
  await openSession(gateway.at('/servers/a/mcp'));
});

test('the file is read again, and what is wrong with it is told', async (t) => {
  const { gateway, types, tries } = await operated(t);
  await replaceFile(gateway, { mcpServers: { ...CONFIG.mcpServers, c: { command, args } } });
  await types('reload');
  await until('the new server is there', async () => (await types('servers')).some((line) => line.startsWith('c ')));
  await replaceFile(gateway, '{');
  const { code, err } = await tries('reload');
  assert.equal(code, 1);
  assert.match(err, /^troupe: .+\n$/);
});

test('the level of the log is shown and set', async (t) => {
  const { gateway, types } = await operated(t);
  assert.deepEqual(await types('log-level'), ['info']);
  assert.deepEqual(await types('log-level', 'debug'), ['debug']);
  await openSession(gateway.url);
  await until('it logs more', () => gateway.log.some((line) => line.includes('"level":"debug"')));
});

test('to drain is to end, when calls have finished', async (t) => {
  const { gateway, types } = await operated(t, { ...CONFIG, gateway: { grace: '60s' } });
  const { file, open } = latch();
  const reply = await hold(await openSession(gateway.at('/servers/a/mcp')), file);
  gateway.signalled = true;
  await types('drain');
  await until('it drains', async () => (await types('nodes'))[1].includes('draining'));
  open();
  await assertHeld(reply);
  assert.equal(await gateway.exited, 0);
});

test('a session is followed until an operator ends it', async (t) => {
  const { gateway, url, types, json, tries } = await operated(t);
  const session = await openSession(gateway.at('/servers/a/mcp'));
  const number = String((await json('sessions')).sessions[0].number);
  const follower = follows(t, url, number);
  await callsUntilHeard(session, follower);
  assert.match(follower.said, /from client request tools\/call told id \d+, \d+ bytes\n/);
  assert.ok(!follower.said.includes('cwd'), 'without what it says');
  await types('end', number);
  await until('it has ended', follower.hasEnded);
  const { code, err } = await tries('follow', number, '--content');
  assert.equal(code, 1);
  assert.match(err, /^troupe: .+\n$/);
});

test('what messages say is printed where the file allows it', async (t) => {
  const { gateway, url, types } = await operated(t, { ...CONFIG, gateway: { admin: { content: true } } });
  const session = await openSession(gateway.at('/servers/a/mcp'));
  const follower = follows(t, url, '1', '--content');
  await callsUntilHeard(session, follower);
  assert.match(follower.said, /bytes \{.*"name":"told".*\}\n/);
  await types('end', '1');
  await until('it has ended', follower.hasEnded);
});

test('a node is asked through another', async (t) => {
  const cluster = await startCluster(t, { nodes: 2, command: exampleServer, flags: ANY_PORT });
  const [a, b] = cluster.nodes;
  const { types, tries, json } = operatorsOf(a);
  const names = async () => (await types('nodes')).slice(1).map((line) => line.split(/ {2,}/).slice(0, 2).join(' '));
  assert.deepEqual(await names(), [`${a.name} serving`, `${b.name} serving`]);
  await openSession(b.url);
  assert.deepEqual(await types('sessions'), ['no sessions']);
  const [{ number }] = (await json('sessions', '--node', b.name)).sessions;
  assert.match((await types('top', '--node', b.name))[0], new RegExp(`^node ${b.name}, .* sessions 1 `));
  await types('end', String(number), '--node', b.name);
  await until('it has ended', async () => (await types('sessions', '--node', b.name))[0] === 'no sessions');
  const { code, err } = await tries('servers', '--node', 'nobody');
  assert.equal(code, 1);
  assert.match(err, /^troupe: the cluster has no node.*\n$/);
});

test('a gateway that wants a token is asked with one', async (t) => {
  const file = join(scratch(), 'token');
  writeFileSync(file, TOKEN);
  const { types, tries } = await operated(t, CONFIG, '--admin-token-file', file);
  assert.match((await tries('nodes')).err, /--admin-token-file/);
  assert.match((await types('nodes', '--admin-token-file', file))[1], /^\(alone\) +serving +0 +0 /);
});
