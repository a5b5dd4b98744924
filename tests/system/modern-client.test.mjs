// The official 2026-07-28 client with session-based servers.
import assert from 'node:assert/strict';
import http from 'node:http';
import { after, before } from 'node:test';
import { LOG_LEVEL_META_KEY } from '@modelcontextprotocol/client';
import { suite, test } from './lib/concurrently.mjs';
import { connect } from './lib/client.mjs';
import { assertPromptsWork } from './lib/reference-server.mjs';
import { everything, fixture, gatewayFor, startGateway } from './lib/gateway.mjs';
import { request } from './lib/http.mjs';
import { accepted, Caller, fieldsOf, modernRequest, ofTheGateway, said, startModern } from './lib/modern.mjs';
import { connectModern, MODES } from './lib/modern-client.mjs';
import { assertSteps } from './lib/progress.mjs';
import { initializeRequest, openSession, POST_HEADERS } from './lib/session.mjs';
import { until } from './lib/until.mjs';

const ROOT = { uri: 'file:///stage', name: 'Stage' };
const textOf = ({ content }) => content.map(({ text }) => text).join('\n');
const call = (client, name, args = {}, options = undefined) => client.callTool({ name, arguments: args }, options);

function record(client, method) {
  const seen = [];
  client.setNotificationHandler(method, ({ params }) => {
    seen.push(params);
  });
  return seen;
}

// Sets a client's answer to a server request.
const asked = (method, answer) => (client) => client.setRequestHandler(method, ({ params }) => answer(params));

suite('the official client of 2026-07-28 and the reference server', { concurrency: 4 }, () => {
  let gateway;
  before(async () => (gateway = await startGateway(everything)));
  after(() => gateway.stop());

  test('agree without a session', async (t) => {
    const { client, transport, exchanges } = await connectModern(t, gateway.url);
    assert.equal(client.getServerVersion().name, 'mcp-servers/everything');
    assert.ok(client.getServerCapabilities().resources.subscribe);
    assert.equal(client.getServerCapabilities().tasks, undefined);
    assert.ok(client.getInstructions().length > 0);
    assert.equal(transport.sessionId, undefined);
    assert.deepEqual(exchanges.map(({ method }) => method), ['server/discover']);
  });

  test('list tools and call them', async (t) => {
    const { client } = await connectModern(t, gateway.url);
    const { tools } = await client.listTools();
    assert.ok(tools.some(({ name }) => name === 'get-sum'));
    assert.ok(tools.every(({ execution }) => execution === undefined));
    assert.match(textOf(await call(client, 'get-sum', { a: 2, b: 40 })), /42/);
    const weather = await call(client, 'get-structured-content', { location: 'Chicago' });
    assert.equal(weather.structuredContent.humidity, 82);
    const { content } = await call(client, 'get-tiny-image');
    assert.ok(content.some(({ type, mimeType }) => type === 'image' && mimeType === 'image/png'));
  });

  test('get a megabyte of Unicode through and back unchanged', async (t) => {
    const { client } = await connectModern(t, gateway.url);
    const message = 'grüße 🎭 \u2028 "quoted" \\ '.repeat(40_000);
    assert.equal(textOf(await call(client, 'echo', { message })), `Echo: ${message}`);
  });

  test('pass progress in order and before the answer', async (t) => {
    const { client } = await connectModern(t, gateway.url);
    const progress = [];
    const options = { onprogress: (params) => progress.push(params) };
    await call(client, 'trigger-long-running-operation', { duration: 5, steps: 5 }, options);
    assertSteps(progress.map(({ progress: step }) => step), 5);
    assert.ok(progress.every(({ total }) => total === 5));
  });

  test('wait for tools that only work as tasks', async (t) => {
    const { client } = await connectModern(t, gateway.url);
    assert.match(textOf(await call(client, 'simulate-research-query', { topic: 'ghosts' })), /Research Report: ghosts/);
  });

  test('have only the tools that ask what this client can be asked', async (t) => {
    const namesFor = async (can) => {
      const { client } = await connectModern(t, gateway.url, { can });
      return (await client.listTools()).tools.map(({ name }) => name);
    };
    const [none, sampling, roots] = await Promise.all([{}, { sampling: {} }, { roots: {} }].map(namesFor));
    const tools = ['trigger-sampling-request', 'get-roots-list'];
    const have = (names) => tools.map((tool) => names.includes(tool));
    assert.deepEqual([none, sampling, roots].map(have), [[false, false], [true, false], [false, true]]);
  });

  test('list, read and watch resources', async (t) => {
    const { client } = await connectModern(t, gateway.url);
    const updates = record(client, 'notifications/resources/updated');
    const [{ uri }] = (await client.listResources()).resources;
    assert.ok((await client.readResource({ uri })).contents[0].text.length > 0);
    const { resourceTemplates } = await client.listResourceTemplates();
    assert.ok(resourceTemplates.some(({ uriTemplate }) => uriTemplate.endsWith('{resourceId}')));
    const dynamic = await client.readResource({ uri: 'demo://resource/dynamic/text/3' });
    assert.match(dynamic.contents[0].text, /Resource 3/);
    const listening = await client.listen({ resourceSubscriptions: [uri] });
    assert.deepEqual(listening.honoredFilter, { resourceSubscriptions: [uri] });
    await call(client, 'toggle-subscriber-updates');
    await until('the resource is reported as updated', () => updates.some((params) => params.uri === uri));
    await listening.close();
  });

  test('list prompts, fill them in and complete their arguments', async (t) => {
    const { client } = await connectModern(t, gateway.url);
    await assertPromptsWork(client);
  });

  test('say that the list of resources changed', async (t) => {
    const { client } = await connectModern(t, gateway.url);
    const changes = record(client, 'notifications/resources/list_changed');
    await client.listen({ resourcesListChanged: true });
    await call(client, 'gzip-file-as-resource', { name: 'modern.gz', data: 'data:text/plain,hello' });
    await until('the change is reported', () => changes.length > 0);
    const { resources } = await client.listResources();
    assert.ok(resources.some(({ name }) => name === 'modern.gz'), 'all calls of a caller meet the same server');
  });
});

// In sequence, because the call of a server request is ambiguous when one caller has two.
suite('the official client of 2026-07-28 lets the reference server', () => {
  let gateway;
  before(async () => (gateway = await startGateway(everything)));
  after(() => gateway.stop());

  test('ask the user from within a call', async (t) => {
    const prepare = asked('elicitation/create', ({ requestedSchema }) => {
      assert.ok(requestedSchema.properties.name);
      return accepted({ name: 'Ada', integer: 7 });
    });
    const { client, exchanges } = await connectModern(t, gateway.url, { can: { elicitation: {} }, prepare });
    const answer = textOf(await call(client, 'trigger-elicitation-request'));
    assert.match(answer, /Name: Ada/);
    assert.match(answer, /Favorite Integer: 7/);
    const calls = exchanges.filter(({ method }) => method === 'tools/call');
    assert.equal(calls.length, 2);
    assert.notEqual(calls[0].id, calls[1].id);
  });

  test('hear that the user would not say', async (t) => {
    for (const [action, told] of [['decline', /declined/], ['cancel', /cancelled/]]) {
      const prepare = asked('elicitation/create', () => ({ action }));
      const { client } = await connectModern(t, gateway.url, { can: { elicitation: {} }, prepare });
      assert.match(textOf(await call(client, 'trigger-elicitation-request')), told);
    }
  });

  test('send the user to a page from within a call', async (t) => {
    const pages = [];
    const prepare = asked('elicitation/create', (params) => {
      pages.push(params);
      return { action: 'accept' };
    });
    const { client } = await connectModern(t, gateway.url, { can: { elicitation: { url: {} } }, prepare });
    const url = 'https://example.com/sign-in';
    const answer = await call(client, 'trigger-url-elicitation', { url, message: 'Sign in', elicitationId: 'one' });
    assert.notEqual(answer.isError, true, textOf(answer));
    assert.deepEqual(pages.map(({ mode, url: page, message }) => [mode, page, message]), [['url', url, 'Sign in']]);
    assert.ok(pages.every((page) => !('elicitationId' in page)));
  });

  test('send the user to a page before a call, which is made again', async (t) => {
    const url = 'https://example.com/sign-in';
    for (const [action, expected] of [['accept', ['https://modelcontextprotocol.io', url]], ['decline', undefined]]) {
      const pages = [];
      const prepare = asked('elicitation/create', (params) => {
        pages.push(params.url);
        return { action };
      });
      const { client } = await connectModern(t, gateway.url, { can: { elicitation: { url: {} } }, prepare });
      const args = { url, message: 'Sign in', elicitationId: action, errorPath: true };
      const answer = await call(client, 'trigger-url-elicitation', args);
      assert.equal(answer.isError === true, action === 'decline', textOf(answer));
      if (expected) assert.deepEqual(pages, expected);
      else assert.equal(pages.length, 1);
    }
  });

  test('ask the user from within a task', async (t) => {
    const prepare = asked('elicitation/create', () => accepted({ interpretation: 'historical' }));
    const { client } = await connectModern(t, gateway.url, { can: { elicitation: { form: {} } }, prepare });
    const args = { topic: 'ghosts', ambiguous: true };
    const answer = await call(client, 'simulate-research-query', args);
    assert.match(textOf(answer), /Research Report: ghosts \(historical\)/);
  });

  test('ask the model from within a call', async (t) => {
    const prepare = asked('sampling/createMessage', ({ messages }) =>
      said(JSON.stringify(messages).includes('play') ? 'the thing' : 'nothing'),
    );
    const { client } = await connectModern(t, gateway.url, { can: { sampling: {} }, prepare });
    const answer = await call(client, 'trigger-sampling-request', { prompt: 'play', maxTokens: 10 });
    assert.match(textOf(answer), /the thing/);
  });

  test('ask for the roots of the client', async (t) => {
    const prepare = asked('roots/list', () => ({ roots: [ROOT] }));
    const { client } = await connectModern(t, gateway.url, { can: { roots: {} }, prepare });
    assert.match(textOf(await call(client, 'get-roots-list')), /file:\/\/\/stage/);
  });
});

suite('the official client of 2026-07-28 and the fixture', () => {
  let server;
  before(async () => (server = await startModern()));
  after(() => server.stop());

  test('log what a request asks for', async (t) => {
    const { client } = await connectModern(t, server.url);
    const told = record(client, 'notifications/message');
    const logging = (level) => ({ name: 'test_logging_tool', arguments: {}, ...(level && { _meta: level }) });
    await client.callTool(logging());
    assert.deepEqual(told, []);
    await client.callTool(logging({ [LOG_LEVEL_META_KEY]: 'debug' }));
    assert.deepEqual(told.splice(0).map(({ level }) => level), ['debug', 'warning']);
    await client.callTool(logging({ [LOG_LEVEL_META_KEY]: 'warning' }));
    assert.deepEqual(told.map(({ level }) => level), ['warning']);
  });

  test('ask in the middle of a prompt, and of what is read', async (t) => {
    const prepare = (client) => {
      asked('elicitation/create', () => accepted({ context: 'a castle' }))(client);
      asked('roots/list', () => ({ roots: [ROOT] }))(client);
    };
    const { client } = await connectModern(t, server.url, { can: { elicitation: {}, roots: {} }, prepare });
    const { messages } = await client.getPrompt({ name: 'test_input_required_result_prompt' });
    assert.equal(messages[0].content.text, 'Context: a castle');
    const { contents } = await client.readResource({ uri: 'test://roots-of-the-client' });
    assert.equal(contents[0].text, ROOT.uri);
  });

  test('ask one thing after the other, and several at once', async (t) => {
    const prepare = (client) => {
      const mine = ({ requestedSchema: { required: [what] } }) => accepted({ [what]: `my ${what}` });
      asked('elicitation/create', mine)(client);
      asked('sampling/createMessage', () => said('Hail'))(client);
      asked('roots/list', () => ({ roots: [ROOT] }))(client);
    };
    const can = { elicitation: {}, sampling: {}, roots: {} };
    const { client } = await connectModern(t, server.url, { can, prepare });
    const answer = async (name) => textOf(await call(client, `test_input_required_result_${name}`));
    assert.equal(await answer('multi_round'), 'my name likes my color');
    assert.equal(await answer('multiple_inputs'), `Hail my name at ${ROOT.uri}`);
  });

  test('tell of tools and of resources that changed', async (t) => {
    const { client } = await connectModern(t, server.url);
    const uri = 'test://watched-resource';
    const tools = record(client, 'notifications/tools/list_changed');
    const updates = record(client, 'notifications/resources/updated');
    const listening = await client.listen({ toolsListChanged: true, resourceSubscriptions: [uri] });
    await call(client, 'test_trigger_tool_change');
    await call(client, 'touch', { uri });
    await until('both are told', () => tools.length === 1 && updates.length === 1);
    assert.equal(updates[0].uri, uri);
    await listening.close();
    assert.equal(await listening.closed, 'local');
  });

  test('go on after a call was abandoned, of which the server has heard', { skip: ofTheGateway }, async (t) => {
    const { client } = await connectModern(t, server.url, { can: { sampling: {} } });
    const abort = new AbortController();
    const options = { signal: abort.signal, onprogress: () => abort.abort('enough') };
    await assert.rejects(call(client, 'wait_for_cancel', {}, options), /enough/);
    await until('the server noticed', async () => textOf(await call(client, 'cancelled_calls')) === '1');
  });
});

test('who closes its connection before the answer comes cancels its call, and no other', async (t) => {
  const gateway = await gatewayFor(t, fixture('stdio'));
  const caller = new Caller(gateway.url);
  const begin = async (progressToken) => {
    const reply = await caller.beginCall('wait_for_cancel', {}, { progressToken });
    await reply.message('it runs', ({ method }) => method === 'notifications/progress');
    return reply;
  };
  const running = [await begin('one'), await begin('two')];
  const cancelled = async () => (await caller.call('cancelled_calls')).result.content[0].text;
  assert.equal(await cancelled(), '0');
  running[0].destroy();
  await until('the server noticed', async () => (await cancelled()) === '1');
  assert.ok(!running[1].ended);
  running[1].destroy();
  await until('the server noticed', async () => (await cancelled()) === '2');
});

// -- clients of both eras at one gateway ------------------------------------------------------------------------------

suite('clients of both eras at one gateway', { concurrency: 4 }, () => {
  let gateway;
  before(async () => (gateway = await startGateway(everything)));
  after(() => gateway.stop());

  test('are each served as they speak', async (t) => {
    const sum = (client) => client.callTool({ name: 'get-sum', arguments: { a: 2, b: 40 } });
    const modern = Object.values(MODES).map(async (mode) => (await connectModern(t, gateway.url, { mode })).client);
    const old = Array.from({ length: 2 }, async () => (await connect(t, gateway.url)).client);
    for (const answer of await Promise.all([...modern, ...old].map(async (one) => sum(await one))))
      assert.match(textOf(answer), /42/);
  });

  test('may open a session on the connection on which they asked what there is', async (t) => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    t.after(() => agent.destroy());
    const send = async (message, headers) => {
      const what = { method: 'POST', headers: { ...POST_HEADERS, ...headers }, body: JSON.stringify(message), agent };
      const reply = await request(gateway.url, what);
      await reply.done;
      return reply;
    };
    const discover = modernRequest(1, 'server/discover');
    assert.equal((await send(discover, fieldsOf(discover))).status, 200);
    const opened = await send(initializeRequest(), {});
    assert.equal(opened.status, 200);
    assert.ok(opened.headers['mcp-session-id']);
    assert.equal(opened.messages.at(-1).result.protocolVersion, '2025-11-25');
  });

  test('may have a session for each call', async () => {
    for (let n = 0; n < 5; ++n) {
      const session = await openSession(gateway.url);
      assert.match(textOf((await session.call(n, 'get-sum', { a: n, b: 1 })).result), new RegExp(`${n + 1}`));
      assert.equal((await session.delete()).status, 200);
    }
  });
});
