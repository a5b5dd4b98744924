// `troupe connect`: a remote server for clients that only speak stdio.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  CreateMessageRequestSchema, ElicitRequestSchema, ListRootsRequestSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { certificatesFor, missing } from './fixture/remote-certificates.mjs';
import { remoteFor, text } from './fixture/remote-script.mjs';
import { suite, test } from './lib/concurrently.mjs';
import { modernStdioClient, pipedTo, stdioClient } from './lib/connected.mjs';
import { exampleServer, fixture, runProgram, serve } from './lib/gateway.mjs';
import { assertPromptsWork } from './lib/reference-server.mjs';
import { accepted, ALL, said } from './lib/modern.mjs';
import { MODES } from './lib/modern-client.mjs';
import { freePort } from './lib/ports.mjs';
import { MIB } from './lib/state.mjs';
import { until } from './lib/until.mjs';
import { RemoteServer, startEverything, startFixture } from './lib/via.mjs';

const textOf = ({ content }) => content[0].text;
const echo = (client, message = 'hello') => client.callTool({ name: 'echo', arguments: { message } });
const stopped = async (t, starting) => {
  const server = await starting;
  t.after(() => server.stop());
  return server;
};
// Starts it for the first test that uses it. It ends with the file.
const shared = (start) => {
  let started;
  return async () => (await (started ??= start())).url;
};
const modernServer = async (...args) => {
  const port = await freePort();
  return new RemoteServer(fixture('modern-http', String(port), ...args), port, '/mcp').listening();
};
const SERVERS = {
  'a server with sessions': shared(() => startEverything('streamableHttp')),
  'a server of HTTP+SSE': shared(() => startEverything('sse')),
  'a modern server': shared(() => modernServer()),
  'a server of both eras': shared(() => modernServer('legacy')),
};
const fixtureUrl = shared(() => startFixture());

const answering = (client) => {
  client.setRequestHandler(ElicitRequestSchema, () => accepted({ username: 'ada' }));
  client.setRequestHandler(CreateMessageRequestSchema, () => said('Aha'));
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: 'file:///home', name: 'home' }] }));
};

// -- clients ------------------------------------------------------------------------------------------------------------

suite('a client on stdio', { concurrency: 4 }, () => {
  for (const [name, transport] of [['a server with sessions', 'http'], ['a server of HTTP+SSE', 'sse']])
    for (const flags of [[], ['--transport', transport]])
      test(['uses', name, ...flags].join(' '), async (t) => {
        const { client } = await stdioClient(t, await SERVERS[name](), { flags });
        assert.match(textOf(await echo(client)), /hello/);
        await assertPromptsWork(client);
      });

  test('uses a server behind a gateway, and sees the progress of its calls', async (t) => {
    const gateway = await stopped(t, serve('--', ...exampleServer));
    const piped = pipedTo(t, gateway.at('/mcp'));
    await piped.initialize();
    const params = { name: 'slow', arguments: { steps: 3, delay_ms: 10 }, _meta: { progressToken: 'p' } };
    await piped.ask(1, 'tools/call', params);
    const told = piped.messages.slice(1).map(({ id, params }) => id ?? [params.progressToken, params.progress]);
    assert.deepEqual(told, [['p', 1], ['p', 2], ['p', 3], 1]);
  });

  test('is asked what the server asks', async (t) => {
    const { client } = await stdioClient(t, await fixtureUrl(), { can: ALL, prepare: answering });
    const ask = async (name, args) => textOf(await client.callTool({ name, arguments: args }));
    assert.match(await ask('test_sampling', { prompt: 'hm' }), /Aha/);
    assert.match(await ask('test_elicitation', { message: 'who' }), /ada/);
  });

  test('cancels a call', async (t) => {
    const remote = await remoteFor(t);
    const { client } = await stdioClient(t, remote.url);
    const stop = new AbortController();
    const call = client.callTool({ name: 'never', arguments: {} }, undefined, { signal: stop.signal });
    await until('the call has come', () => remote.named('tools/call').length);
    stop.abort('enough');
    await assert.rejects(call, /enough/);
    const cancelled = await until('the cancellation has come', () => remote.named('notifications/cancelled')[0]);
    assert.equal(cancelled.message.params.requestId, remote.named('tools/call')[0].id);
  });

  test('passes messages of several megabytes', async (t) => {
    const remote = await remoteFor(t);
    const { client } = await stdioClient(t, remote.url);
    const long = 'ü'.repeat(4 * MIB);
    assert.equal(textOf(await echo(client, long)), long);
  });

  for (const [name, urlOf] of Object.entries(SERVERS))
    for (const mode of ['legacy', 'modern', 'auto'])
      test(`of the second SDK (${mode}) uses ${name}`, async (t) => {
        const { client } = await modernStdioClient(t, await urlOf(), { mode: MODES[mode] });
        assert.match(textOf(await echo(client)), /hello/);
        assert.ok((await client.listTools()).tools.some((tool) => tool.name === 'echo'));
      });

  test('of 2026-07-28 is asked what a server with sessions asks', async (t) => {
    const prepare = (made) => {
      made.setRequestHandler('elicitation/create', () => accepted({ username: 'ada' }));
      made.setRequestHandler('sampling/createMessage', () => said('Aha'));
    };
    const { client } = await modernStdioClient(t, await fixtureUrl(), { mode: MODES.modern, can: ALL, prepare });
    const ask = async (name, args) => textOf(await client.callTool({ name, arguments: args }));
    assert.match(await ask('test_sampling', { prompt: 'hm' }), /Aha/);
    assert.match(await ask('test_elicitation', { message: 'who' }), /ada/);
  });
});

// -- restarts -----------------------------------------------------------------------------------------------------------

suite('a server that is restarted', { concurrency: 4 }, () => {
  test('is initialized again as its client wanted, and told what it was told before', async (t) => {
    const remote = await remoteFor(t);
    const { client } = await stdioClient(t, remote.url, { can: { roots: {} } });
    let changed = 0;
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => void (changed += 1));
    await client.setLoggingLevel('error');
    await client.subscribeResource({ uri: 'note://a' });
    remote.sessions.clear();
    assert.equal(textOf(await echo(client)), 'hello');
    await until('it hears that the list may have changed', () => changed > 0);
    assert.equal(textOf(await echo(client)), 'hello');
    const [first, second] = remote.named('initialize').map(({ message }) => message.params);
    assert.deepEqual(second, first);
    assert.equal(first.clientInfo.name, 'only-stdio');
    await until('it is told the level again', () => remote.named('logging/setLevel').length === 2);
    await until('it is subscribed to again', () => remote.named('resources/subscribe').length === 2);
  });

  for (const [name, start] of [['Streamable HTTP', startFixture], ['HTTP+SSE', (port) => startEverything('sse', port)]])
    test(`is used again (${name})`, async (t) => {
      const port = await freePort();
      const first = await stopped(t, start(port));
      const { client, log } = await stdioClient(t, first.url);
      await client.listTools();
      await first.signal('SIGKILL');
      await assert.rejects(client.listTools(), /(MCP|remote) server/);
      await stopped(t, start(port));
      const tools = await until('it works again', () => client.listTools().catch(() => undefined));
      assert.ok(tools.tools.length > 0, log());
    });

  test('fails the calls that it had not answered', async (t) => {
    const remote = await remoteFor(t);
    const { client } = await stdioClient(t, remote.url);
    const lost = client.callTool({ name: 'never', arguments: {} });
    await until('the call has come', () => remote.named('tools/call').length);
    remote.sessions.clear();
    const refused = echo(client);
    await assert.rejects(lost, /(MCP|remote) server/);
    assert.equal(textOf(await refused), 'hello');
  });
});

// -- the process ----------------------------------------------------------------------------------------------------------

suite('troupe connect', { concurrency: 4 }, () => {
  test('sends header fields, with variables from its environment', async (t) => {
    const remote = await remoteFor(t);
    const flags = ['--header', 'Authorization: Bearer ${THE_TOKEN}', '--header', 'X-Team:blue'];
    const piped = pipedTo(t, remote.url, [...flags, '--log-level', 'debug'], { THE_TOKEN: 's3cret' });
    await piped.initialize();
    await piped.ask(1, 'tools/list');
    assert.equal(await piped.end(), 0);
    for (const { headers } of remote.exchanges) {
      assert.equal(headers.authorization, 'Bearer s3cret');
      assert.equal(headers['x-team'], 'blue');
    }
    assert.doesNotMatch(piped.log, /s3cret/);
  });

  test('ends its session when stdin closes, once all is answered', async (t) => {
    const remote = await remoteFor(t);
    let release;
    remote.on['tools/call'] = (exchange) => (release = () => exchange.result(text('late')));
    const piped = pipedTo(t, remote.url);
    await piped.initialize();
    piped.send({ id: 1, method: 'tools/call', params: { name: 'echo', arguments: {} } });
    await until('the call has come', () => release);
    piped.child.stdin.end();
    release();
    assert.equal(await piped.exited, 0);
    assert.equal((await piped.answer(1)).result.content[0].text, 'late');
    assert.equal(remote.named('DELETE').length, 1);
    assert.equal(remote.sessions.size, 0);
  });

  test('hears a last line that has no line break', async (t) => {
    const remote = await remoteFor(t);
    const piped = pipedTo(t, remote.url);
    await piped.initialize();
    piped.child.stdin.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }));
    assert.equal((await piped.answer(1)).result.tools.length, 2);
    assert.equal(await piped.exited, 0);
  });

  test('ends its session when its client hears nothing any more', async (t) => {
    const remote = await remoteFor(t);
    const piped = pipedTo(t, remote.url);
    await piped.initialize();
    piped.child.stdout.destroy();
    await once(piped.child.stdout, 'close');
    piped.send({ id: 1, method: 'tools/list' });
    assert.equal(await piped.exited, 0);
    assert.equal(remote.named('DELETE').length, 1);
    assert.equal(remote.sessions.size, 0);
  });

  for (const signal of ['SIGTERM', 'SIGINT'])
    test(`ends at ${signal}`, async (t) => {
      const remote = await remoteFor(t);
      const piped = pipedTo(t, remote.url);
      await piped.initialize();
      piped.child.kill(signal);
      assert.equal(await piped.exited, 0);
      assert.equal(remote.named('DELETE').length, 1);
    });

  test('ends in time though an answer is missing, and though its client does not read', async (t) => {
    const remote = await remoteFor(t);
    const piped = pipedTo(t, remote.url);
    await piped.initialize();
    piped.send({ id: 1, method: 'tools/call', params: { name: 'never', arguments: {} } });
    await until('the call has come', () => remote.named('tools/call').length);
    const deaf = pipedTo(t, remote.url);
    await deaf.initialize();
    deaf.child.stdout.pause();
    for (let id = 0; id < 5; ++id)
      deaf.send({ id, method: 'tools/call', params: { name: 'echo', arguments: { message: 'x'.repeat(MIB) } } });
    await until('the calls have come', () => remote.named('tools/call').length > 1);
    assert.deepEqual(await Promise.all([piped.end(), deaf.end()]), [0, 0]);
  });

  test('answers what is no message with an error', async (t) => {
    const remote = await remoteFor(t);
    const piped = pipedTo(t, remote.url);
    piped.write('no JSON');
    piped.write('{"jsonrpc":"2.0","id":5}');
    piped.write('');
    await until('both are answered', () => piped.messages.length === 2);
    const [parse, request] = piped.messages.map(({ id, error }) => [id, error.code]);
    assert.deepEqual(parse, [null, -32700]);
    assert.deepEqual(request, [null, -32600]);
    const { error } = await piped.ask(6, 'tools/list');
    assert.match(error.message, /initialize comes first/);
    await piped.initialize();
    assert.equal((await piped.ask(7, 'tools/list')).result.tools.length, 2);
  });

  test('says that the server is not there', async (t) => {
    const piped = pipedTo(t, `http://127.0.0.1:${await freePort()}/mcp`);
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
    const { error } = await piped.ask(1, 'initialize', params);
    assert.equal(error.code, -32603);
    assert.match(error.message, /127\.0\.0\.1/);
    await until('the log says so', () => /warning the remote server is not there/.test(piped.log));
    assert.equal(await piped.end(), 0);
  });

  test('refuses a command line that cannot be right', async () => {
    const refused = async (...args) => {
      const child = runProgram('connect', ...args);
      let said = '';
      child.stdout.resume();
      child.stderr.setEncoding('utf8').on('data', (text) => (said += text));
      const status = await new Promise((resolve) => child.once('close', resolve));
      assert.equal(status, 2, said);
      return said;
    };
    assert.match(await refused(), /URL is required|url is required/);
    assert.match(await refused('ftp://x/'), /http or https/);
    assert.match(await refused('http://x/', '--header', 'no colon'), /must be a name, a colon and a value/);
    assert.match(await refused('http://x/', '--header', 'Host: y'), /sets itself/);
    assert.match(await refused('http://x/', '--header', 'X: ${NOT_SET_AT_ALL}'), /NOT_SET_AT_ALL/);
    assert.match(await refused('http://x/', '--header', 'X: y', '--header', 'x: z'), /given twice/);
    assert.match(await refused('http://x/', '--transport', 'pigeon'), /auto, http, sse|auto\|http\|sse/);
  });

  test('trusts the certificates of --ca', { skip: missing }, async (t) => {
    const { caFile, tls } = certificatesFor(t, 'DNS:localhost');
    const remote = await remoteFor(t, { tls, host: 'localhost' });
    const { client } = await stdioClient(t, remote.url, { flags: ['--ca', caFile] });
    assert.equal(textOf(await echo(client)), 'hello');
    await assert.rejects(stdioClient(t, remote.url), /certificate/);
  });
});
