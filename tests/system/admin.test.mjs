// The operators' API has a listener of its own, which refuses other origins and unauthenticated clients.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from './lib/concurrently.mjs';
import { agentOf } from './lib/certified.mjs';
import { gatewayWith } from './lib/config.mjs';
import { bearer } from './lib/credentials.mjs';
import { exampleServer, fixture, gatewayFor, runProgram } from './lib/gateway.mjs';
import { assertHeld, hold, latch } from './lib/held-calls.mjs';
import { rawConnection, request } from './lib/http.mjs';
import { adminOf, ANY_PORT, CLOSED_PORT, logged } from './lib/operator.mjs';
import { freePort } from './lib/ports.mjs';
import { scratch } from './lib/scratch.mjs';
import { openSession } from './lib/session.mjs';
import { DEBUG, debugState } from './lib/state.mjs';
import { until } from './lib/until.mjs';

const TOKEN = '0123456789abcdef';
const PAGES = ['/metrics', '/healthz', '/api/state'];
const EVIL = 'http://evil.example';

function tokenFile(token = TOKEN) {
  const path = join(scratch(), 'token');
  const put = (what) => {
    writeFileSync(`${path}.next`, what);
    renameSync(`${path}.next`, path);
  };
  put(`${token}\n`);
  return { path, put };
}

// Starts a gateway that must exit before it listens; resolves with its exit code and output.
async function failsToStart(...flags) {
  const child = runProgram('serve', '--port', '0', ...flags, '--', ...exampleServer);
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  return { code, lines: said.split('\n').filter(Boolean) };
}

test('operators have no listener unless a flag says so, and clients have none of their pages', async (t) => {
  const plain = await gatewayFor(t, exampleServer);
  assert.deepEqual(logged(plain, 'listening for operators'), []);
  const gateway = await gatewayFor(t, exampleServer, ...ANY_PORT);
  for (const { port } of [plain, gateway])
    assert.equal((await request(`http://127.0.0.1:${port}/metrics`)).status, 404);
});

test('on loopback all who reach an open one are let in, and find the metrics', async (t) => {
  const admin = adminOf(await gatewayFor(t, exampleServer, ...ANY_PORT));
  assert.match(admin.url, /^http:\/\/127\.0\.0\.1:\d+$/);
  const { status, headers, body } = await admin.ask('/metrics');
  assert.equal(status, 200);
  assert.equal(headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8');
  assert.match(body, /^# TYPE troupe_build_info gauge\ntroupe_build_info\{version="\d+\.\d+\.\d+"\} 1$/m);
  assert.equal((await admin.ask('/healthz')).body, 'ok\n');
});

test('it shows the state that /debug/state shows', async (t) => {
  const gateway = await gatewayFor(t, exampleServer, DEBUG, ...ANY_PORT);
  const admin = adminOf(gateway);
  const session = await openSession(gateway.url);
  const { status, headers, body } = await admin.ask('/api/state');
  assert.deepEqual([status, headers['content-type']], [200, 'application/json']);
  const [asked, shown] = [JSON.parse(body), await debugState(gateway)];
  assert.equal(asked.sessions, 1);
  assert.deepEqual(Object.keys(asked), Object.keys(shown));
  assert.deepEqual(asked.servers, shown.servers);
  await session.delete();
});

test('it has nothing else, and nothing of what clients use', async (t) => {
  const admin = adminOf(await gatewayFor(t, exampleServer, '--debug-state', ...ANY_PORT));
  for (const path of ['/console', '/console/', '/mcp', '/sse', '/readyz/', '/debug/state', '/metrics/']) {
    const { status, headers, body } = await admin.ask(path);
    assert.equal(status, 404, path);
    assert.equal(headers['content-type'], 'application/json');
    assert.equal(typeof JSON.parse(body).error, 'string');
  }
  for (const method of ['POST', 'DELETE', 'OPTIONS']) {
    const { status, headers } = await admin.ask('/metrics', { method });
    assert.deepEqual([status, headers.allow], [405, 'GET, HEAD'], method);
  }
  assert.equal(await admin.status('/metrics', { method: 'POST', body: 'x'.repeat(64 * 1024 + 1) }), 413);
});

test('no page of another origin gets anything, by whatever name it comes', async (t) => {
  const { path } = tokenFile();
  const gateways = [await gatewayFor(t, exampleServer, ...ANY_PORT),
    await gatewayFor(t, exampleServer, ...CLOSED_PORT, '--admin-token-file', path)];
  for (const gateway of gateways) {
    const admin = adminOf(gateway, bearer(TOKEN));
    const { port } = new URL(admin.url);
    const foreign = [
      { origin: EVIL }, { origin: 'null' }, { origin: `http://127.0.0.1:${gateway.port}` },
      { origin: `https://127.0.0.1:${port}` }, { origin: `http://localhost:${port}` },
      { host: 'evil.example' }, { host: `evil.example:${port}` }, { host: 'evil.example', origin: EVIL },
      { 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' },
    ];
    for (const method of ['GET', 'POST', 'OPTIONS'])
      for (const headers of foreign)
        for (const page of [...PAGES, '/nothing']) {
          const answer = await admin.ask(page, { method, headers });
          assert.equal(answer.status, 403, JSON.stringify([method, headers, page]));
          assert.deepEqual(Object.keys(answer.headers).filter((name) => name.startsWith('access-control')), []);
          assert.equal(answer.headers['cache-control'], 'no-store');
          assert.equal(answer.headers['x-content-type-options'], 'nosniff');
        }
    const own = [{ origin: admin.url }, { host: `localhost:${port}`, origin: `http://localhost:${port}` },
      { 'sec-fetch-site': 'same-origin' }, { 'sec-fetch-site': 'none' }];
    for (const headers of own) assert.equal(await admin.status('/metrics', { headers }), 200, JSON.stringify(headers));
  }
});

test('who does not show the token is not let in, nor told what there is', async (t) => {
  const { path } = tokenFile();
  const gateway = await gatewayFor(t, exampleServer, ...CLOSED_PORT, '--admin-token-file', path);
  const admin = adminOf(gateway);
  const wrong = ['', TOKEN, 'Bearer', `Basic ${TOKEN}`, `Bearer ${TOKEN.slice(1)}`, `Bearer ${TOKEN}0`];
  for (const headers of [{}, ...wrong.map((authorization) => ({ authorization })), { 'x-api-key': TOKEN }])
    for (const page of [...PAGES, '/nothing', `/metrics?token=${TOKEN}`]) {
      const answer = await admin.ask(page, { headers });
      assert.equal(answer.status, 401, JSON.stringify([headers, page]));
      assert.equal(answer.headers['www-authenticate'], 'Bearer');
    }
  for (const page of PAGES) assert.equal(await admin.status(page, { headers: bearer(TOKEN) }), 200);
  assert.ok(!gateway.log.some((line) => line.includes(TOKEN)), 'the log does not have it');
});

test('a token that is changed counts at once, and one that cannot be is not taken', async (t) => {
  const { path, put } = tokenFile();
  const gateway = await gatewayFor(t, exampleServer, ...CLOSED_PORT, '--admin-token-file', path);
  const admin = adminOf(gateway);
  const statuses = async (...tokens) =>
    Promise.all(tokens.map((token) => admin.status('/metrics', { headers: bearer(token) })));
  const next = 'fedcba9876543210';
  put(`${next}\n`);
  assert.deepEqual(await statuses(next, TOKEN), [200, 401]);
  await until('the log says so', () => logged(gateway, 'token for operators changed').length === 1);
  for (const bad of ['', 'short\n', `${TOKEN} ${TOKEN}\n`]) {
    put(bad);
    assert.deepEqual(await statuses(next, TOKEN, ''), [200, 401, 401]);
  }
  const kept = await until('the log says so', () => {
    const lines = logged(gateway, 'the token for operators stays as it was');
    return lines.length === 3 && lines;
  });
  assert.match(kept[1].why, /must have at least 16 characters/);
  put(`${TOKEN}\n`);
  assert.deepEqual(await statuses(next, TOKEN), [401, 200]);
});

test('a socket of unix is its user\'s alone, and asks for no token', async (t) => {
  const path = join(scratch(), 'admin.sock');
  const gateway = await gatewayFor(t, exampleServer, '--admin-listen', `unix:${path}`);
  assert.ok(statSync(path).isSocket());
  assert.equal(statSync(path).mode & 0o777, 0o600);
  const admin = adminOf(gateway, {}, agentOf(path));
  assert.equal(admin.url, `unix:${path}`);
  assert.match((await admin.ask('/metrics')).body, /^troupe_build_info/m);
  assert.equal(await admin.status('/metrics', { headers: { origin: EVIL } }), 403);
  await gateway.stop();
  assert.ok(!existsSync(path), 'it is gone');
});

test('beyond this machine it takes a token, or the gateway does not start', async (t) => {
  const why = /"?operators are listened for at 0\.0\.0\.0, beyond this machine, .*give admin\.tokenFile \(--admin-token-file\)/;
  const refused = await failsToStart('--admin-listen', '0.0.0.0:0');
  assert.equal(refused.code, 1);
  assert.equal(refused.lines.length, 1, refused.lines.join('\n'));
  assert.match(refused.lines[0], why);
  const short = await failsToStart('--admin-listen', '0.0.0.0:0', '--admin-token-file', tokenFile('x'.repeat(15)).path);
  assert.equal(short.code, 1);
  assert.match(short.lines[0], /the token for operators: '.*' must have at least 16 characters/);
  const gateway = await gatewayFor(t, exampleServer, '--admin-listen', '0.0.0.0:0', '--admin-token-file', tokenFile().path);
  const [{ url }] = logged(gateway, 'listening for operators');
  const { port } = new URL(url);
  const status = async (headers) => (await request(`http://127.0.0.1:${port}/metrics`, { headers })).status;
  assert.equal(await status({}), 401);
  assert.equal(await status(bearer(TOKEN)), 200);
  assert.equal(await status({ ...bearer(TOKEN), host: `node-1.internal:${port}` }), 200, 'as scrapers may call it');
});

test('a port that is in use ends the start in one line', async (t) => {
  const port = await freePort();
  await gatewayFor(t, exampleServer, '--admin-listen', `127.0.0.1:${port}`, '--admin-open');
  const { code, lines } = await failsToStart('--admin-listen', `127.0.0.1:${port}`);
  assert.equal(code, 1);
  assert.equal(lines.length, 1, lines.join('\n'));
  assert.match(lines[0], new RegExp(`cannot listen on 127\\.0\\.0\\.1 port ${port}: Address already in use`));
});

test('the file says where, and flags outrank it', async (t) => {
  const { path } = tokenFile();
  const [command, ...args] = exampleServer;
  const config = {
    mcpServers: { a: { command, args } },
    gateway: { admin: { listen: '127.0.0.1:0', tokenFile: path } },
  };
  const asked = adminOf(await gatewayWith(t, config));
  assert.equal(await asked.status('/metrics'), 401);
  assert.equal(await asked.status('/metrics', { headers: bearer(TOKEN) }), 200);
  const port = await freePort();
  const moved = adminOf(await gatewayWith(t, config, '--admin-listen', `127.0.0.1:${port}`));
  assert.equal(moved.url, `http://127.0.0.1:${port}`);
  assert.equal(await moved.status('/metrics'), 401, 'the token is still that of the file');
});

test('operators look on while it drains, and hold up no end', async (t) => {
  const [command, ...args] = fixture('reload-server');
  const config = { mcpServers: { a: { command, args } }, gateway: { grace: '60s' } };
  const gateway = await gatewayWith(t, config, ...ANY_PORT);
  const admin = adminOf(gateway);
  const { port } = new URL(admin.url);
  const silent = rawConnection(port);
  const half = rawConnection(port, 'GET /metrics HTTP/1.1\r\n');
  const { file, open } = latch();
  const reply = await hold(await openSession(gateway.url), file);
  const ended = gateway.signal('SIGTERM');
  await until('it drains', async () => (await request(gateway.at('/readyz'))).status === 503);
  for (const page of PAGES) assert.equal(await admin.status(page), 200, page);
  open();
  await assertHeld(reply);
  assert.equal(await ended, 0);
  await until('they are cut off', () => silent.closed && half.closed);
});
