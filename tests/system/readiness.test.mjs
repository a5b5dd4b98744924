// Reasons in /readyz why a gateway is not ready: essential servers that fail to start, and shutdown.
import assert from 'node:assert/strict';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from './lib/concurrently.mjs';
import { gatewayWith, reload } from './lib/config.mjs';
import { exampleServer, fixture } from './lib/gateway.mjs';
import { hold, latch } from './lib/held-calls.mjs';
import { request } from './lib/http.mjs';
import { scratch } from './lib/scratch.mjs';
import { initializeRequest, openSession, post } from './lib/session.mjs';
import { until } from './lib/until.mjs';

const QUICK = { firstDelay: '50ms', longestDelay: '100ms', attempts: 100, rest: '1s' };
const SECRET = 'swordfish';
const commandOf = ([command, ...args]) => ({ command, args });
const example = commandOf(exampleServer);
const hostile = (...habits) => commandOf(fixture('hostile', ...habits));

async function readiness(gateway) {
  const reply = await request(gateway.at('/readyz'));
  await reply.done;
  assert.equal(reply.headers['content-type'], 'application/json');
  assert.doesNotMatch(reply.received, new RegExp(SECRET));
  const { status, reasons } = JSON.parse(reply.received);
  assert.equal(status, reply.status === 200 ? 'ok' : 'unready');
  return { code: reply.status, reasons };
}

const isReady = (gateway) => until('it is ready', async () => (await readiness(gateway)).code === 200);

// Resolves when the only reason is this server, with a matching text.
const fails = (gateway, name, like) =>
  until(`${name} does not start`, async () => {
    const { code, reasons } = await readiness(gateway);
    if (code === 200 || reasons.length !== 1) return false;
    const [{ what, name: who, why }] = reasons;
    return what === 'server' && who === name && like.test(why);
  });

// A missing program: `repair` creates it, and `breakIt` removes it.
function missingProgram() {
  const file = join(scratch(), 'server');
  const away = `${file}.away`;
  const words = exampleServer.map((word) => `'${word}'`).join(' ');
  return {
    command: file,
    repair: async () => {
      await writeFile(away, `#!/bin/sh\nexec ${words}\n`, { mode: 0o755 });
      await rename(away, file);
    },
    breakIt: () => rename(file, away),
  };
}

for (const sharing of ['auto', 'session', 'shared', 'pool', 'principal'])
  test(`a gateway is ready when its essential server has started, with sharing ${sharing}`, async (t) => {
    const { command, repair } = missingProgram();
    const bad = { command, args: [SECRET], sharing, essential: true, restart: QUICK };
    const gateway = await gatewayWith(t, { mcpServers: { bad, good: { ...example, essential: true } } });
    await fails(gateway, 'bad', /^it does not start: its program .* cannot be started/);
    assert.equal((await request(gateway.at('/healthz'))).status, 200);
    await repair();
    await isReady(gateway);
    const kept = { shared: 1, pool: 2 }[sharing] ?? 0;
    await until('what was tried is gone', () => gateway.children().length === kept);
    await openSession(gateway.at('/servers/bad/mcp'));
  });

test('a gateway is not ready while a server does not answer or refuses, and says nothing in its words', async (t) => {
  const stages = [
    [hostile('mute'), /^it has not answered yet$/],
    [hostile('refuses'), /^it refused to initialize; the log tells more$/],
    [commandOf(['sh', '-c', `echo ${SECRET} >&2; echo ${SECRET}; exit 7`]), /exited with status 7$/],
  ];
  const of = (server) => ({ mcpServers: { a: { ...server, essential: true, restart: QUICK }, b: example } });
  const gateway = await gatewayWith(t, of(stages[0][0]));
  for (const [server, like] of stages) {
    if (server !== stages[0][0]) await reload(gateway, of(server));
    await fails(gateway, 'a', like);
  }
  await reload(gateway, of(example));
  await isReady(gateway);
});

test('a server that is not essential keeps no gateway from being ready', async (t) => {
  const gateway = await gatewayWith(t, {
    mcpServers: { bad: { ...hostile('exits-at-once'), sharing: 'shared', eager: true }, good: { ...example, essential: true } },
  });
  await isReady(gateway);
  await until('the bad one rests', () => gateway.log.some((line) => /error.*server failed/.test(line)));
  assert.equal((await readiness(gateway)).code, 200);
});

test('a gateway is not ready any more when a start fails for a client and then for nobody', async (t) => {
  const { command, repair, breakIt } = missingProgram();
  await repair();
  const gateway = await gatewayWith(t, { mcpServers: { a: { command, essential: true, restart: QUICK } } });
  await isReady(gateway);
  await breakIt();
  assert.equal((await readiness(gateway)).code, 200);
  const [{ error }] = await (await post(gateway.at('/servers/a/mcp'), initializeRequest())).all();
  assert.ok(error);
  await fails(gateway, 'a', /^it does not start/);
  await repair();
  await isReady(gateway);
});

test('a gateway that drains says so', async (t) => {
  const server = commandOf(fixture('reload-server'));
  const gateway = await gatewayWith(t, { mcpServers: { a: { ...server, essential: true } }, gateway: { grace: '60s' } });
  await isReady(gateway);
  const session = await openSession(gateway.url);
  const { file, open } = latch();
  const reply = await hold(session, file);
  const exited = gateway.signal('SIGTERM');
  const { reasons } = await until('it is not ready', async () => {
    const seen = await readiness(gateway);
    return seen.code === 503 && seen;
  });
  assert.deepEqual(reasons, [{ what: 'gateway', why: 'it is draining' }]);
  open();
  await reply.done;
  assert.equal(await exited, 0);
});
