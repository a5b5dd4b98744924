// The official clients resume by themselves when the network breaks: both packages, through a proxy that breaks
// connections.
import assert from 'node:assert/strict';
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { suite, test } from './lib/concurrently.mjs';
import { everything, fixture, gatewayFor } from './lib/gateway.mjs';
import { assertSteps } from './lib/progress.mjs';
import { proxyFor } from './lib/proxy.mjs';
import { DEBUG, debugState } from './lib/state.mjs';
import { until } from './lib/until.mjs';

const textOf = (result) => result.content.map(({ text }) => text).join('\n');
const counting = (length) => Array.from({ length }, (_, index) => index + 1);
const LIMIT = { timeout: 30_000 };
const once = (action) => {
  let done = false;
  return () => {
    if (!done) action();
    done = true;
  };
};
// The steps of a call before its end is near.
const MOST = 50;

const PACKAGES = {
  'version 1': {
    make: (info) => new Client(info),
    transport: (url) => new StreamableHTTPClientTransport(url),
    call: (client, call, options) => client.callTool(call, undefined, options),
    hearUpdates: (client, hear) => client.setNotificationHandler(ResourceUpdatedNotificationSchema, hear),
  },
  'version 2': {
    make: (info) => new ClientV2(info),
    transport: (url) => new TransportV2(url),
    call: (client, call, options) => client.callTool(call, options),
    hearUpdates: (client, hear) => client.setNotificationHandler('notifications/resources/updated', hear),
  },
};

async function connect(t, url, sdk) {
  const client = sdk.make({ name: 'system-test', version: '1' });
  const transport = sdk.transport(new URL(url));
  await client.connect(transport);
  t.after(async () => {
    await transport.terminateSession().catch(() => {});
    await client.close();
  });
  return client;
}

for (const [name, sdk] of Object.entries(PACKAGES))
  suite(`the official client, ${name},`, { concurrency: true }, () => {
    const flood = (count, every) => ({ name: 'flood', arguments: { kind: 'progress', count, every_ms: every } });

    test('gets the answer to its call although the connection breaks in the middle', async (t) => {
      const gateway = await gatewayFor(t, fixture('hostile'));
      const proxy = await proxyFor(t, gateway.port);
      const client = await connect(t, proxy.url, sdk);
      const progress = [];
      const calling = sdk.call(client, flood(100, 20), {
        ...LIMIT,
        onprogress: (params) => {
          progress.push(params.progress);
          if (progress.length === 10) proxy.cut();
        },
      });
      assert.equal(textOf(await calling), 'flooded');
      assertSteps(progress, 100, MOST);
    });

    test('gets it although the connection breaks while nothing comes', async (t) => {
      const gateway = await gatewayFor(t, everything);
      const proxy = await proxyFor(t, gateway.port);
      const client = await connect(t, proxy.url, sdk);
      const call = { name: 'trigger-long-running-operation', arguments: { duration: 5, steps: 2 } };
      const steps = [];
      const onprogress = ({ progress }) => {
        steps.push(progress);
        if (progress === 1) proxy.cut();
      };
      assert.match(textOf(await sdk.call(client, call, { ...LIMIT, onprogress })), /completed/);
      assertSteps(steps, 2);
    });

    test('gets it although the connection breaks early in a call that says nothing', async (t) => {
      const gateway = await gatewayFor(t, fixture('hostile'));
      const proxy = await proxyFor(t, gateway.port);
      const client = await connect(t, proxy.url, sdk);
      // The first event with an id is the priming event.
      const onresumptiontoken = once(proxy.cut);
      const call = { name: 'sleep', arguments: { ms: 3000 } };
      assert.equal(textOf(await sdk.call(client, call, { ...LIMIT, onresumptiontoken })), 'rested');
    });

    test('gets it although its old connection hangs and looks alive', async (t) => {
      const gateway = await gatewayFor(t, fixture('hostile'), DEBUG);
      const proxy = await proxyFor(t, gateway.port);
      const client = await connect(t, proxy.url, sdk);
      const progress = [];
      const calling = sdk.call(client, flood(100, 20), {
        ...LIMIT,
        onprogress: (params) => {
          progress.push(params.progress);
          if (progress.length === 10) proxy.hang();
        },
      });
      assert.equal(textOf(await calling), 'flooded');
      assertSteps(progress, 100, MOST);
      await until('the stream of the call is over', async () => (await debugState(gateway)).streams.call === 0);
    });

    test('hears what nobody asked for, once and in order, although the connection breaks', async (t) => {
      const gateway = await gatewayFor(t, fixture('hostile'));
      const proxy = await proxyFor(t, gateway.port);
      const client = await connect(t, proxy.url, sdk);
      const heard = [];
      sdk.hearUpdates(client, ({ params }) => void heard.push(params.uri));
      await sdk.call(client, { name: 'flood_later', arguments: { kind: 'updated', count: 60, every_ms: 50 } });
      await until('it hears', () => heard.length >= 10);
      proxy.cut();
      await until('all is told', () => heard.length >= 60);
      assert.deepEqual(heard, counting(60).map((n) => `test://resource/${n}`));
    });

    test('comes back when it is sent away to poll', async (t) => {
      const gateway = await gatewayFor(t, fixture('hostile'), '--stream-time', '1');
      const client = await connect(t, gateway.url, sdk);
      const progress = [];
      const onprogress = (params) => void progress.push(params.progress);
      assert.equal(textOf(await sdk.call(client, flood(60, 50), { ...LIMIT, onprogress })), 'flooded');
      assertSteps(progress, 60, MOST);
    });
  });
