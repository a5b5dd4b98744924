// Servers of 2026-07-28 with session-based clients.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  CreateMessageRequestSchema, ElicitRequestSchema, ListRootsRequestSchema, LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema, ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { suite, test } from './lib/concurrently.mjs';
import { connect } from './lib/client.mjs';
import { gatewayWith } from './lib/config.mjs';
import { fixture, gatewayFor } from './lib/gateway.mjs';
import { assertSteps } from './lib/progress.mjs';
import { scratch } from './lib/scratch.mjs';
import { openSession, toolCall } from './lib/session.mjs';
import { until } from './lib/until.mjs';

const MODERN = fixture('modern-stdio');
const DUAL = fixture('modern-stdio', 'legacy');
const ALL = { sampling: {}, elicitation: { form: {}, url: {} }, roots: {} };

const entry = ([command, ...args], more = {}) => ({ mcpServers: { it: { command, args, ...more } } });
const textsOf = ({ content }) => content.map(({ text }) => text);
const call = async (client, name, args = {}, options = {}) =>
  client.callTool({ name, arguments: args }, undefined, options);

function answering(client) {
  client.setRequestHandler(ElicitRequestSchema, ({ params }) =>
    params.mode === 'url' ? { action: 'decline' } : { action: 'accept', content: { name: 'Ada' } },
  );
  client.setRequestHandler(CreateMessageRequestSchema, () => ({
    role: 'assistant', model: 'm', content: { type: 'text', text: 'Aha' },
  }));
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: 'file:///home' }] }));
}

const WAYS = {
  alone: (t) => gatewayFor(t, MODERN),
  'of a pool': (t) => gatewayWith(t, entry(MODERN, { sharing: 'pool', poolSize: 1 })),
  shared: (t) => gatewayWith(t, entry(MODERN, { sharing: 'shared' })),
  'restarted when it is lost': (t) => gatewayWith(t, entry(MODERN, { restart: true })),
};

for (const [way, start] of Object.entries(WAYS))
  test(`a server of 2026-07-28 looks like one with sessions: ${way}`, async (t) => {
    const gateway = await start(t);
    const { client } = await connect(t, gateway.url);
    assert.deepEqual((await client.listPrompts()).prompts.map(({ name }) => name.split('__').at(-1)), ['hello']);
    const { tools } = await client.listTools();
    const isEcho = ({ name }) => name.endsWith('echo');
    assert.deepEqual(textsOf(await call(client, tools.find(isEcho).name, { message: 'hi' })), ['hi']);
  });

suite('a server of 2026-07-28', () => {
  test('greets, and answers without the words of its era', async (t) => {
    const gateway = await gatewayFor(t, MODERN);
    const { client } = await connect(t, gateway.url);
    assert.deepEqual(client.getServerVersion(), { name: 'modern-fixture', version: '3' });
    assert.equal(client.getInstructions(), 'be kind');
    const session = await openSession(gateway.url);
    for (const [method, params] of [
      ['tools/list', {}], ['resources/templates/list', {}], ['resources/read', { uri: 'note://a' }],
      ['prompts/get', { name: 'hello', arguments: { who: 'you' } }], ['tools/call', { name: 'echo', arguments: { message: 'x' } }],
    ]) {
      const [answer] = await (await session.post({ jsonrpc: '2.0', id: 1, method, params })).all();
      assert.ok(answer.result, JSON.stringify(answer));
      for (const word of ['resultType', 'ttlMs', 'cacheScope', 'io.modelcontextprotocol'])
        assert.ok(!JSON.stringify(answer).includes(word), JSON.stringify(answer));
    }
  });

  test('is told who asks', async (t) => {
    const gateway = await gatewayFor(t, MODERN);
    const { client } = await connect(t, gateway.url, { elicitation: {} });
    const [era, envelope] = textsOf(await call(client, 'era'));
    assert.equal(era, 'modern');
    assert.deepEqual(JSON.parse(envelope), {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'system-test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
    });
  });

  test('asks its client', async (t) => {
    const gateway = await gatewayFor(t, MODERN);
    const { client } = await connect(t, gateway.url, ALL, answering);
    const name = { action: 'accept', content: { name: 'Ada' } };
    assert.deepEqual(textsOf(await call(client, 'ask')), [JSON.stringify({ name }), 'state of ask']);
    const [answers] = textsOf(await call(client, 'ask_all'));
    assert.deepEqual(Object.keys(JSON.parse(answers)).toSorted(), ['name', 'roots', 'sample']);
    assert.deepEqual(JSON.parse(answers).name, name);
    assert.deepEqual(JSON.parse(textsOf(await call(client, 'ask_url'))[0]), { url: { action: 'decline' } });
    assert.deepEqual(textsOf(await call(client, 'wait')), ['waited']);
  });

  test('asks its client when it is shared and merged', async (t) => {
    const [command, ...args] = MODERN;
    const mcpServers = { one: { command, args, sharing: 'shared' }, two: { command, args } };
    const gateway = await gatewayWith(t, { mcpServers });
    const { client } = await connect(t, gateway.url, ALL, answering);
    for (const server of ['one', 'two'])
      assert.match(textsOf(await call(client, `${server}__ask`))[0], /"Ada"/);
  });

  test('asks the client of the call, also when it is shared and works for others', async (t) => {
    const gateway = await gatewayWith(t, entry(MODERN, { sharing: 'shared' }));
    const named = async (name) => {
      const { client } = await connect(t, gateway.url, { elicitation: {} });
      client.setRequestHandler(ElicitRequestSchema, async () => {
        await Promise.all([...Array(3)].map(() => client.ping()));
        return { action: 'accept', content: { name } };
      });
      return client;
    };
    const names = ['Ada', 'Grace', 'Edith'];
    const clients = await Promise.all(names.map(named));
    const answers = await Promise.all(clients.map((client) => call(client, 'ask')));
    assert.deepEqual(answers.map((answer) => JSON.parse(textsOf(answer)[0]).name.content.name), names);
  });

  test('fails a call whose question the client cannot answer', async (t) => {
    const gateway = await gatewayFor(t, MODERN);
    const { client } = await connect(t, gateway.url);
    const { isError, content } = await call(client, 'ask');
    assert.ok(isError, JSON.stringify(content));
  });

  test('asks no more when its call is cancelled', async (t) => {
    const gateway = await gatewayFor(t, MODERN);
    const session = await openSession(gateway.url, undefined, ALL);
    const reply = await session.post(toolCall(1, 'ask'));
    const question = await reply.message('the question', ({ method }) => method === 'elicitation/create');
    await session.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    const listening = await session.listen();
    const isWithdrawn = ({ method, params }) => method === 'notifications/cancelled' && params.requestId === question.id;
    await until('the question is withdrawn', () => [...reply.messages, ...listening.messages].some(isWithdrawn));
  });

  test('is told that a call is cancelled', async (t) => {
    const gateway = await gatewayFor(t, MODERN);
    const { client } = await connect(t, gateway.url);
    const leave = new AbortController();
    const held = call(client, 'hold', {}, { signal: leave.signal }).catch(() => 'cancelled');
    await until('it holds', () => gateway.log.some((line) => line.includes('holding')));
    leave.abort();
    assert.equal(await held, 'cancelled');
    await until('it let go', () => gateway.log.some((line) => line.includes('let go')));
  });

  test('makes progress', async (t) => {
    const gateway = await gatewayFor(t, MODERN);
    const { client } = await connect(t, gateway.url);
    const steps = [];
    await call(client, 'steps', { ms: 1_000 }, { onprogress: ({ progress }) => steps.push(progress) });
    assertSteps(steps, 2);
  });

  test('logs at the level that was set', async (t) => {
    const gateway = await gatewayFor(t, MODERN);
    const said = [];
    const { client } = await connect(t, gateway.url, {}, (one) =>
      one.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => said.push(params.data)),
    );
    await call(client, 'log');
    assert.deepEqual(said, []);
    await client.setLoggingLevel('warning');
    await call(client, 'log');
    await until('it logged', () => said.length > 0);
    assert.deepEqual(said, ['a warning']);
  });

  test('says what has changed', async (t) => {
    const gateway = await gatewayFor(t, MODERN);
    const told = [];
    const { client } = await connect(t, gateway.url, {}, (one) => {
      one.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => told.push(params.uri));
      one.setNotificationHandler(ToolListChangedNotificationSchema, () => told.push('tools'));
    });
    await call(client, 'change', { uri: 'note://a' });
    await until('the list changed', () => told.includes('tools'));
    await client.subscribeResource({ uri: 'note://a' });
    await client.subscribeResource({ uri: 'note://b' });
    await call(client, 'change', { uri: 'note://a' });
    await until('the resource changed', () => told.includes('note://a'));
    await client.unsubscribeResource({ uri: 'note://a' });
    told.length = 0;
    await call(client, 'change', { uri: 'note://b' });
    await until('the other changed', () => told.includes('note://b'));
    await call(client, 'change', { uri: 'note://a' });
    await call(client, 'change', { uri: 'note://b' });
    await until('the other changed again', () => told.filter((one) => one === 'note://b').length === 2);
    assert.ok(!told.includes('note://a'), told.join());
  });

  test('puts what is no object into one', async (t) => {
    const gateway = await gatewayFor(t, MODERN);
    const { client } = await connect(t, gateway.url);
    const { tools } = await client.listTools();
    assert.deepEqual(tools.find(({ name }) => name === 'numbers').outputSchema.required, ['result']);
    assert.deepEqual((await call(client, 'numbers')).structuredContent, { result: [1, 2] });
  });

  test('is subscribed to again after it was lost', async (t) => {
    const gateway = await gatewayWith(t, entry(MODERN, { restart: true }));
    const told = [];
    const { client } = await connect(t, gateway.at('/servers/it/mcp'), {}, (one) =>
      one.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => told.push(params.uri)),
    );
    await client.subscribeResource({ uri: 'note://a' });
    await assert.rejects(call(client, 'end'));
    await until('it is back', async () => (await call(client, 'echo', { message: 'x' }).catch(() => ({}))).content);
    told.length = 0;
    await until('a change of the resource is told', async () => {
      await call(client, 'change', { uri: 'note://a' });
      return told.includes('note://a');
    });
  });
});

test('a server of 2026-07-28 asks the client of a batch for each call in it, on the stream of the batch', async (t) => {
  const gateway = await gatewayFor(t, fixture('modern-server'));
  const session = await openSession(gateway.url, '2025-03-26', { sampling: {} });
  const asking = 'test_input_required_result_sampling';
  const reply = await session.post([toolCall(1, asking), toolCall('two', asking), toolCall(3, 'test_simple_text')]);
  const isQuestion = ({ method }) => method === 'sampling/createMessage';
  await until('both calls ask', () => reply.messages.flat().filter(isQuestion).length === 2);
  const questions = reply.messages.flat().filter(isQuestion);
  for (const [n, { id }] of questions.entries()) {
    const result = { role: 'assistant', model: 'm', content: { type: 'text', text: `answer ${n}` } };
    assert.equal((await session.post({ jsonrpc: '2.0', id, result })).status, 202);
  }
  const answers = (await reply.all()).flat().filter(({ result }) => result);
  assert.deepEqual(answers.map(({ id }) => id).toSorted(), [1, 3, 'two']);
  const told = new Map(answers.map(({ id, result }) => [id, result.content[0].text]));
  assert.deepEqual([told.get(1), told.get('two')].toSorted(), ['answer 0', 'answer 1']);
});

suite('a server that knows both eras', () => {
  test('is used in the era of its client', async (t) => {
    const gateway = await gatewayFor(t, DUAL);
    const { client } = await connect(t, gateway.url);
    assert.equal(textsOf(await call(client, 'era'))[0], 'legacy');
  });

  for (const [era, used] of [['auto', 'legacy'], ['legacy', 'legacy'], ['modern', 'modern']])
    test(`is used as configured: ${era}`, async (t) => {
      const gateway = await gatewayWith(t, entry(DUAL, { era }));
      const { client } = await connect(t, gateway.at('/servers/it/mcp'), ALL, answering);
      assert.equal(textsOf(await call(client, 'era'))[0], used);
      assert.match(textsOf(await call(client, 'ask'))[0], /"Ada"/);
    });
});

suite('a server with another era than configured', () => {
  test('is refused', async (t) => {
    const modern = await gatewayWith(t, entry(MODERN, { era: 'legacy' }));
    await assert.rejects(connect(t, modern.at('/servers/it/mcp')), /protocol version/i);
    const legacy = await gatewayWith(t, entry(fixture('stdio'), { era: 'modern' }));
    await assert.rejects(connect(t, legacy.at('/servers/it/mcp')), /does not speak revision 2026-07-28/);
  });
});

suite('the era of a server', () => {
  const scripted = (base) => entry(fixture('modern-script', base), { restart: true, sharing: 'session' });
  const heardBy = (base) => (existsSync(`${base}.journal`) ? readFileSync(`${base}.journal`, 'utf8').trim().split('\n') : []);
  async function nameOf(t, gateway) {
    const { client, transport } = await connect(t, gateway.at('/servers/it/mcp'));
    const { name } = client.getServerVersion();
    await transport.terminateSession();
    return name;
  }

  test('is asked for once, and again when it has changed', async (t) => {
    const base = join(scratch(), 'script');
    const gateway = await gatewayWith(t, scripted(base));
    assert.equal(await nameOf(t, gateway), 'new');
    assert.equal(await nameOf(t, gateway), 'new');
    await until('both have ended', () => heardBy(base).length === 2);
    assert.deepEqual(heardBy(base), ['initialize,server/discover', 'server/discover']);
    writeFileSync(`${base}.old`, '');
    assert.equal(await nameOf(t, gateway), 'old');
    assert.equal(await nameOf(t, gateway), 'old');
    await until('these have ended, too', () => heardBy(base).length === 5);
    const hello = 'initialize,notifications/initialized';
    assert.deepEqual(heardBy(base).slice(2), ['server/discover', hello, hello]);
    rmSync(`${base}.old`);
    assert.equal(await nameOf(t, gateway), 'new');
  });
});
