// Clients behind the load balancers that deploy/ has files for.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { balancerNames, checkBalancer, startBalancer } from './lib/balancer.mjs';
import { fixture, gatewayFor } from './lib/gateway.mjs';
import { scratch } from './lib/scratch.mjs';
import { initializeRequest, openSession, post, toolCall } from './lib/session.mjs';
import { until } from './lib/until.mjs';

async function sessionBehind(t, name) {
  const gateway = await gatewayFor(t, fixture('reload-server'));
  const url = `${await startBalancer(t, name, [gateway.port])}/mcp`;
  return { url, gateway, session: await openSession(url) };
}

// A node that takes requests and is gone before it answers; counts them.
async function dyingNode(t) {
  const node = { requests: 0 };
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (data) => {
      if (!String(data).startsWith('POST')) return socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
      node.requests += 1;
      return socket.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  node.port = server.address().port;
  return node;
}

for (const name of balancerNames) {
  test(`${name} takes its file`, async (t) => {
    const { code, said } = await checkBalancer(t, name);
    assert.equal(code, 0, said);
  });

  test(`events pass ${name} when they happen`, async (t) => {
    const { session } = await sessionBehind(t, name);
    const file = join(scratch(t), 'open');
    const reply = await session.post(toolCall('held', 'hold', { file }, 'mine'));
    await reply.message('progress before the answer', ({ method }) => method === 'notifications/progress');
    assert.equal(reply.ended, false);
    writeFileSync(file, '');
    assert.equal((await reply.all()).at(-1).result.content[0].text, 'held');
  });

  test(`a stream passes ${name}, and so does its end`, async (t) => {
    const { session } = await sessionBehind(t, name);
    const stream = await session.listen();
    assert.equal(stream.status, 200);
    await until('the stream has begun', () => stream.received !== '');
    assert.equal((await session.delete()).status, 200);
    await stream.done;
  });

  test(`a session that is gone is a 404 behind ${name}`, async (t) => {
    const { session } = await sessionBehind(t, name);
    await session.delete();
    const reply = await session.ping();
    const [answer] = await reply.all();
    assert.deepEqual([reply.status, answer.error.code], [404, -32600]);
  });

  test(`${name} never sends a POST again that may have run`, async (t) => {
    const node = await dyingNode(t);
    const url = await startBalancer(t, name, [node.port]);
    const reply = await post(`${url}/mcp`, initializeRequest());
    assert.equal(reply.status, 502);
    assert.equal(node.requests, 1);
  });

  test(`${name} goes to another node when one cannot be reached`, async (t) => {
    const gateway = await gatewayFor(t, fixture('reload-server'));
    const url = await startBalancer(t, name, [gateway.port, 1, 1]);
    for (let i = 0; i < 6; i += 1) assert.equal((await post(`${url}/mcp`, initializeRequest())).status, 200);
  });
}
