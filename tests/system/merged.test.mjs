// Real servers from npm, merged and separate, with the official client.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  EmptyResultSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { connect } from './lib/client.mjs';
import { serveConfig } from './lib/config.mjs';
import { nodeProgram } from './lib/gateway.mjs';
import { request } from './lib/http.mjs';
import { assertSteps } from './lib/progress.mjs';
import { initializeRequest, openSession, post, Session } from './lib/session.mjs';
import { openEndpoint } from './lib/sse.mjs';
import { DEBUG, debugState } from './lib/state.mjs';
import { until } from './lib/until.mjs';

const stage = realpathSync(mkdtempSync(join(tmpdir(), 'troupe-merged-')));
process.on('exit', () => rmSync(stage, { recursive: true, force: true }));
for (const name of ['files', 'rooted', 'moved']) mkdirSync(join(stage, name));
writeFileSync(join(stage, 'files/play.txt'), 'the thing');

function packaged(name, given = [], more = {}) {
  const path = new URL(`./node_modules/@modelcontextprotocol/server-${name}/dist/index.js`, import.meta.url);
  const [command, ...args] = nodeProgram(fileURLToPath(path), ...given);
  return { command, args, ...more };
}
const SERVERS = {
  everything: packaged('everything'),
  files: packaged('filesystem', [join(stage, 'files')]),
  memory: packaged('memory', [], { env: { MEMORY_FILE_PATH: join(stage, 'memory.jsonl') } }),
  thinking: packaged('sequential-thinking'),
};
const NAMES = Object.keys(SERVERS);
// A loaded machine takes long to start four servers.
const PATIENT = { listPatience: '60s' };
const LIMIT = 30_000;

const textOf = (result) => result.content.map(({ text }) => text).join('\n');
const call = (client, name, args = {}, options = undefined) =>
  client.callTool({ name, arguments: args }, undefined, options);

function record(client, schema) {
  const seen = [];
  client.setNotificationHandler(schema, ({ params }) => {
    seen.push(params);
  });
  return seen;
}

async function connectSse(test, url, capabilities = {}, prepare = () => {}) {
  const client = new Client({ name: 'system-test', version: '1' }, { capabilities });
  prepare(client);
  await client.connect(new SSEClientTransport(new URL(url)));
  test.after(() => client.close());
  return client;
}

suite('four real servers behind one endpoint', () => {
  let gateway;

  // Makes the capabilities of all servers known to later sessions.
  async function meetAll(t) {
    const { client } = await connect(t, gateway.url);
    const { tools } = await client.listTools();
    for (const name of NAMES)
      assert.ok(
        tools.some((tool) => tool.name.startsWith(`${name}__`)),
        `${name} is missing`,
      );
    return client;
  }

  const startedFor = async ({ sessionId }) =>
    (await debugState(gateway)).upstreams
      .filter(({ session }) => session === `${sessionId.slice(0, 8)}…`)
      .map(({ server }) => server)
      .toSorted();

  before(async () => (gateway = await serveConfig({ mcpServers: SERVERS, gateway: PATIENT }, DEBUG)));
  after(() => gateway.stop());

  test('are initialised as one server that has what any of them has', async (t) => {
    await meetAll(t);
    const { client, transport } = await connect(t, gateway.url);
    assert.equal(client.getServerVersion().name, 'troupe');
    assert.equal(transport.protocolVersion, '2025-11-25');
    const changing = { listChanged: true };
    assert.deepEqual(client.getServerCapabilities(), {
      tools: changing,
      prompts: changing,
      resources: { subscribe: true, ...changing },
      logging: {},
      completions: {},
    });
    assert.match(client.getInstructions(), /^everything:\n./);
  });

  test('list all tools that each of them lists, in the order of the file, changed in nothing but their names', async (t) => {
    const merged = await (await meetAll(t)).listTools();
    const expected = [];
    for (const name of NAMES) {
      const { client } = await connect(t, gateway.at(`/servers/${name}/mcp`));
      const { tools } = await client.listTools();
      expected.push(...tools.map((tool) => ({ ...tool, name: `${name}__${tool.name}` })));
    }
    assert.deepEqual(merged, { tools: expected });
  });

  test('take calls of one session, each its own', async (t) => {
    const { client } = await connect(t, gateway.url);
    const thought = { thought: 'to be', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 };
    const entities = [{ name: 'Yorick', entityType: 'jester', observations: ['alas'] }];
    const [sum, file, created, thinking] = await Promise.all([
      call(client, 'everything__get-sum', { a: 2, b: 40 }),
      call(client, 'files__read_text_file', { path: join(stage, 'files/play.txt') }),
      call(client, 'memory__create_entities', { entities }),
      call(client, 'thinking__sequentialthinking', thought),
    ]);
    assert.match(textOf(sum), /42/);
    assert.equal(textOf(file), 'the thing');
    assert.deepEqual(created.structuredContent, { entities });
    assert.equal(thinking.structuredContent.thoughtHistoryLength, 1);
    assert.match(textOf(await call(client, 'memory__read_graph')), /Yorick/);
  });

  test('are not asked for tools that belong to none of them', async (t) => {
    const { client } = await connect(t, gateway.url);
    for (const name of ['echo', 'nobody__echo', 'everything_echo', 'memory__'])
      await assert.rejects(call(client, name), { code: -32602 }, name);
    assert.match(textOf(await call(client, 'memory__echo', { message: 'x' })), /echo not found/);
  });

  test('are started only when a session uses them', async (t) => {
    await meetAll(t);
    const { client, transport } = await connect(t, gateway.url);
    assert.deepEqual(await startedFor(transport), []);
    await call(client, 'memory__read_graph');
    assert.deepEqual(await startedFor(transport), ['memory']);
    await call(client, 'everything__echo', { message: 'x' });
    assert.deepEqual(await startedFor(transport), ['everything', 'memory']);
  });

  test('end with the session that used them', async (t) => {
    const { client, transport } = await connect(t, gateway.url);
    await client.listTools();
    const started = (await debugState(gateway)).upstreams.filter(
      ({ session }) => session === `${transport.sessionId.slice(0, 8)}…`,
    );
    assert.equal(started.length, 4);
    await transport.terminateSession();
    const isGone = ({ pid }) => !gateway.children().some((child) => child.pid === pid);
    await until('the servers have ended', () => started.every(isGone), LIMIT);
  });

  test('list prompts, fill them in and complete their arguments', async (t) => {
    const { client } = await connect(t, gateway.url);
    const { prompts } = await client.listPrompts();
    const names = ['simple', 'args', 'completable', 'resource'].map((name) => `everything__${name}-prompt`);
    assert.deepEqual(prompts.map(({ name }) => name).toSorted(), names.toSorted());
    const filled = await client.getPrompt({
      name: 'everything__args-prompt',
      arguments: { city: 'Bonn', state: 'NRW' },
    });
    assert.match(filled.messages[0].content.text, /Bonn, NRW/);
    const ref = { type: 'ref/prompt', name: 'everything__completable-prompt' };
    const department = await client.complete({ ref, argument: { name: 'department', value: 'E' } });
    assert.deepEqual(department.completion.values, ['Engineering']);
    const context = { arguments: { department: 'Sales' } };
    const name = await client.complete({ ref, argument: { name: 'name', value: 'D' }, context });
    assert.deepEqual(name.completion.values, ['David']);
    await assert.rejects(client.getPrompt({ name: 'nobody__args-prompt' }), { code: -32602 });
  });

  test('list resources and templates that can be read and completed under the shown URIs', async (t) => {
    const { client } = await connect(t, gateway.url);
    const { resources } = await client.listResources();
    assert.ok(resources.length > 2);
    const [first] = resources;
    const graph = 'troupe://memory/memory://knowledge-graph';
    assert.match(first.uri, /^troupe:\/\/everything\/demo:\/\//);
    assert.ok(resources.some(({ uri }) => uri === graph));
    for (const uri of [first.uri, graph]) {
      const { contents } = await client.readResource({ uri });
      assert.deepEqual(
        contents.map((one) => one.uri),
        [uri],
      );
      assert.ok(contents[0].text.length > 0);
    }
    const { resourceTemplates } = await client.listResourceTemplates();
    const uri = 'troupe://everything/demo://resource/dynamic/text/{resourceId}';
    assert.ok(resourceTemplates.some(({ uriTemplate }) => uriTemplate === uri));
    const third = await client.readResource({ uri: uri.replace('{resourceId}', '3') });
    assert.match(third.contents[0].text, /Resource 3/);
    const ref = { type: 'ref/resource', uri };
    const { completion } = await client.complete({ ref, argument: { name: 'resourceId', value: '7' } });
    assert.deepEqual(completion.values, ['7']);
  });

  test('name resources in their answers so that they can be read', async (t) => {
    const { client } = await connect(t, gateway.url);
    const { content } = await call(client, 'everything__get-resource-links', { count: 3 });
    const links = content.filter(({ type }) => type === 'resource_link').map(({ uri }) => uri);
    assert.equal(links.length, 3);
    const referred = await call(client, 'everything__get-resource-reference', { resourceType: 'Text', resourceId: 2 });
    links.push(referred.content.find(({ type }) => type === 'resource').resource.uri);
    const filling = { name: 'everything__resource-prompt', arguments: { resourceType: 'Text', resourceId: '4' } };
    const { messages } = await client.getPrompt(filling);
    links.push(messages.at(-1).content.resource.uri);
    for (const uri of links) {
      assert.match(uri, /^troupe:\/\/everything\/demo:/);
      assert.equal((await client.readResource({ uri })).contents[0].uri, uri);
    }
  });

  test('report the resources that somebody watches, until nobody does', async (t) => {
    const { client } = await connect(t, gateway.url);
    const updates = record(client, ResourceUpdatedNotificationSchema);
    const graph = 'troupe://memory/memory://knowledge-graph';
    const dynamic = 'troupe://everything/demo://resource/dynamic/text/1';
    const create = (name) =>
      call(client, 'memory__create_entities', { entities: [{ name, entityType: 'prince', observations: [] }] });
    const times = (uri) => updates.filter((update) => update.uri === uri).length;
    await client.subscribeResource({ uri: graph });
    await client.subscribeResource({ uri: dynamic });
    await create('Hamlet');
    await call(client, 'everything__toggle-subscriber-updates');
    await until('both are reported', () => times(graph) === 1 && times(dynamic) >= 1);
    await client.unsubscribeResource({ uri: graph });
    await create('Fortinbras');
    await client.subscribeResource({ uri: graph });
    await create('Horatio');
    await until('the last is reported', () => times(graph) > 1);
    assert.equal(times(graph), 2);
    assert.equal(times(graph) + times(dynamic), updates.length);
  });

  test('pass progress in order and before the answer', async (t) => {
    const { client } = await connect(t, gateway.url);
    const steps = [];
    const onprogress = ({ progress }) => steps.push(progress);
    await call(client, 'everything__trigger-long-running-operation', { duration: 5, steps: 5 }, { onprogress });
    assertSteps(steps, 5);
  });

  test('ask the client whose call it is, for its model and its user', async (t) => {
    const make = (name) =>
      connect(t, gateway.url, { sampling: {}, elicitation: {} }, (client) => {
        const content = { type: 'text', text: `the model of ${name}` };
        client.setRequestHandler(CreateMessageRequestSchema, () => ({ model: 'none', role: 'assistant', content }));
        client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { name, integer: 7 } }));
      });
    const names = ['Rosencrantz', 'Guildenstern'];
    const clients = await Promise.all(names.map(make));
    const answers = await Promise.all(
      clients.flatMap(({ client }) => [
        call(client, 'everything__trigger-sampling-request', { prompt: 'who?', maxTokens: 10 }),
        call(client, 'everything__trigger-elicitation-request'),
      ]),
    );
    names.forEach((name, index) => {
      assert.match(textOf(answers[2 * index]), new RegExp(`the model of ${name}`));
      assert.match(textOf(answers[2 * index + 1]), new RegExp(`Name: ${name}`));
    });
  });

  test('learn the roots of the client, and all of them that they changed', async (t) => {
    let root = join(stage, 'rooted');
    const { client } = await connect(t, gateway.url, { roots: { listChanged: true } }, (asked) =>
      asked.setRequestHandler(ListRootsRequestSchema, () => ({
        roots: [{ uri: pathToFileURL(root).href, name: 'root' }],
      })),
    );
    const tools = ['everything__get-roots-list', 'files__list_allowed_directories'];
    const know = async () => {
      const told = await Promise.all(tools.map((name) => call(client, name)));
      return told.every((answer) => textOf(answer).includes(root) && !textOf(answer).includes(join(stage, 'files')));
    };
    await until('both know the root', know, LIMIT);
    root = join(stage, 'moved');
    await client.sendRootsListChanged();
    await until('both know the new root', know, LIMIT);
  });

  test('log at the level that the client chose before they were started', async (t) => {
    const { client } = await connect(t, gateway.url);
    const told = record(client, LoggingMessageNotificationSchema);
    await client.setLoggingLevel('debug');
    await call(client, 'everything__toggle-simulated-logging');
    await until('a log message arrives', () => told.some(({ data }) => /level.message/.test(data)));
    const loud = { method: 'logging/setLevel', params: { level: 'loud' } };
    await assert.rejects(client.request(loud, EmptyResultSchema), { code: -32602 });
  });

  test('say that the list of resources changed, and have the new one in it', async (t) => {
    const { client } = await connect(t, gateway.url);
    const changes = record(client, ResourceListChangedNotificationSchema);
    const file = { name: 'new.gz', data: 'data:text/plain,hello' };
    await call(client, 'everything__gzip-file-as-resource', file);
    await until('the change is reported', () => changes.length > 0);
    const { resources } = await client.listResources();
    assert.ok(resources.some(({ uri }) => uri === 'troupe://everything/demo://resource/session/new.gz'));
  });

  test('serve the clients of HTTP+SSE as well', async (t) => {
    const client = await connectSse(t, gateway.at('/sse'), { elicitation: {} }, (asked) =>
      asked.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { name: 'Ada', integer: 7 } })),
    );
    const { tools } = await client.listTools();
    for (const name of NAMES)
      assert.ok(
        tools.some((tool) => tool.name.startsWith(`${name}__`)),
        `${name} is missing`,
      );
    assert.match(textOf(await call(client, 'everything__get-sum', { a: 2, b: 40 })), /42/);
    assert.match(textOf(await call(client, 'files__list_allowed_directories')), /files/);
    assert.match(textOf(await call(client, 'everything__trigger-elicitation-request')), /Name: Ada/);
    const uri = 'troupe://everything/demo://resource/dynamic/text/3';
    assert.equal((await client.readResource({ uri })).contents[0].uri, uri);
  });

  test('have paths of their own, where they are as they are', async (t) => {
    const { client } = await connect(t, gateway.at('/servers/memory/mcp'));
    assert.equal(client.getServerVersion().name, 'memory-server');
    assert.equal(client.getServerCapabilities().prompts, undefined);
    const { tools } = await client.listTools();
    assert.ok(tools.some(({ name }) => name === 'read_graph'));
    assert.deepEqual(
      tools.filter(({ name }) => name.includes('__')),
      [],
    );
    const uri = 'memory://knowledge-graph';
    assert.equal((await client.readResource({ uri })).contents[0].uri, uri);
    const sse = await connectSse(t, gateway.at('/servers/everything/sse'));
    assert.equal(sse.getServerVersion().name, 'mcp-servers/everything');
    assert.match(textOf(await call(sse, 'get-sum', { a: 2, b: 40 })), /42/);
  });

  test('have no path under a name that none of them has: 404', async () => {
    for (const path of [
      '/servers/nobody/mcp',
      '/servers//mcp',
      '/servers/memory/other',
      '/servers/memory',
      '/servers/Memory/mcp',
    ])
      assert.equal((await post(gateway.at(path), initializeRequest())).status, 404, path);
    const accept = 'text/event-stream';
    assert.equal((await request(gateway.at('/servers/nobody/sse'), { headers: { accept } })).status, 404);
  });

  test('do not know the sessions of other paths: 404', async () => {
    const paths = ['/mcp', '/servers/memory/mcp', '/servers/thinking/mcp'];
    const sessions = await Promise.all(paths.map((path) => openSession(gateway.at(path))));
    for (const { url, id, version } of sessions)
      for (const path of paths) {
        const expected = gateway.at(path) === url ? 200 : 404;
        assert.equal((await new Session(gateway.at(path), id, version).ping()).status, expected, `${url} at ${path}`);
      }
    for (const session of sessions) {
      const elsewhere = gateway.at(paths.find((path) => gateway.at(path) !== session.url));
      assert.equal((await new Session(elsewhere, session.id, session.version).delete()).status, 404);
      assert.equal((await session.delete()).status, 200);
    }
  });

  test('do not know the sessions of HTTP+SSE of other paths: 404', async () => {
    const session = await openEndpoint(gateway);
    const elsewhere = gateway.at(`/servers/memory/messages?sessionId=${session.id}`);
    assert.equal((await post(elsewhere, initializeRequest())).status, 404);
    assert.equal((await new Session(gateway.url, session.id, '2025-11-25').ping()).status, 404);
    assert.equal((await session.ping()).status, 202);
    session.close();
  });
});
