// Sessions, their connections and a shared server on several threads.
import assert from 'node:assert/strict';
import http from 'node:http';
import { after, before, suite, test } from 'node:test';
import { serveConfig } from './lib/config.mjs';
import { exampleServer } from './lib/gateway.mjs';
import { request } from './lib/http.mjs';
import { openSession, POST_HEADERS, toolCall } from './lib/session.mjs';

const SESSIONS = 12;
const CALLS = 60;

suite('with three threads', () => {
  let gateway;
  before(async () => {
    const [command, ...args] = exampleServer;
    const served = (sharing) => ({ command, args, sharing });
    gateway = await serveConfig({ mcpServers: { shared: served('shared'), own: served('session') } }, '--threads', '3');
  });
  after(() => gateway.stop());

  // Each session alternates between two connections, so that they are on any threads.
  for (const name of ['shared', 'own'])
    test(`each call is answered on the connection that it came on, server ${name}`, async () => {
      const url = new URL(`/servers/${name}/mcp`, gateway.url).href;
      const caller = async (number) => {
        const session = await openSession(url);
        const agents = [1, 2].map(() => new http.Agent({ keepAlive: true, maxSockets: 1 }));
        for (let i = 0; i < CALLS; ++i) {
          const agent = agents[Math.floor(i / 6) % 2];
          const body = JSON.stringify(toolCall(i, 'echo', { message: `${number} ${i}` }));
          const headers = { ...POST_HEADERS, ...session.headers };
          const reply = await request(url, { method: 'POST', headers, body, agent });
          assert.equal(reply.status, 200);
          const [{ id, result }] = await reply.all();
          assert.equal(id, i);
          assert.match(result.content[0].text, new RegExp(`${number} ${i}$`));
        }
        for (const agent of agents) agent.destroy();
        await session.delete();
      };
      await Promise.all(Array.from({ length: SESSIONS }, (_, number) => caller(number)));
    });
});
