// Command lines of other bridges work with `troupe` as the program name.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { everything, exampleServer, PROGRAM, serve, serveBy } from './lib/gateway.mjs';
import { operate } from './lib/terminal.mjs';

const quoted = (words) => words.map((word) => `'${word}'`).join(' ');

// Runs the program with these arguments, plus JSON logs to find its URL.
async function typed(t, ...words) {
  const dashes = words.indexOf('--');
  const cut = dashes < 0 ? words.length : dashes;
  const gateway = await serveBy([PROGRAM, ...words.slice(0, cut), '--log-format', 'json', ...words.slice(cut)]);
  t.after(() => gateway.stop());
  return gateway;
}

async function connect(t, transport) {
  const client = new Client({ name: 'system-test', version: '1' });
  await client.connect(transport);
  t.after(() => client.close());
  return client;
}

const byHttp = (t, gateway, path) => connect(t, new StreamableHTTPClientTransport(new URL(gateway.at(path))));
const toolsOf = async (client) => (await client.listTools()).tools.map(({ name }) => name);
const variablesOf = async (client) => {
  const { content } = await client.callTool({ name: 'get-env', arguments: {} });
  return JSON.parse(content[0].text);
};

test('a line of supergateway serves at its paths, over both transports', async (t) => {
  const gateway = await typed(
    t,
    ...['--stdio', quoted(exampleServer), '--port', '0', '--outputTransport', 'sse', '--stateful'],
    ...['--ssePath', '/events', '--messagePath', '/post', '--streamableHttpPath', '/tools', '--healthEndpoint', '/up'],
    ...['--cors', '--sessionTimeout', '60000', '--logLevel', 'info'],
  );
  const transport = new SSEClientTransport(new URL(gateway.at('/events')));
  const client = await connect(t, transport);
  assert.equal(transport._endpoint.pathname, '/post');
  const names = await toolsOf(client);
  assert.ok(names.includes('echo'), names.join());
  for (const path of ['/tools', '/mcp']) assert.deepEqual(await toolsOf(await byHttp(t, gateway, path)), names, path);
  const probe = await fetch(gateway.at('/up'));
  assert.equal(probe.status, 200);
  await probe.text();
  const asked = await fetch(gateway.at('/tools'), {
    method: 'OPTIONS',
    headers: { origin: 'https://page.example', 'access-control-request-method': 'POST' },
  });
  assert.equal(asked.headers.get('access-control-allow-origin'), 'https://page.example');
});

test('a line of mcp-proxy of npm serves at its path', async (t) => {
  const gateway = await typed(t, '--port', '0', '--server', 'stream', '--streamEndpoint', '/stream', '--', ...exampleServer);
  assert.ok((await toolsOf(await byHttp(t, gateway, '/stream'))).includes('echo'));
});

test('a line of mcp-proxy of PyPI serves each named server at its path', async (t) => {
  const named = ['a', 'b'].flatMap((name) => ['--named-server', name, quoted(exampleServer)]);
  const gateway = await typed(t, '--port=0', ...named);
  for (const name of ['a', 'b'])
    assert.ok((await toolsOf(await byHttp(t, gateway, `/servers/${name}/mcp`))).includes('echo'), name);
  const all = await toolsOf(await byHttp(t, gateway, '/mcp'));
  assert.ok(all.includes('a__echo') && all.includes('b__echo'), all.join());
});

test('a server has the variables that it is given, and no others unless all are passed', async (t) => {
  process.env.TROUPE_TEST_PASSED = 'of the gateway';
  t.after(() => delete process.env.TROUPE_TEST_PASSED);
  const given = ['--port', '0', '-e', 'KEY', 'a value', '--env', 'OTHER=x'];
  const some = await typed(t, ...given, '--', ...everything);
  const few = await variablesOf(await byHttp(t, some, '/mcp'));
  assert.equal(few.KEY, 'a value');
  assert.equal(few.OTHER, 'x');
  assert.equal(few.TROUPE_TEST_PASSED, undefined);
  const passed = await typed(t, ...given, '--pass-environment', '--', ...everything);
  const all = await variablesOf(await byHttp(t, passed, '/mcp'));
  assert.equal(all.KEY, 'a value');
  assert.equal(all.TROUPE_TEST_PASSED, 'of the gateway');
});

test('a remote server is served to others when a transport over HTTP is asked for', async (t) => {
  const remote = await serve('--', ...exampleServer);
  t.after(() => remote.stop());
  const gateway = await typed(t, '--streamableHttp', remote.url, '--outputTransport', 'streamableHttp', '--port', '0');
  assert.ok((await toolsOf(await byHttp(t, gateway, '/mcp'))).includes('echo'));
});

test('what has no equal is refused in one line that says what to use, exit 2', async () => {
  for (const [words, advice] of [
    [['--stdio', 'x', '--baseUrl', 'https://x'], /^troupe: --baseUrl: leave it out/],
    [['--apiKey', 'hidden', '--', 'x'], /^troupe: --apiKey: make a key with `troupe key new NAME`/],
    [['--stdio', 'x', '--outputTransport', 'ws'], /^troupe: --outputTransport: WebSocket/],
  ]) {
    const { code, err, out } = await operate(words);
    assert.equal(code, 2, err);
    assert.match(err, advice);
    assert.equal(err.trim().split('\n').length, 1, err);
    assert.ok(!err.includes('hidden') && out === '');
  }
});

test('nothing is logged at level none, but why the program cannot start', async (t) => {
  const gateway = await serve('--', ...exampleServer);
  t.after(() => gateway.stop());
  const { code, err } = await operate(['--port', String(gateway.port), '--logLevel', 'none', '--', ...exampleServer]);
  assert.equal(code, 1);
  assert.match(err, new RegExp(`^troupe: cannot start: .*${gateway.port}.*\n$`));
});
