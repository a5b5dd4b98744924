// The operators' commands: their requests, their output, and their errors without a gateway. A fake gateway answers,
// because its answers have to be known. operator-gateway uses a real one.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from './lib/concurrently.mjs';
import { callOf, fakeGateway, nodeOf, pagesOf, sessionOf } from './lib/fake-gateway.mjs';
import { freePort } from './lib/ports.mjs';
import { scratch } from './lib/scratch.mjs';
import { onTerminal, operate } from './lib/terminal.mjs';
import { until } from './lib/until.mjs';

const TOKEN = '0123456789abcdef';
const METRICS = [
  'mcp_server_operation_duration_seconds_count{mcp_method_name="tools/call",error_type=""} 30',
  'mcp_server_operation_duration_seconds_count{mcp_method_name="tools/call",error_type="tool_error"} 10',
  'mcp_server_operation_duration_seconds_sum{mcp_method_name="tools/call",error_type=""} 10',
  '',
].join('\n');

async function succeeds(gateway, ...args) {
  const { code, out, err, lines } = await operate([...args, '--admin', gateway.at]);
  assert.deepEqual([code, err], [0, ''], out);
  return lines;
}

// Asserts one line on stderr, and nothing on stdout.
async function fails(status, args, env) {
  const { code, out, err } = await operate(args, env);
  assert.deepEqual([code, out], [status, ''], err);
  assert.match(err, /^troupe: .*\n$/);
  return err.slice('troupe: '.length, -1);
}

const many = (count) => Array.from({ length: count }, (_, i) => sessionOf(i + 1));

test('sessions are a table, and what is left out is counted', async (t) => {
  const gateway = await fakeGateway(t, { '/api/sessions': pagesOf(many(150)) });
  const lines = await succeeds(gateway, 'sessions');
  assert.match(lines[0], /^SESSION +ID +KIND +SERVER +CALLER +AGE +IDLE +CALLS/);
  assert.match(lines[1], /^ +1 +1a2b… +http +files +alice +1 min +5\.0 s +0 /);
  assert.equal(lines.length, 1 + 100 + 1);
  assert.equal(lines.at(-1), 'and 50 more: see them with --limit');
  assert.deepEqual(gateway.asked, ['GET /api/sessions?after=0&limit=100']);
});

test('sessions are asked for page after page until there are as many as are wanted', async (t) => {
  const gateway = await fakeGateway(t, { '/api/sessions': pagesOf(many(2500)) });
  const lines = await succeeds(gateway, 'sessions', '--limit', '2100');
  assert.equal(lines.length, 1 + 2100 + 1);
  assert.equal(lines.at(-1), 'and 400 more: see them with --limit');
  const pages = [[0, 1000], [1000, 1000], [2000, 100]];
  assert.deepEqual(gateway.asked, pages.map(([after, limit]) => `GET /api/sessions?after=${after}&limit=${limit}`));
  assert.equal((await succeeds(gateway, 'sessions', '--limit', '9000')).length, 1 + 2500);
});

test('all pages of sessions are one JSON text', async (t) => {
  const sessions = many(1200);
  const gateway = await fakeGateway(t, { '/api/sessions': pagesOf(sessions) });
  const [all] = await succeeds(gateway, 'sessions', '--json', '--limit', '5000');
  assert.deepEqual(JSON.parse(all), { sessions, total: 1200 });
  const [some] = await succeeds(gateway, 'sessions', '--json', '--limit', '2');
  assert.deepEqual(JSON.parse(some), { sessions: sessions.slice(0, 2), total: 1200, next: 2 });
});

test('pages that lead nowhere are not asked for again and again', async (t) => {
  const gateway = await fakeGateway(t, { '/api/sessions': { sessions: [sessionOf(5)], total: 9, next: 0 } });
  const lines = await succeeds(gateway, 'sessions');
  assert.deepEqual([lines.length, gateway.asked.length], [3, 1]);
});

test('sessions are chosen by server, caller, id and use', async (t) => {
  const gateway = await fakeGateway(t, { '/api/sessions': pagesOf([]) });
  const chosen = ['--server', 'my files', '--caller', 'a&b', '--id', '1a'];
  assert.deepEqual(await succeeds(gateway, 'sessions', ...chosen, '--idle', '--node', 'b'), ['no sessions']);
  await succeeds(gateway, 'sessions', '--busy');
  assert.deepEqual(gateway.asked, [
    'GET /api/sessions?after=0&limit=100&server=my%20files&caller=a%26b&id=1a&idle=true&node=b',
    'GET /api/sessions?after=0&limit=100&idle=false',
  ]);
});

test('one session is shown with its calls', async (t) => {
  const gateway = await fakeGateway(t, { '/api/sessions/7': sessionOf(7, { calls: [callOf(3)] }) });
  const lines = await succeeds(gateway, 'session', '7');
  assert.equal(lines[0], 'session: 7');
  assert.match(lines.at(-1), /^ +3 +1\.2 s +tools\/call +search +files$/);
});

test('servers and nodes are tables', async (t) => {
  const server = {
    name: 'files', kind: 'stdio', enabled: true, not_ready: '', states: { ready: 2, waiting: 1 }, restarts: 4, users: 3,
    failures: 9, why: 'exit status 1', processes: [{ pid: 4711, age_ms: 100, session: '' }],
  };
  const node = nodeOf({ nodes: [{ name: 'b', draining: false }, { name: 'c', draining: false }] });
  const others = { b: nodeOf({ node: 'b', draining: true }), c: { error: 'c does not answer', status: 503 } };
  const answer = (query) => others[query.get('node')] ?? node;
  const gateway = await fakeGateway(t, { '/api/servers': { servers: [server] }, '/api/node': answer });
  const [, files] = await succeeds(gateway, 'servers');
  assert.match(files, /^files +stdio +2 ready, 1 waiting +1 +4 +9 +3 +exit status 1$/);
  const [, ...nodes] = await succeeds(gateway, 'nodes');
  const states = nodes.map((line) => line.split(/ {2,}/).slice(0, 2).join(' '));
  assert.deepEqual(states, ['a serving', 'b draining', 'c no answer']);
});

test('what is to change is asked for once, and told', async (t) => {
  const gateway = await fakeGateway(t, {
    'DELETE /api/sessions/7': { ended: 7 },
    'DELETE /api/sessions/7/calls/3': { ended: 3 },
    'POST /api/servers/my%20files/restart': { server: 'my files', asked: 'restart' },
    'POST /api/servers/reload/disable': { server: 'reload', asked: 'disable' },
    'POST /api/servers/a/enable': { server: 'a', asked: 'enable' },
    'POST /api/reload': { reloaded: true },
    'POST /api/drain': ({ size }) => ({ draining: true, ...(size && { rate: '20/s' }) }),
    'DELETE /api/drain': { draining: false },
    '/api/log-level': { level: 'info' },
    'PUT /api/log-level': { level: 'debug' },
  });
  const told = [
    [['end', '7'], 'DELETE /api/sessions/7', 'session 7 is ended'],
    [['end', '7', '3', '--node', 'b'], 'DELETE /api/sessions/7/calls/3?node=b', 'call 3 of session 7 is ended'],
    [['restart', 'my files'], 'POST /api/servers/my%20files/restart', 'server my files: restart is under way'],
    [['disable', 'reload'], 'POST /api/servers/reload/disable', 'server reload: disable is under way'],
    [['enable', 'a'], 'POST /api/servers/a/enable', 'server a: enable is under way'],
    [['reload'], 'POST /api/reload', 'the configuration file is read again'],
    [['reload', '--json'], 'POST /api/reload', '{"reloaded":true}'],
    [['drain'], 'POST /api/drain', 'it drains: no new sessions, calls in flight may finish, then it ends'],
    [['drain', '--rate', '20', '--no-wait'], 'POST /api/drain?rate=20',
      'it drains: sessions leave at 20/s, and when all have, it ends'],
    [['drain', '--rate', '90/min', '--no-wait', '--json'], 'POST /api/drain?rate=90%2Fmin',
      '{"draining":true,"rate":"20/s"}'],
    [['undrain', '--node', 'b'], 'DELETE /api/drain?node=b',
      'it stays: sessions that have left do not come back, and new ones begin here again'],
    [['log-level'], 'GET /api/log-level', 'info'],
    [['log-level', 'debug'], 'PUT /api/log-level {"level":"debug"}', 'debug'],
  ];
  for (const [args, asked, line] of told) {
    assert.deepEqual(await succeeds(gateway, ...args), [line]);
    assert.deepEqual(gateway.asked.splice(0), [asked]);
  }
});

test('what the gateway refuses is told in its words', async (t) => {
  const busy = { error: 'the file is bad: line 3', status: 409 };
  const gateway = await fakeGateway(t, { 'POST /api/reload': busy });
  assert.equal(await fails(1, ['reload', '--admin', gateway.at]), 'the file is bad: line 3');
  assert.equal(await fails(1, ['session', '9', '--admin', gateway.at]), 'there is no /api/sessions/9');
});

test('a token is shown from a file or from the environment, and who has none is told where to name it', async (t) => {
  const file = join(scratch(), 'token');
  writeFileSync(file, `${TOKEN}\n`);
  const gateway = await fakeGateway(t, {
    '/api/log-level': () =>
      gateway.headers.authorization === `Bearer ${TOKEN}` ? { level: 'info' } : { error: 'no', status: 401 },
  });
  const args = ['log-level', '--admin', gateway.at];
  assert.match(await fails(1, args), /wants a token: name its file with --admin-token-file, or set TROUPE_ADMIN_TOKEN/);
  const other = { TROUPE_ADMIN_TOKEN: 'another' };
  assert.match(await fails(1, args, other), /does not take this token: .*--admin-token-file/);
  assert.equal((await operate([...args, '--admin-token-file', file])).out, 'info\n');
  assert.equal((await operate(args, { TROUPE_ADMIN_TOKEN: TOKEN })).out, 'info\n');
  for (const bad of ['', 'a b', 'a\r\nX-Other: b', 'x'.repeat(4097)]) {
    writeFileSync(file, bad);
    gateway.asked.splice(0);
    assert.match(await fails(1, [...args, '--admin-token-file', file]), /token has no token: /);
    assert.deepEqual(gateway.asked, [], 'it is not sent');
  }
});

test('where nobody listens, a line says so and what to do', async () => {
  const port = await freePort();
  for (const at of [`http://127.0.0.1:${port}`, `unix:${join(scratch(), 'none')}`])
    assert.equal(
      await fails(1, ['sessions', '--admin', at]),
      `no gateway listens for operators at ${at}: start it with --admin-listen, or give --admin`,
    );
  assert.match(await fails(1, ['sessions'], { TROUPE_ADMIN: `http://127.0.0.1:${port}/` }), /no gateway listens/);
});

test('what answers and is no gateway is not believed', async (t) => {
  const page = '<html>\x1b]0;hello\x07</html>';
  const missing = (_, outgoing) => void outgoing.writeHead(404).end(page);
  const gateway = await fakeGateway(t, { '/api/servers': page, '/api/node': missing });
  assert.match(await fails(1, ['servers', '--admin', gateway.at]), /is no JSON: give --admin if it is not the gateway/);
  assert.match(await fails(1, ['nodes', '--admin', gateway.at]), /answers with status 404: give --admin/);
});

// Terminal control sequences, and characters that reverse the text around them.
const EVIL = '\x1b]0;pwned\x07\x9b31m\r\nx\u202e\u2066';

function assertSafe(printed, what) {
  assert.doesNotMatch(printed, /[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]/, what);
  assert.match(printed, /\\u001b\]0;pwned.*\\u202e\\u2066/, what);
}

test('what clients choose says nothing to the terminal', async (t) => {
  const call = callOf(1, { name: EVIL, method: EVIL, session: 1, session_id: EVIL, caller: EVIL });
  const gateway = await fakeGateway(t, {
    '/api/sessions': pagesOf([sessionOf(1, { id: EVIL, caller: EVIL, transport: EVIL, streams: { [EVIL]: 1 } })]),
    '/api/sessions/1': sessionOf(1, { caller: EVIL, streams: { [EVIL]: 1 }, calls: [call] }),
    '/api/calls': { calls: [call], total: 1 },
    '/api/servers': { servers: [{ name: EVIL, kind: EVIL, why: EVIL, states: { [EVIL]: 1 } }] },
    '/api/node': nodeOf({ node: EVIL }),
    '/metrics': METRICS,
    'POST /api/reload': { error: EVIL, status: 409 },
  });
  for (const line of ['sessions', 'session 1', 'servers', 'nodes', 'top', 'reload', 'sessions --json', 'top --json']) {
    const { out, err } = await operate([...line.split(' '), '--admin', gateway.at]);
    assertSafe(out + err, line);
  }
});

// A stream of events that stays open until `end`.
function streamOf(events) {
  return (_, outgoing) => {
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
    outgoing.write(': hello\n\n');
    for (const [event, data] of events) outgoing.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
    return new Promise(() => {});
  };
}

const MESSAGE = {
  at_ms: 1_700_000_000_123, from: 'client', kind: 'request', id: '3', method: 'tools/call', name: 'search', bytes: 120,
};

test('a session is followed until it ends', async (t) => {
  const events = [['message', MESSAGE], ['lost', { messages: 5 }], ['end', {}]];
  const gateway = await fakeGateway(t, { '/api/sessions/7/follow': streamOf(events) });
  assert.deepEqual(await succeeds(gateway, 'follow', '7'), [
    '22:13:20.123 from client request tools/call search id 3, 120 bytes',
    '5 messages are missing here: they came too fast',
  ]);
  const lines = await succeeds(gateway, 'follow', '7', '--content', '--json');
  assert.deepEqual(lines.map((line) => JSON.parse(line)), [MESSAGE, { messages: 5 }]);
  assert.deepEqual(gateway.asked, ['GET /api/sessions/7/follow', 'GET /api/sessions/7/follow?content=true']);
});

test('what messages say says nothing to the terminal', async (t) => {
  const events = [['message', { ...MESSAGE, message: { [EVIL]: EVIL } }], ['end', {}]];
  const gateway = await fakeGateway(t, { '/api/sessions/7/follow': streamOf(events) });
  for (const flags of [[], ['--json']]) {
    const [line] = await succeeds(gateway, 'follow', '7', '--content', ...flags);
    assertSafe(line, flags.join(' '));
    const shown = JSON.parse(line.slice(line.indexOf('{')));
    assert.deepEqual(shown.message ?? shown, { [EVIL]: EVIL });
  }
});

test('a gateway that goes is not taken for the end of the session', async (t) => {
  const cut = (_, outgoing) => void outgoing.writeHead(200, { 'content-type': 'text/event-stream' }).end();
  const gateway = await fakeGateway(t, {
    '/api/sessions/7/follow': cut,
    '/api/sessions/8/follow': { error: 'content is not shown: see gateway.admin.content', status: 403 },
  });
  assert.match(await fails(1, ['follow', '7', '--admin', gateway.at]), /session 7 had not ended before$/);
  assert.match(await fails(1, ['follow', '8', '--content', '--admin', gateway.at]), /gateway\.admin\.content$/);
});

const topAnswers = (more = {}) => ({
  '/api/node': nodeOf(),
  '/api/calls': { calls: [callOf(3, { session: 7, session_id: '7a2b…', caller: 'alice' })], total: 12 },
  '/metrics': METRICS,
  ...more,
});

test('without a terminal, top prints the calls once, and rates since the start', async (t) => {
  const gateway = await fakeGateway(t, topAnswers());
  const lines = await succeeds(gateway, 'top');
  assert.deepEqual(lines.slice(0, 3), [
    'node a, up 10 s, sessions 3 and leases 1 of 10000, calls 12',
    '4.0 requests/s, 1.0 errors/s, mean 250 ms since the start',
    '',
  ]);
  assert.match(lines[4], /^ +7 +3 +1\.2 s +tools\/call +search +files +alice +7a2b…$/);
  assert.equal(lines[5], 'and 11 more');
  assert.deepEqual(gateway.asked, ['GET /api/node', 'GET /api/calls?limit=1000', 'GET /metrics']);
  const [json] = await succeeds(gateway, 'top', '--json');
  assert.equal(JSON.parse(json).total, 12);
});

test('two readings give the rates of now', async (t) => {
  const counts = [30, 90].map((count) => METRICS.replace('} 30', `} ${count}`));
  const gateway = await fakeGateway(t, topAnswers({ '/metrics': () => counts.shift() }));
  const lines = await succeeds(gateway, 'top', '--once', '--interval', '100ms');
  assert.match(lines[1], /^[\d.]+ requests\/s, 0 errors\/s now$/);
  assert.ok(parseFloat(lines[1]) > 0, lines[1]);
});

test('another node\'s calls are shown without rates, as metrics are those of the node that is asked', async (t) => {
  const gateway = await fakeGateway(t, topAnswers());
  assert.doesNotMatch((await succeeds(gateway, 'top', '--node', 'b')).join('\n'), /requests\/s/);
  assert.deepEqual(gateway.asked, ['GET /api/node?node=b', 'GET /api/calls?limit=1000&node=b']);
});

for (const [name, key] of [['q', 'q'], ['Ctrl-C', '\x03']])
  test(`on a terminal, top draws again and again until ${name}, and leaves the terminal as it was`, async (t) => {
    let calls = 0;
    const gateway = await fakeGateway(t, topAnswers({ '/api/calls': () => ({ calls: [], total: ++calls }) }));
    const screen = onTerminal(t, 'top', '--interval', '100ms', '--admin', gateway.at);
    await until('it has drawn thrice', () => /, calls 3/.test(screen.drawn));
    assert.ok(screen.drawn.startsWith('\x1b[H'), JSON.stringify(screen.drawn.slice(0, 20)));
    screen.press(key);
    await screen.ended;
    assert.match(screen.drawn, /status=0/);
    assert.match(screen.drawn, /[^-]icanon[^]*[^-]echo\b/);
  });

test('top outlives a gateway that is started again', async (t) => {
  let fails = false;
  const node = () => (fails ? { error: 'stopping', status: 503 } : nodeOf());
  const gateway = await fakeGateway(t, topAnswers({ '/api/node': node }));
  const screen = onTerminal(t, 'top', '--interval', '100ms', '--admin', gateway.at);
  const drawn = (what) => until(`it shows ${what}`, () => screen.drawn.includes(what));
  await drawn('calls 12');
  fails = true;
  await drawn('stopping');
  fails = false;
  screen.drawn = '';
  await drawn('calls 12');
  screen.press('q');
  await screen.ended;
});

test('on a terminal, lines are not wider than it', async (t) => {
  const wide = sessionOf(1, { caller: 'c'.repeat(70), server: 's'.repeat(70) });
  const gateway = await fakeGateway(t, { '/api/sessions': pagesOf([wide]) });
  const screen = onTerminal(t, 'sessions', '--admin', gateway.at);
  await screen.ended;
  const [titles, row] = screen.drawn.split('\r\n');
  assert.ok(titles.startsWith('SESSION') && titles.length <= 80, titles);
  assert.ok(row.length <= 80 && row.includes('c…') && row.includes('s…'), row);
});

const LEVEL = { '/api/log-level': { level: 'error' } };

test('a gateway at a unix socket is asked as well', async (t) => {
  const path = join(scratch(), 'admin.sock');
  const gateway = await fakeGateway(t, LEVEL, path);
  assert.deepEqual(await succeeds(gateway, 'log-level'), ['error']);
  assert.equal(gateway.headers.host, 'localhost');
  assert.equal((await operate(['log-level'], { TROUPE_ADMIN: gateway.at })).out, 'error\n');
});

test('the flag says which gateway is asked, else the variable, which other commands do not look at', async (t) => {
  const [flagged, other] = [await fakeGateway(t, LEVEL), await fakeGateway(t, LEVEL)];
  for (const elsewhere of [other.at, 'nowhere'])
    assert.equal((await operate(['log-level', '--admin', flagged.at], { TROUPE_ADMIN: elsewhere })).out, 'error\n');
  assert.deepEqual([flagged.asked.length, other.asked.length], [2, 0]);
  assert.equal((await operate(['log-level'], { TROUPE_ADMIN: other.at })).out, 'error\n');
  assert.deepEqual([flagged.asked.length, other.asked.length], [2, 1]);
  const file = join(scratch(), 'mcp.json');
  writeFileSync(file, '{"mcpServers": {"a": {"command": "true"}}}');
  for (const args of [['check', file], ['serve', '--help'], ['log-level', '--help'], ['--version']]) {
    const plain = await operate(args);
    assert.equal(plain.code, 0, plain.err);
    assert.deepEqual(await operate(args, { TROUPE_ADMIN: 'nowhere' }), plain);
  }
});

test('wrong usage is one line that names what is wrong, exit 2', async () => {
  const wrong = [
    [['session'], 'session'], [['session', 'x'], "'x'"], [['end', '0'], "'0'"], [['end', '1', '-2'], '-2'],
    [['restart'], 'server'], [['log-level', 'loud'], 'loud'], [['sessions', '--limit', '0'], '--limit'],
    [['sessions', '--idle', '--busy'], '--idle'], [['top', '--interval', '5y'], '--interval'],
    [['top', '--interval', '99ms'], '--interval'], [['nodes', '--admin', 'https://a:1'], '--admin'],
    [['nodes', '--admin-token-file', '/no/such/file'], '--admin-token-file'],
    [['drain', '--rate', '0'], "'0' is no rate"], [['drain', '--rate=-1'], "'-1' is no rate"],
    [['drain', '--rate', 'abc'], "'abc' is no rate"], [['drain', '--no-wait'], '--rate'],
    [['drain', 'now'], "'now', see troupe drain --help"], [['reload', '--now'], '--now, see troupe reload --help'],
  ];
  for (const [args, named] of wrong) assert.ok((await fails(2, args)).includes(named), args.join(' '));
  assert.match(await fails(2, ['nodes'], { TROUPE_ADMIN: 'nowhere' }), /TROUPE_ADMIN: 'nowhere' is not/);
});

const COMMANDS = [
  'sessions', 'session', 'servers', 'nodes', 'top', 'follow', 'end', 'restart', 'enable', 'disable', 'reload', 'drain',
  'undrain', 'log-level',
];

test('help has the commands in a group of their own, and none of them is taken for a server', async () => {
  const { out } = await operate(['--help']);
  const group = out.slice(out.indexOf('For operators:'));
  for (const name of COMMANDS) assert.match(group, new RegExp(`^ +${name} `, 'm'));
  assert.match(await fails(2, ['serve', 'sessions']), /the server's command goes behind --/);
});

test('a page tells of each command and flag', async () => {
  const page = readFileSync(new URL('../../deploy/doc/operators.md', import.meta.url), 'utf8');
  const section = page.split('## From a terminal')[1].split('\n## ')[0];
  for (const name of COMMANDS) {
    assert.ok(section.includes(`\`troupe ${name}`), name);
    const { out } = await operate([name, '--help']);
    for (const [, flag] of out.matchAll(/^ +(--[a-z-]+)/gm)) assert.ok(section.includes(flag), `${flag} of ${name}`);
  }
});
