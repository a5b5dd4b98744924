// SIGUSR2: HTTP+SSE (2024-11-05) clients begin sessions on connections to the old process.
import assert from 'node:assert/strict';
import http from 'node:http';
import { Client, SSEClientTransport } from './lib/client.mjs';
import { test } from './lib/concurrently.mjs';
import { exampleServer, gatewayFor } from './lib/gateway.mjs';
import { request } from './lib/http.mjs';
import { openSession } from './lib/session.mjs';
import { openSseSession } from './lib/sse.mjs';
import { upgraded } from './lib/upgraded.mjs';

test('a client of 2024-11-05 on an old connection begins its session at the new process', async (t) => {
  const gateway = await gatewayFor(t, exampleServer);
  const session = await openSession(gateway.url);
  const agents = [1, 2].map(() => new http.Agent({ keepAlive: true, maxSockets: 1 }));
  t.after(() => agents.forEach((agent) => agent.destroy()));
  const [kept] = agents;
  for (const agent of agents) await (await request(gateway.at('/healthz'), { agent })).done;
  await upgraded(t, gateway);
  const accept = 'text/event-stream';
  const reply = await request(gateway.at('/sse?x=1'), { agent: kept, headers: { accept } });
  await reply.done;
  assert.deepEqual([reply.status, reply.headers.location, reply.headers.connection], [307, './sse?x=1', 'close']);
  const sse = await openSseSession(gateway);
  const stream = await request(session.url, { headers: { accept, ...session.headers }, agent: agents[1] });
  assert.equal(stream.headers.connection, 'close', 'a stream on an old connection is its last answer');
  assert.equal((await session.delete()).status, 200);
  assert.equal(await gateway.exited, 0);
  assert.equal((await sse.call(1, 'echo', { message: 'at the new one' })).result.content[0].text, 'at the new one');
  sse.close();
});

// The official client follows the redirection as the platform's fetch does.
test('the SDK of 2024-11-05 connects on an old connection of its own', async (t) => {
  const gateway = await gatewayFor(t, exampleServer);
  const session = await openSession(gateway.url);
  assert.equal((await fetch(gateway.at('/healthz'))).status, 200);
  await upgraded(t, gateway);
  const client = new Client({ name: 'sse', version: '1' });
  await client.connect(new SSEClientTransport(new URL(gateway.at('/sse'))));
  t.after(() => client.close());
  assert.equal((await session.delete()).status, 200);
  assert.equal(await gateway.exited, 0);
  assert.ok((await client.listTools()).tools.length > 0);
});
