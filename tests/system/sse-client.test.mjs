// The official clients of the 2024-11-05 transport.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { Client as ClientV2, SSEClientTransport as SSEClientTransportV2 } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { suite, test } from './lib/concurrently.mjs';
import { everything, exampleServer, gatewayFor, SIMULATED_LOG, startGateway } from './lib/gateway.mjs';
import { isRunning } from './lib/processes.mjs';
import { assertSteps } from './lib/progress.mjs';
import { until } from './lib/until.mjs';
import { VIA } from './lib/via.mjs';

const textOf = (result) => result.content.map(({ text }) => text).join('\n');
const BURST = 20;

// The first client identifies a method by its schema, the second by its name.
const PACKAGES = {
  'version 1': {
    make: (info, options) => new Client(info, options),
    transport: (url) => new SSEClientTransport(url),
    on: (client, schema, answer) => client.setRequestHandler(schema, answer),
  },
  'version 2': {
    make: (info, options) => new ClientV2(info, options),
    transport: (url) => new SSEClientTransportV2(url),
    on: (client, schema, answer) => client.setRequestHandler(schema.shape.method.value, answer),
  },
};

async function connect(t, gateway, { make, transport: open }, capabilities = {}, prepare = () => {}) {
  const client = make({ name: 'system-test', version: '1' }, { capabilities });
  prepare(client);
  const transport = open(new URL(gateway.at('/sse')));
  await client.connect(transport);
  t.after(() => client.close());
  return { client, transport };
}

for (const [name, sdk] of Object.entries(PACKAGES))
  suite(`the official SSE client, ${name}, and the reference server`, { concurrency: 4 }, () => {
    let gateway;
    before(async () => (gateway = await startGateway(everything)));
    after(() => gateway.stop());

    test('initialise, list tools and call them', async (t) => {
      const { client } = await connect(t, gateway, sdk);
      assert.equal(client.getServerVersion().name, 'mcp-servers/everything');
      const { tools } = await client.listTools();
      assert.ok(tools.some((tool) => tool.name === 'get-sum'));
      assert.match(textOf(await client.callTool({ name: 'get-sum', arguments: { a: 2, b: 40 } })), /42/);
    });

    test('get half a megabyte of Unicode through and back unchanged', async (t) => {
      const { client } = await connect(t, gateway, sdk);
      const message = 'grüße 🎭 \u2028 "quoted" \\ '.repeat(20_000);
      assert.equal(textOf(await client.callTool({ name: 'echo', arguments: { message } })), `Echo: ${message}`);
    });

    test('pass progress in order and before the answer', async (t) => {
      const { client } = await connect(t, gateway, sdk);
      const progress = [];
      const call = { name: 'trigger-long-running-operation', arguments: { duration: 6, steps: 5 } };
      const onprogress = (params) => progress.push(params.progress);
      await (sdk === PACKAGES['version 1']
        ? client.callTool(call, undefined, { onprogress })
        : client.callTool(call, { onprogress }));
      assertSteps(progress, 5);
    });

    test('ask the user and the model from within a call', async (t) => {
      const { client } = await connect(t, gateway, sdk, { elicitation: {}, sampling: {} }, (asking) => {
        const content = { name: 'Ada', integer: 7 };
        sdk.on(asking, ElicitRequestSchema, () => ({ action: 'accept', content }));
        const thing = { model: 'none', role: 'assistant', content: { type: 'text', text: 'the thing' } };
        sdk.on(asking, CreateMessageRequestSchema, () => thing);
      });
      const form = await client.callTool({ name: 'trigger-elicitation-request', arguments: {} });
      assert.match(textOf(form), /Name: Ada/);
      const call = { name: 'trigger-sampling-request', arguments: { prompt: 'play', maxTokens: 10 } };
      assert.match(textOf(await client.callTool(call)), /the thing/);
    });

    // The balancer of that cluster is a proxy, so its clients do not count as local.
    test('learn the roots of the client', { skip: VIA === 'cluster' }, async (t) => {
      const { client } = await connect(t, gateway, sdk, { roots: { listChanged: true } }, (asking) => {
        sdk.on(asking, ListRootsRequestSchema, () => ({ roots: [{ uri: 'file:///stage', name: 'Stage' }] }));
      });
      await until('the server got the roots', async () =>
        /stage/.test(textOf(await client.callTool({ name: 'get-roots-list', arguments: {} }))),
      );
    });

    test('hear what nobody asked for', async (t) => {
      const { client } = await connect(t, gateway, sdk);
      const told = [];
      const hear = ({ params }) => void told.push(params.data);
      if (sdk === PACKAGES['version 1']) client.setNotificationHandler(LoggingMessageNotificationSchema, hear);
      else client.setNotificationHandler('notifications/message', hear);
      await client.setLoggingLevel('debug');
      await client.callTool({ name: 'toggle-simulated-logging', arguments: {} });
      await until('a log message arrives', () => told.some((data) => SIMULATED_LOG.test(data)));
    });

    test('serve clients side by side', async (t) => {
      const clients = await Promise.all(Array.from({ length: 4 }, () => connect(t, gateway, sdk)));
      const sum = async ({ client }, a) => textOf(await client.callTool({ name: 'get-sum', arguments: { a, b: 1 } }));
      const sums = await Promise.all(clients.flatMap((one, a) => [sum(one, a), sum(one, a + 100)]));
      const results = sums.map((text) => Number(/is (\d+)/.exec(text)[1]));
      assert.deepEqual(results, [1, 101, 2, 102, 3, 103, 4, 104]);
    });
  });

for (const [name, sdk] of Object.entries(PACKAGES))
  test(`${BURST} official SSE clients, ${name}, that come in one burst all initialise, and go`, async (t) => {
    const gateway = await gatewayFor(t, exampleServer);
    const clients = await Promise.all(Array.from({ length: BURST }, () => connect(t, gateway, sdk)));
    const sums = await Promise.all(
      clients.map(({ client }, a) => client.callTool({ name: 'add', arguments: { a, b: 1 } })),
    );
    assert.deepEqual(sums.map(textOf), clients.map((_, a) => String(a + 1)));
    const below = gateway.children();
    assert.equal(below.length, BURST);
    await Promise.all(clients.map(({ client }) => client.close()));
    await until('every server is gone', () => !below.some(isRunning));
  });
