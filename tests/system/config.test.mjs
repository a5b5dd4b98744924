// A configuration file, from a client's format to the arguments of servers and the log.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { connect } from './lib/client.mjs';
import { gatewayWith } from './lib/config.mjs';
import { exampleServer, fixture, PROGRAM, runProgram, serve } from './lib/gateway.mjs';
import { refusesConnections, request } from './lib/http.mjs';
import { scratch } from './lib/scratch.mjs';
import { initializeRequest, openSession, post, toolCall } from './lib/session.mjs';
import { DEBUG } from './lib/state.mjs';
import { until } from './lib/until.mjs';
import { freePort } from './lib/ports.mjs';

const commandOf = ([command, ...args]) => ({ command, args });
const telling = (...args) => commandOf(fixture('reload-server', ...args));
const example = commandOf(exampleServer);
const at = (gateway, name) => gateway.at(`/servers/${name}/mcp`);
const statusOf = async (url) => (await request(url)).status;
const records = (gateway) => gateway.log.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
// A warning that is logged when the test runs as root.
const ofRoot = (msg) => msg.startsWith('servers run as root');

// The arguments and variables that a server was started with.
async function told(gateway, name) {
  const session = await openSession(at(gateway, name));
  const { result } = await session.call(1, 'told');
  return JSON.parse(result.content[0].text);
}

function setVariables(test, values) {
  Object.assign(process.env, values);
  test.after(() => Object.keys(values).forEach((name) => delete process.env[name]));
}

// -- shapes ----------------------------------------------------------------------------------------------------------

async function assertMerges(t, gateway, ...expected) {
  const { client } = await connect(t, gateway.url);
  const { tools } = await client.listTools();
  const echoing = tools.map(({ name }) => name).filter((name) => name.endsWith('__echo'));
  assert.deepEqual(echoing, expected.map((name) => `${name}__echo`));
  for (const name of echoing) {
    const { content } = await client.callTool({ name, arguments: { message: name } });
    assert.equal(content[0].text, name);
  }
}

test('the file of Claude Desktop is served as it is', async (t) => {
  const autoApprove = ['echo'];
  const mcpServers = { one: { ...example, autoApprove }, two: { ...example, env: { A: 'x' } } };
  const gateway = await gatewayWith(t, { mcpServers }, '--max-sessions', '10');
  await assertMerges(t, gateway, 'one', 'two');
  const warnings = records(gateway).filter(({ level, msg }) => level === 'warning' && !ofRoot(msg));
  assert.deepEqual(warnings, []);
});

test('the file of VS Code is served with its comments and trailing commas', async (t) => {
  const gateway = await gatewayWith(
    t,
    `\uFEFF// of a workspace
{
  /* asked for: never here */
  "inputs": [],
  "servers": {
    "one": { "type": "stdio", "command": ${JSON.stringify(PROGRAM)}, "args": ["example-server",], }, // no "}
    "two": {
      "command": ${JSON.stringify(PROGRAM)},
      "args": ["example-server"],
      "env": { "URL": "http://host//path /* no comment */" },
    },
  },
}
`,
  );
  await assertMerges(t, gateway, 'one', 'two');
});

test('servers of both shapes are merged, and those that are switched off are not there', async (t) => {
  const off = { ...telling('${TROUPE_TEST_NOT_SET}') };
  const gateway = await gatewayWith(t, {
    mcpServers: { one: example, off: { ...off, disabled: true } },
    servers: { two: example, out: { ...off, enabled: false } },
  });
  await assertMerges(t, gateway, 'one', 'two');
  for (const name of ['off', 'out']) assert.equal((await post(at(gateway, name), initializeRequest())).status, 404);
});

// -- forwarded requests ----------------------------------------------------------------------------------------------

test('a server gets its arguments, its variables and its directory', async (t) => {
  setVariables(t, { TROUPE_TEST_TOKEN: 'tok en', TROUPE_TEST_EMPTY: '', TROUPE_TEST_NESTED: '${HOME}' });
  const env = {
    PLAIN: 'a b "c" $d',
    TOKEN: 'Bearer ${TROUPE_TEST_TOKEN}',
    LONG: '${env:TROUPE_TEST_TOKEN}${pathSeparator}',
    MISSING: '${TROUPE_TEST_NOT_SET:-instead}',
    EMPTY: '${TROUPE_TEST_EMPTY:-instead}',
    NESTED: '${TROUPE_TEST_NESTED}',
    NUMBER: 42,
  };
  const args = [' two words ', '', '${userHome}', '${workspaceFolder}/x', '$HOME;`id`'];
  const gateway = await gatewayWith(t, { mcpServers: { a: { ...telling(...args), env, cwd: '.' } } });
  const directory = realpathSync(dirname(gateway.configFile));
  const seen = await told(gateway, 'a');
  assert.deepEqual(seen.args, [' two words ', '', homedir(), `${dirname(gateway.configFile)}/x`, '$HOME;`id`']);
  assert.equal(seen.cwd, directory);
  const expected = {
    PLAIN: 'a b "c" $d',
    TOKEN: 'Bearer tok en',
    LONG: 'tok en/',
    MISSING: 'instead',
    EMPTY: 'instead',
    NESTED: '${HOME}',
    NUMBER: '42',
  };
  for (const [name, value] of Object.entries(expected)) assert.equal(seen.env[name], value, name);
  const inherited = ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER'];
  const others = Object.keys(seen.env).filter((name) => !(name in expected) && !inherited.includes(name));
  assert.deepEqual(others, []);
});

test('a relative command and a relative directory start where the file is', async (t) => {
  const directory = scratch();
  mkdirSync(join(directory, 'bin'));
  const words = fixture('reload-server').map((word) => `"${word}"`);
  writeFileSync(join(directory, 'bin/server'), `#!/bin/sh\nexec ${words.join(' ')} "$@"\n`, { mode: 0o755 });
  const file = join(directory, 'mcp.json');
  writeFileSync(file, JSON.stringify({ mcpServers: { a: { command: './bin/server', args: ['x'], cwd: 'bin' } } }));
  const gateway = await serve('--config', file);
  t.after(() => gateway.stop());
  const seen = await told(gateway, 'a');
  assert.deepEqual([seen.args, seen.cwd], [['x'], realpathSync(join(directory, 'bin'))]);
});

// -- the section of the gateway --------------------------------------------------------------------------------------

const configured = (gateway, servers = { a: example }) => ({ mcpServers: servers, gateway });

// Starts without flags that override the file.
async function serveAsIs(t, config) {
  const directory = mkdtempSync(join(tmpdir(), 'troupe-config-'));
  const file = join(directory, 'mcp.json');
  writeFileSync(file, JSON.stringify(config));
  const child = runProgram('serve', '--config', file);
  const said = { err: '' };
  child.stderr.setEncoding('utf8').on('data', (chunk) => (said.err += chunk));
  t.after(async () => {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
    rmSync(directory, { recursive: true });
  });
  return said;
}

test('the file says where to listen and how to log', async (t) => {
  const port = await freePort();
  const log = { level: 'debug', format: 'text' };
  const said = await serveAsIs(t, configured({ port, host: '127.0.0.1', debugState: true, log }));
  await until('it listens', async () => !(await refusesConnections(port)));
  await openSession(`http://127.0.0.1:${port}/mcp`);
  assert.equal(await statusOf(`http://127.0.0.1:${port}/debug/state`), 200);
  await until('the log is text, with the details', () => /^\S+Z debug session begins session=\S+$/m.test(said.err));
  assert.match(said.err, new RegExp(`^\\S+Z info listening url=http://127.0.0.1:${port}/mcp servers=a$`, 'm'));
});

test('the file limits sessions, bodies and calls', async (t) => {
  const gateway = await gatewayWith(t, configured({ maxSessions: 2, maxBody: 2000, requestTimeout: '500ms' }));
  const [session] = await Promise.all([openSession(at(gateway, 'a')), openSession(gateway.url)]);
  assert.equal((await post(gateway.url, initializeRequest())).status, 503);
  assert.equal((await session.post(toolCall(1, 'echo', { message: 'x'.repeat(2000) }))).status, 413);
  const { error } = await session.call(2, 'slow', { steps: 1, delay_ms: 60_000 });
  assert.equal(error.code, -32603);
  assert.equal(await statusOf(gateway.at('/debug/state')), 404);
});

test('the file says when an idle session ends', async (t) => {
  const gateway = await gatewayWith(t, configured({ sessionTimeout: '300ms' }));
  // By a second message the session might already be idle.
  const begun = await post(gateway.url, initializeRequest());
  assert.equal(begun.status, 200);
  await until('it ends', () => records(gateway).some(({ why }) => why === 'it was idle'));
});

test('a server that does not answer initialize is given up after initializeTimeout', async (t) => {
  const mute = commandOf(fixture('hostile', 'mute'));
  const servers = { a: mute, s: { ...mute, sharing: 'shared' } };
  const gateway = await gatewayWith(t, configured({ initializeTimeout: '300ms' }, servers));
  for (const name of ['a', 's']) {
    const [{ error }] = await (await post(at(gateway, name), initializeRequest())).all();
    assert.equal(error.code, -32603);
  }
});

test('flags outrank the file', async (t) => {
  const port = await freePort();
  const file = { port, maxSessions: 1, debugState: false, maxBody: 10, log: { level: 'error', format: 'text' } };
  const flags = ['--max-sessions', '2', '--max-body', '9999', DEBUG, '--log-level', 'debug'];
  const gateway = await gatewayWith(t, configured(file), ...flags);
  assert.notEqual(gateway.port, port);
  await Promise.all([openSession(gateway.url), openSession(gateway.url)]);
  assert.equal((await post(gateway.url, initializeRequest())).status, 503);
  assert.equal(await statusOf(gateway.at('/debug/state')), 200);
  assert.ok(records(gateway).some(({ level }) => level === 'debug'));
});

test('warnings are logged with their line and key, and the file is served', async (t) => {
  const text = `{"mcpServers": {"a": {
    "command": ${JSON.stringify(PROGRAM)}, "args": ["example-server"],
    "disabeld": false
  }},
  "gateway": {"porte": 1}}`;
  const gateway = await gatewayWith(t, text, '--max-sessions', '10');
  const warnings = records(gateway).filter(({ level, msg }) => level === 'warning' && !ofRoot(msg));
  const seen = warnings.map(({ msg, key, line }) => [msg, key, line]);
  assert.deepEqual(seen, [
    ['is not known, did you mean `disabled`?', 'mcpServers.a.disabeld', '3'],
    ['is not known, did you mean `port`?', 'gateway.porte', '5'],
  ]);
  await openSession(gateway.url);
});

// -- secrets ---------------------------------------------------------------------------------------------------------

const SECRET = 'hid-den';

// All output of a gateway about its servers: to clients, in the debug log, and for operators.
async function allSaid(gateway, names) {
  const said = [];
  const urls = [gateway.url, gateway.at('/mcp'), ...names.map((name) => at(gateway, name))];
  for (const url of urls) {
    const opened = await post(url, initializeRequest());
    await opened.done;
    said.push(opened.received);
    const id = opened.headers['mcp-session-id'];
    if (!id) continue;
    for (const method of ['tools/list', 'resources/list']) {
      const reply = await post(url, { jsonrpc: '2.0', id: method, method }, { 'mcp-session-id': id });
      await reply.done;
      said.push(reply.received);
    }
    for (const tool of [...names.map((name) => `${name}__echo`), 'echo']) {
      const reply = await post(url, toolCall(tool, tool, { message: 'x' }), { 'mcp-session-id': id });
      await reply.done;
      said.push(reply.received);
    }
  }
  const state = await request(gateway.at('/debug/state'));
  await state.done;
  return [...said, state.received];
}

// Expected texts prove that the output was searched.
async function assertKept(gateway, names, ...expected) {
  const said = await allSaid(gateway, names);
  await gateway.stop();
  for (const text of expected) assert.ok(said.some((one) => one.includes(text)), `${text} is said`);
  assert.ok(gateway.log.length > names.length, 'there is a log');
  for (const text of [...said, ...gateway.log]) assert.ok(!text.includes(SECRET), text);
}

const talkative = ['--log-level', 'debug', DEBUG];
const QUICK = { initializeTimeout: '10s', listPatience: '1s' };
const hidden = { env: { KEY: SECRET, OTHER: '${TROUPE_TEST_SECRET}' } };

test('no value of a server that runs is logged or shown', async (t) => {
  setVariables(t, { TROUPE_TEST_SECRET: SECRET });
  const servers = {
    good: { ...example, ...hidden },
    shared: { ...example, ...hidden, sharing: 'shared', eager: true },
    pool: { ...example, ...hidden, sharing: 'pool' },
  };
  const gateway = await gatewayWith(t, configured({}, servers), ...talkative);
  await assertKept(gateway, Object.keys(servers), '"text":"x"', 'pool__echo');
});

test('no value of a server that cannot start, or ends at once, is logged or shown', async (t) => {
  setVariables(t, { TROUPE_TEST_SECRET: SECRET });
  const args = ['--token', SECRET, '${TROUPE_TEST_SECRET}'];
  const exiting = commandOf(fixture('hostile', 'exits-on-initialize', ...args));
  const servers = {
    none: { command: '/no/such/command', args, ...hidden },
    nowhere: { command: 'sh', args, ...hidden, cwd: '/no/such/directory' },
    ends: { command: 'false', args, ...hidden },
    exits: { ...exiting, ...hidden, sharing: 'shared', eager: true },
    pool: { command: 'false', args, ...hidden, sharing: 'pool' },
  };
  const gateway = await gatewayWith(t, configured(QUICK, servers), ...talkative);
  await assertKept(gateway, Object.keys(servers), 'cannot be started', 'exited with status');
});

test('no variable in the command or directory of a server that cannot start is logged or shown', async (t) => {
  setVariables(t, { TROUPE_TEST_SECRET: SECRET });
  const servers = {
    none: { command: '/no/${TROUPE_TEST_SECRET}/server' },
    nowhere: { command: 'sh', cwd: '/no/${TROUPE_TEST_SECRET}' },
    shared: { command: '${TROUPE_TEST_SECRET}', sharing: 'shared' },
  };
  const gateway = await gatewayWith(t, configured(QUICK, servers), ...talkative);
  await assertKept(gateway, Object.keys(servers), '/no/${TROUPE_TEST_SECRET}/server');
});

// Refuses every request with a different error for each path, and records it.
const refusing = createServer((incoming, outgoing) => {
  const challenge = { 'www-authenticate': `Bearer realm="${incoming.headers.authorization} ${incoming.url}"` };
  const elsewhere = { location: `http://127.0.0.1:1/?token=${SECRET}` };
  const status = Number(/\d+/.exec(incoming.url)[0]);
  outgoing.writeHead(status, { ...challenge, ...(status === 302 && elsewhere), 'content-type': 'text/plain' });
  outgoing.end(`${incoming.url} ${JSON.stringify(incoming.headers)}`);
});
await once(refusing.listen(0, '127.0.0.1'), 'listening');
after(() => refusing.close());

const STATUSES = [200, 302, 400, 401, 403, 404, 500];

test('no header and no query of a remote server that refuses, or is not there, is logged or shown', async (t) => {
  setVariables(t, { TROUPE_TEST_SECRET: SECRET });
  const headers = { Authorization: 'Bearer ${TROUPE_TEST_SECRET}', 'X-Key': SECRET };
  const query = `?token=\${TROUPE_TEST_SECRET}&x=${SECRET}`;
  const remote = (origin, path, members) => ({ url: `${origin}${path}${query}`, headers, ...members });
  const there = `http://127.0.0.1:${refusing.address().port}`;
  const servers = {
    away: remote(`http://127.0.0.1:${await freePort()}`, '/mcp'),
    unknown: remote('http://no-such-host.invalid', '/mcp'),
    tls: remote(there.replace('http:', 'https:'), '/mcp'),
    sse: remote(there, '/404', { type: 'sse' }),
    ...Object.fromEntries(STATUSES.map((status) => [`s${status}`, remote(there, `/${status}`)])),
    shared: remote(there, '/401', { sharing: 'shared', eager: true }),
  };
  const gateway = await gatewayWith(t, configured(QUICK, servers), ...talkative);
  await assertKept(gateway, Object.keys(servers), 'HTTP 401', 'HTTP 500', 'redirects', 'cannot connect');
});

test('no value of a file that is read again is logged, whatever is wrong with it', async (t) => {
  setVariables(t, { TROUPE_TEST_SECRET: SECRET });
  const gateway = await gatewayWith(t, configured({}, { a: example }), ...talkative);
  const bad = {
    b: { command: 'x', sharing: SECRET, timeout: SECRET, env: { A: [SECRET] } },
    c: { url: `${SECRET}://h` },
    d: { url: 'http://${TROUPE_TEST_SECRET}@h', headers: { 'a b': SECRET } },
  };
  const files = [
    JSON.stringify(configured({ port: SECRET }, bad)),
    `{"mcpServers": "${SECRET}"`,
    JSON.stringify(configured({}, { a: { ...example, ...hidden } })),
  ];
  const read = () => records(gateway).filter(({ msg }) => /^configuration (not )?changed$/.test(msg)).length;
  for (const [round, text] of files.entries()) {
    writeFileSync(gateway.configFile, text);
    gateway.child.kill('SIGHUP');
    await until('it is read', () => read() > round);
  }
  await assertKept(gateway, ['a']);
});
