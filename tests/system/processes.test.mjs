// Limits of server processes, and sessions while the machine lacks resources.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { test } from './lib/concurrently.mjs';
import { gatewayWith } from './lib/config.mjs';
import { exampleServer, fixture, gatewayFor, serveBy, serving } from './lib/gateway.mjs';
import { isRunning } from './lib/processes.mjs';
import { initializeRequest, openSession, post } from './lib/session.mjs';
import { until } from './lib/until.mjs';

const [program, ...args] = exampleServer;
const EXAMPLE = { command: program, args };

async function begin(gateway) {
  const reply = await post(gateway.url, initializeRequest());
  await reply.done;
  return reply;
}

async function assertRefusedForNow(gateway, why, reply = undefined) {
  reply ??= await begin(gateway);
  assert.equal(reply.status, 503);
  assert.ok(Number(reply.headers['retry-after']) > 0);
  assert.match(reply.messages[0].error.message, why);
}

const remove = (sessions) => Promise.all(sessions.map((session) => session.delete()));

test('a gateway that runs out of descriptors serves new clients as soon as old ones have left', async (t) => {
  const gateway = await serveBy(['sh', '-c', 'ulimit -n 80; exec "$0" "$@"', ...serving('--', ...exampleServer)]);
  t.after(() => gateway.stop());
  const sessions = [];
  for (;;) {
    const reply = await begin(gateway);
    if (reply.status !== 200) break;
    sessions.push(reply.headers['mcp-session-id']);
    assert.ok(sessions.length < 80);
  }
  for (let time = 0; time < 8; ++time) await assertRefusedForNow(gateway, /out of descriptors, memory or processes/);
  for (const id of sessions) await fetch(gateway.url, { method: 'DELETE', headers: { 'mcp-session-id': id } });
  await until('their servers are gone', () => gateway.children().length === 0);
  await (await openSession(gateway.url)).delete();
  assert.doesNotMatch(gateway.log.join('\n'), /server failed/);
});

test('no more processes live than are allowed, those that are being stopped among them', async (t) => {
  const servers = { a: { command: fixture('stubborn')[0], args: fixture('stubborn').slice(1) } };
  const gateway = await gatewayWith(t, { mcpServers: servers, gateway: { limits: { processes: 2 } } });
  const url = gateway.at('/servers/a/mcp');
  const begun = async () => {
    const reply = await post(url, initializeRequest());
    await reply.done;
    return reply;
  };
  const sessions = [await openSession(url)];
  const [stopping] = gateway.children();
  sessions.push(await openSession(url));
  const refused = await begun();
  assert.equal(refused.status, 503);
  assert.match(refused.messages[0].error.message, /too many processes run; gateway\.limits\.processes allows more/);
  await sessions[0].delete();
  // On a very busy machine the process may have exited before the request.
  let next = await begun();
  assert.ok(next.status === 503 || !isRunning(stopping), 'its process is being stopped');
  await until('there is room again', async () => next.status === 200 || (next = await begun()).status === 200);
  assert.equal(gateway.children().length, 2);
});

test('a process that is being stopped takes the place of a session', async (t) => {
  const gateway = await gatewayFor(t, fixture('stubborn'), '--max-sessions', '2');
  const sessions = [await openSession(gateway.url), await openSession(gateway.url)];
  const stopping = gateway.children();
  await remove(sessions);
  const next = await begin(gateway);
  // On a very busy machine a process may have exited before the request.
  if (stopping.every(isRunning)) await assertRefusedForNow(gateway, /too many sessions/, next);
  await until('there is room again', async () => (await begin(gateway)).status === 200);
});

test('a program that cannot be started is named', async (t) => {
  const gateway = await gatewayFor(t, ['/no/such/program']);
  const reply = await begin(gateway);
  const [{ error }] = reply.messages;
  assert.match(error.message, /its program "\/no\/such\/program" cannot be started: No such file or directory/);
});

// -- servers' view of the gateway -------------------------------------------------------------------

const SECRET = 'TROUPE_TEST_SECRET';
const NOBODY = 65_534;

// The gateway's environment as a server of the same non-root user can read it.
async function environmentSeen(t, ...flags) {
  const asks = ['sh', '-c', 'tr "\\0" "\\n" </proc/$PPID/environ >&2; echo "it ends" >&2'];
  const [command, ...rest] = serving(...flags, '--', ...asks);
  const child = spawn(command, rest, { uid: NOBODY, gid: NOBODY, env: { ...process.env, [SECRET]: 'hidden' }, cwd: '/' });
  let log = '';
  child.stderr.on('data', (chunk) => (log += chunk));
  t.after(() => child.kill('SIGKILL'));
  const url = await until('it listens', () => /"url":"([^"]+)"/.exec(log)?.[1]);
  await (await post(url, initializeRequest())).done;
  await until('the server has ended', () => log.includes('it ends'));
  return log.includes(`${SECRET}=hidden`);
}

const options = { skip: process.getuid() !== 0 && 'only root can be another user' };

test("a server does not see its gateway's environment", options, async (t) => {
  assert.equal(await environmentSeen(t), false);
});

test("a server sees it when the gateway's core may be dumped", options, async (t) => {
  assert.equal(await environmentSeen(t, '--core-dumps'), true);
});

test('a server may be another user', options, async (t) => {
  const a = { ...EXAMPLE, user: 'nobody', cwd: '/' };
  const gateway = await gatewayWith(t, { mcpServers: { a, b: { ...EXAMPLE, user: 'no-such-user' } } });
  const session = await openSession(gateway.at('/servers/a/mcp'));
  const [{ pid }] = gateway.children();
  assert.equal(statSync(`/proc/${pid}`).uid, NOBODY);
  await session.delete();
  const refused = await post(gateway.at('/servers/b/mcp'), initializeRequest());
  await refused.done;
  assert.match(refused.messages[0].error.message, new RegExp(`"${program}" cannot be started: user: no such user`));
});
