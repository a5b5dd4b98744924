import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { suite, test } from './lib/concurrently.mjs';
import { connect } from './lib/client.mjs';
import { assertPromptsWork } from './lib/reference-server.mjs';
import { everything, exampleServer, fixture, gatewayFor, SIMULATED_LOG, startGateway } from './lib/gateway.mjs';
import { isRunning } from './lib/processes.mjs';
import { assertSteps } from './lib/progress.mjs';
import { Session } from './lib/session.mjs';
import { until } from './lib/until.mjs';
import { ownTransport, VIA } from './lib/via.mjs';

const textOf = (result) => result.content.map(({ text }) => text).join('\n');

function recordNotifications(client, schema) {
  const seen = [];
  client.setNotificationHandler(schema, ({ params }) => {
    seen.push(params);
  });
  return seen;
}

suite('the official client and the reference server', { concurrency: 4 }, () => {
  let gateway;
  before(async () => (gateway = await startGateway(everything)));
  after(() => gateway.stop());

  test('initialise and agree on the newest revision with sessions', async (t) => {
    const { client, transport } = await connect(t, gateway.url);
    assert.equal(client.getServerVersion().name, 'mcp-servers/everything');
    assert.equal(transport.protocolVersion, '2025-11-25');
    assert.match(transport.sessionId, /^[\x21-\x7e]{16,}$/);
    assert.ok(client.getServerCapabilities().resources.subscribe);
    assert.ok(client.getInstructions().length > 0);
  });

  test('list tools and call them', async (t) => {
    const { client } = await connect(t, gateway.url);
    const { tools } = await client.listTools();
    assert.ok(tools.some(({ name }) => name === 'get-sum'));
    assert.match(textOf(await client.callTool({ name: 'get-sum', arguments: { a: 2, b: 40 } })), /42/);
    const weather = await client.callTool({ name: 'get-structured-content', arguments: { location: 'Chicago' } });
    assert.equal(weather.structuredContent.humidity, 82);
    const { content } = await client.callTool({ name: 'get-tiny-image', arguments: {} });
    assert.ok(content.some(({ type, mimeType }) => type === 'image' && mimeType === 'image/png'));
  });

  test('get a megabyte of Unicode through and back unchanged', async (t) => {
    const { client } = await connect(t, gateway.url);
    const message = 'grüße 🎭 \u2028 "quoted" \\ '.repeat(40_000);
    assert.equal(textOf(await client.callTool({ name: 'echo', arguments: { message } })), `Echo: ${message}`);
  });

  test('pass progress in order and before the answer', async (t) => {
    const { client } = await connect(t, gateway.url);
    const progress = [];
    const call = { name: 'trigger-long-running-operation', arguments: { duration: 6, steps: 5 } };
    await client.callTool(call, undefined, { onprogress: (params) => progress.push(params) });
    assertSteps(progress.map(({ progress: step }) => step), 5);
    assert.ok(progress.every(({ total }) => total === 5));
  });

  test('go on after a call was abandoned', async (t) => {
    const { client } = await connect(t, gateway.url);
    const abort = new AbortController();
    // Long enough that the client receives a step before the answer, however late it reads.
    const call = { name: 'trigger-long-running-operation', arguments: { duration: 8, steps: 80 } };
    const options = { signal: abort.signal, onprogress: () => abort.abort('enough') };
    await assert.rejects(client.callTool(call, undefined, options), /enough/);
    assert.match(textOf(await client.callTool({ name: 'echo', arguments: { message: 'still here' } })), /still here/);
  });

  test('ask the user from within a call', async (t) => {
    const { client } = await connect(t, gateway.url, { elicitation: {} }, (asking) =>
      asking.setRequestHandler(ElicitRequestSchema, ({ params }) => {
        assert.ok(params.requestedSchema.properties.name);
        return { action: 'accept', content: { name: 'Ada', integer: 7 } };
      }),
    );
    const answer = textOf(await client.callTool({ name: 'trigger-elicitation-request', arguments: {} }));
    assert.match(answer, /Name: Ada/);
    assert.match(answer, /Favorite Integer: 7/);
  });

  test('ask the model from within a call', async (t) => {
    const { client } = await connect(t, gateway.url, { sampling: {} }, (asking) =>
      asking.setRequestHandler(CreateMessageRequestSchema, ({ params }) => {
        const asked = JSON.stringify(params.messages);
        const text = asked.includes('play') ? 'the thing' : asked;
        return { model: 'none', role: 'assistant', content: { type: 'text', text } };
      }),
    );
    const call = { name: 'trigger-sampling-request', arguments: { prompt: 'play', maxTokens: 10 } };
    assert.match(textOf(await client.callTool(call)), /the thing/);
  });

  // The balancer of that cluster is a proxy, so its clients do not count as local.
  test('learn the roots of the client', { skip: VIA === 'cluster' }, async (t) => {
    const { client } = await connect(t, gateway.url, { roots: { listChanged: true } }, (asking) =>
      asking.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: 'file:///stage', name: 'Stage' }] })),
    );
    const told = recordNotifications(client, LoggingMessageNotificationSchema);
    await until('the server got the roots', () => told.some(({ data }) => /1 root/.test(data)));
    assert.match(textOf(await client.callTool({ name: 'get-roots-list', arguments: {} })), /file:\/\/\/stage/);
  });

  test('list, read and watch resources', async (t) => {
    const { client } = await connect(t, gateway.url);
    const updates = recordNotifications(client, ResourceUpdatedNotificationSchema);
    const { resources } = await client.listResources();
    const [{ uri }] = resources;
    assert.ok((await client.readResource({ uri })).contents[0].text.length > 0);
    const { resourceTemplates } = await client.listResourceTemplates();
    assert.ok(resourceTemplates.some(({ uriTemplate }) => uriTemplate.endsWith('{resourceId}')));
    const dynamic = await client.readResource({ uri: 'demo://resource/dynamic/text/3' });
    assert.match(dynamic.contents[0].text, /Resource 3/);
    await client.subscribeResource({ uri });
    await client.callTool({ name: 'toggle-subscriber-updates', arguments: {} });
    await until('the resource is reported as updated', () => updates.some((params) => params.uri === uri));
    await client.unsubscribeResource({ uri });
  });

  test('list prompts, fill them in and complete their arguments', async (t) => {
    const { client } = await connect(t, gateway.url);
    await assertPromptsWork(client);
  });

  test('log at the level the client chose', async (t) => {
    const { client } = await connect(t, gateway.url);
    const told = recordNotifications(client, LoggingMessageNotificationSchema);
    await client.setLoggingLevel('debug');
    await client.callTool({ name: 'toggle-simulated-logging', arguments: {} });
    await until('a log message arrives', () => told.some(({ data }) => SIMULATED_LOG.test(data)));
  });

  test('say that the list of resources changed', async (t) => {
    const { client } = await connect(t, gateway.url);
    const changes = recordNotifications(client, ResourceListChangedNotificationSchema);
    const call = { name: 'gzip-file-as-resource', arguments: { name: 'new.gz', data: 'data:text/plain,hello' } };
    await client.callTool(call);
    await until('the change is reported', () => changes.length > 0);
    const { resources } = await client.listResources();
    assert.ok(resources.some(({ name }) => name === 'new.gz'));
  });

  test('answer pings', async (t) => {
    const { client } = await connect(t, gateway.url);
    assert.deepEqual(await client.ping(), {});
  });

  test('keep two clients apart', async (t) => {
    const [one, two] = await Promise.all([connect(t, gateway.url), connect(t, gateway.url)]);
    assert.notEqual(one.transport.sessionId, two.transport.sessionId);
    const add = { name: 'gzip-file-as-resource', arguments: { name: 'mine.gz', data: 'data:text/plain,mine' } };
    await one.client.callTool(add);
    const { resources } = await two.client.listResources();
    assert.ok(!resources.some(({ name }) => name === 'mine.gz'));
  });
});

const oneForAll = ownTransport(everything) && 'the server is one process for all sessions';

test('a terminated session is gone, and its server with it', { skip: oneForAll }, async (t) => {
  const gateway = await gatewayFor(t, everything);
  const { client, transport } = await connect(t, gateway.url);
  const session = new Session(gateway.url, transport.sessionId, transport.protocolVersion);
  const children = gateway.children();
  assert.equal(children.length, 1);
  await client.callTool({ name: 'echo', arguments: { message: 'hello' } });
  await transport.terminateSession();
  assert.equal((await session.ping()).status, 404);
  await until('the server has ended', () => !children.some(isRunning));
});

test('a cancelled call is cancelled in the server under its own id', async (t) => {
  const gateway = await gatewayFor(t, fixture('stdio'));
  const { client } = await connect(t, gateway.url);
  const abort = new AbortController();
  const options = { signal: abort.signal, onprogress: () => abort.abort('enough') };
  await assert.rejects(client.callTool({ name: 'wait_for_cancel', arguments: {} }, undefined, options), /enough/);
  await until('the server noticed', async () => {
    const noticed = await client.callTool({ name: 'cancelled_calls', arguments: {} });
    return textOf(noticed) === '1';
  });
});

test('a tool added later is announced and callable', async (t) => {
  const gateway = await gatewayFor(t, fixture('stdio'));
  const { client } = await connect(t, gateway.url);
  const changes = recordNotifications(client, ToolListChangedNotificationSchema);
  await client.callTool({ name: 'add_tool', arguments: { name: 'encore' } });
  await until('the change is reported', () => changes.length > 0);
  const { tools } = await client.listTools();
  assert.ok(tools.some(({ name }) => name === 'encore'));
  assert.equal(textOf(await client.callTool({ name: 'encore', arguments: {} })), 'I am encore');
});

test('a resource is reported as updated while somebody watches it, and no longer', async (t) => {
  const gateway = await gatewayFor(t, fixture('stdio'));
  const { client } = await connect(t, gateway.url);
  const updates = recordNotifications(client, ResourceUpdatedNotificationSchema);
  const uri = 'test://watched-resource';
  const touch = async () => textOf(await client.callTool({ name: 'touch', arguments: { uri } }));
  await client.subscribeResource({ uri });
  assert.equal(await touch(), 'Told');
  await until('the update is reported', () => updates.length > 0);
  await client.unsubscribeResource({ uri });
  assert.equal(await touch(), 'Nobody watches');
  assert.deepEqual(updates, [{ uri }]);
});

test('twenty clients that come at once are all served', async (t) => {
  const gateway = await gatewayFor(t, exampleServer);
  const clients = await Promise.all(Array.from({ length: 20 }, () => connect(t, gateway.url)));
  const sums = await Promise.all(
    clients.map(({ client }, a) => client.callTool({ name: 'add', arguments: { a, b: 1 } })),
  );
  assert.deepEqual(sums.map(textOf), clients.map((_, a) => String(a + 1)));
  assert.equal(new Set(clients.map(({ transport }) => transport.sessionId)).size, 20);
});
