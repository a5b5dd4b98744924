// Why a server fails: one line in the log for each failure, its last words for operators, and what cannot work is said
// at the start.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { connect } from './lib/client.mjs';
import { test } from './lib/concurrently.mjs';
import { gatewayWith, reload } from './lib/config.mjs';
import { exampleServer } from './lib/gateway.mjs';
import { adminOf, ANY_PORT, CLOSED_PORT, logged } from './lib/operator.mjs';
import { scratch } from './lib/scratch.mjs';
import { initializeRequest, openSession, post } from './lib/session.mjs';
import { operate } from './lib/terminal.mjs';
import { until } from './lib/until.mjs';

const LIMIT = 30_000;
const SECRET = 'sk-0123456789abcdef';
const shell = (script, more = {}) => ({ command: 'sh', args: ['-c', script], ...more });
// A server that misses its key, and shows the wrong one.
const keyless = shell(`echo "starting" >&2; echo "bad key $API_KEY" >&2; exit 3`, { env: { API_KEY: SECRET } });
const [command, ...args] = exampleServer;

const failuresOf = (gateway, server) => logged(gateway, 'server failed').filter((line) => line.server === server);
const untilFailed = (gateway, server, times) =>
  until(`${server} has failed ${times} times`, () => {
    const lines = failuresOf(gateway, server);
    return lines.length >= times && lines;
  });

test('a failure is one line with its cause, the count, the last words and the next try', async (t) => {
  const gateway = await gatewayWith(t, { mcpServers: { keyless, other: { command, args } } });
  await openSession(gateway.url);
  const lines = await untilFailed(gateway, 'keyless', 5);
  assert.deepEqual(lines.map(({ failures }) => failures), ['1', '2', '3', '4', '5']);
  assert.deepEqual(lines.map(({ level }) => level), ['warning', 'warning', 'warning', 'warning', 'error']);
  for (const line of lines) {
    assert.equal(line.why, 'the MCP server exited with status 3');
    assert.equal(line.stderr, 'bad key ***');
    assert.match(line.after, /^\d+(\.\d+)? s$/);
    assert.match(line.session, /…$/);
  }
  assert.equal(lines[0].next_try, 'now');
  const pauses = lines.slice(1).map((line) => Number.parseFloat(line.next_try_in));
  assert.ok(pauses[2] > 1.5 * pauses[1] * 0.8 && pauses[3] === 60, String(pauses));
  for (const { time, next_try_in, next_try_at } of lines.slice(1)) {
    const wait = Date.parse(next_try_at) - Date.parse(time) - 1000 * Number.parseFloat(next_try_in);
    assert.ok(Math.abs(wait) < 1_500, `${next_try_at} is ${wait} ms off`);
  }
  const about = gateway.log.filter((line) => line.includes('"keyless"') && !line.includes('server stderr'));
  const beside = about.filter((line) => !/server failed|not started for new sessions|listening|run as root|merged list lacks/.test(line));
  assert.deepEqual(beside, [], 'no other line tells of it');
  assert.ok(!gateway.log.join().includes(SECRET), 'no secret is in the log');
});

test('a server for one session alone that fails is one line, too', async (t) => {
  const gateway = await gatewayWith(t, { mcpServers: { keyless, missing: { command: 'no-such-program' } } });
  for (const server of ['keyless', 'missing'])
    await (await post(`${new URL(gateway.url).origin}/servers/${server}/mcp`, initializeRequest())).all();
  const [[ended], [missing]] = [await untilFailed(gateway, 'keyless', 1), await untilFailed(gateway, 'missing', 1)];
  assert.deepEqual([ended.why, ended.stderr], ['the MCP server exited with status 3', 'bad key ***']);
  assert.equal(ended.next_try, 'when a client needs it');
  assert.equal(missing.why, 'its program "no-such-program" cannot be started: it is not found in PATH');
  assert.ok(!('after' in missing) && !('stderr' in missing), 'it has never run');
  assert.ok(!gateway.log.some((line) => line.includes('lost')), 'what has never run was not lost');
});

test('the start says which servers cannot work, and so does a new configuration', async (t) => {
  const mcpServers = {
    good: { command, args },
    missing: { command: 'no-such-program' },
    nowhere: { command: 'sh', cwd: '/no/such/folder' },
    unknown: { url: 'http://no-such-host.invalid/mcp' },
  };
  const gateway = await gatewayWith(t, { mcpServers });
  const found = await until('all are told', () => {
    const lines = logged(gateway, 'server cannot work');
    return lines.length >= 3 && new Map(lines.map(({ server, why }) => [server, why]));
  });
  assert.match(found.get('missing'), /it is not found in PATH$/);
  assert.match(found.get('nowhere'), /cwd: No such file or directory$/);
  assert.match(found.get('unknown'), /^cannot resolve no-such-host\.invalid: /);
  assert.equal(found.size, 3, 'the good one is not among them');
  assert.equal((await fetch(new URL('/readyz', gateway.url))).status, 200, 'that is not fatal');
  await reload(gateway, { mcpServers: { good: mcpServers.good, later: { command: 'no-other-program' } } });
  await until('the new one is told', () => logged(gateway, 'server cannot work').some(({ server }) => server === 'later'));
});

test('operators see the last failures and the last lines of a server, and what its processes use', async (t) => {
  const gateway = await gatewayWith(t, { mcpServers: { keyless, good: { command, args } } }, ...ANY_PORT);
  const admin = adminOf(gateway);
  await openSession(gateway.url);
  await untilFailed(gateway, 'keyless', 4);
  const server = await admin.api('servers/keyless');
  assert.ok(server.failures >= 4);
  assert.equal(server.last_failures.length, 3);
  for (const { at, why, pid, lines } of server.last_failures) {
    assert.match(at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    assert.equal(why, 'the MCP server exited with status 3');
    assert.ok(pid > 0);
    assert.deepEqual(lines, ['starting', 'bad key ***']);
  }
  assert.ok(server.stderr.length >= 8);
  assert.deepEqual([server.stderr[0].line, server.stderr[1].line], ['starting', 'bad key ***']);
  const { processes: [process_], failures } = await admin.api('servers/good');
  assert.equal(failures, 0);
  assert.ok(process_.rss_bytes > 100_000 && process_.cpu_ms >= 0 && process_.processes >= 1, JSON.stringify(process_));
  assert.deepEqual([process_.users, /…$/.test(process_.session)], [1, true]);
  const { out } = await operate(['server', 'keyless', '--admin', admin.url]);
  assert.match(out, /^failures: \d+$/m);
  assert.match(out, /Z failed after .*: the MCP server exited with status 3\n {2}starting\n {2}bad key \*\*\*\n/);
  const shown = await operate(['server', 'good', '--admin', admin.url]);
  assert.match(shown.out, /^ *PID +AGE +RSS +CPU +PROCESSES +USERS +SESSION\n *\d+ /m);
  const none = await operate(['server', 'none', '--admin', admin.url]);
  assert.deepEqual([none.code, /no server of this name/.test(none.err)], [1, true], none.err);
});

test('the readiness page for operators tells the failures of all servers, with a token only', async (t) => {
  const mcpServers = { keyless: { ...keyless, essential: true, sharing: 'shared' }, good: { command, args } };
  const gateway = await gatewayWith(t, { mcpServers }, ...CLOSED_PORT);
  await untilFailed(gateway, 'keyless', 2);
  const [{ token_file: file }] = logged(gateway, 'listening for operators');
  const admin = adminOf(gateway, { authorization: `Bearer ${readFileSync(file, 'utf8').trim()}` });
  const short = await until('it is not ready', async () => {
    const answer = await admin.ask('/readyz');
    return answer.status === 503 && JSON.parse(answer.body);
  });
  assert.deepEqual([short.status, short.reasons[0].name, 'servers' in short], ['unready', 'keyless', false]);
  const verbose = JSON.parse((await admin.ask('/readyz?verbose')).body);
  assert.deepEqual(verbose.servers.map(({ name }) => name), ['keyless', 'good']);
  assert.deepEqual(verbose.servers[0].last_failures.at(-1).lines, ['starting', 'bad key ***']);
  assert.equal(await adminOf(gateway).status('/readyz?verbose'), 401);
  const others = await (await fetch(new URL('/readyz?verbose', gateway.url))).text();
  assert.ok(!others.includes('starting'), 'clients do not see it');
});

test('a merged list that lacks a server says so once, and has its tools when it is back', async (t) => {
  const there = join(scratch(), 'there');
  const late = shell(`[ -e '${there}' ] || { echo "no file" >&2; exit 3; }; exec "$0" "$@"`, {
    restart: { firstDelay: '100ms', longestDelay: '200ms', attempts: 1000 },
  });
  late.args.push(...exampleServer);
  const gateway = await gatewayWith(t, { mcpServers: { late, good: { command, args } } }, ...ANY_PORT);
  const clients = [await connect(t, gateway.url), await connect(t, gateway.url)].map(({ client }) => client);
  const changed = clients.map(
    (client) => new Promise((done) => client.setNotificationHandler(ToolListChangedNotificationSchema, () => done())),
  );
  const problems = async () => (await adminOf(gateway).api('state')).problems;
  const lack = 'merged lists lack all of `late`, which does not run: the MCP server exited with status 3';
  for (const client of clients) {
    const { tools } = await client.listTools();
    assert.ok(tools.length > 0 && tools.every(({ name }) => name.startsWith('good__')));
  }
  const told = () => logged(gateway, "a merged list lacks a server's part");
  await until('it is told', () => told().length > 0);
  assert.ok(told()[0].why.startsWith(lack), told()[0].why);
  await until('it is a problem', async () => (await problems()).some((one) => one.startsWith(lack)));
  writeFileSync(there, '');
  await Promise.all(changed);
  await until('all tools are listed', async () => {
    const lists = await Promise.all(clients.map((client) => client.listTools()));
    return lists.every(({ tools }) => tools.some(({ name }) => name.startsWith('late__')));
  }, LIMIT);
  assert.equal(told().length, 1, 'once for all sessions');
  await until('the problem is gone', async () => (await problems()).length === 0);
  await until('its return is told', () => logged(gateway, 'server is ready').some(({ server }) => server === 'late'));
});
