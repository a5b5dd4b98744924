// Items of the merged endpoint while some servers cannot start, or fail to list.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { test } from './lib/concurrently.mjs';
import { connect } from './lib/client.mjs';
import { gatewayWith } from './lib/config.mjs';
import { fixture } from './lib/gateway.mjs';
import { DEBUG, debugState } from './lib/state.mjs';
import { until } from './lib/until.mjs';

const stage = mkdtempSync(join(tmpdir(), 'troupe-starts-'));
process.on('exit', () => rmSync(stage, { recursive: true, force: true }));

const LIMIT = 30_000;

const made = (options, more = {}) => {
  const [command, ...args] = fixture('merged', JSON.stringify(options));
  return { command, args, ...more };
};
const namesOf = async (client) => (await client.listTools()).tools.map(({ name }) => name);

function countChanges(client) {
  const seen = [];
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
    seen.push(1);
  });
  return seen;
}

// Asserts that the client gets empty lists until the server starts, and then a notification of its tools.
async function assertComesUp(client, start) {
  const changes = countChanges(client);
  const { tools, prompts, resources, logging, completions } = client.getServerCapabilities();
  assert.deepEqual(
    { tools, prompts, resources, logging, completions },
    {
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      logging: {},
      completions: {},
    },
  );
  assert.deepEqual(await namesOf(client), []);
  assert.deepEqual((await client.listPrompts()).prompts, []);
  assert.deepEqual((await client.listResources()).resources, []);
  start();
  await until('the change is reported', () => changes.length > 0, LIMIT);
  await until('the tool is listed', async () => (await namesOf(client)).join() === 'late__tool-1', LIMIT);
}

for (const sharing of ['session', 'shared']) {
  test(`a session that began while its servers failed has their tools once they run: ${sharing}`, async (t) => {
    const needs = join(stage, sharing);
    const restart = { firstDelay: '100ms', longestDelay: '200ms', attempts: 1000 };
    const late = made({ label: 'late', needs }, { sharing, restart });
    const gateway = await gatewayWith(t, { mcpServers: { late, dead: { command: '/no/such/command' } } });
    const { client } = await connect(t, gateway.url);
    await assertComesUp(client, () => writeFileSync(needs, ''));
  });
}

test('a session that began while starts were refused has the tools once they are not', async (t) => {
  const needs = join(stage, 'refused');
  const late = made({ label: 'late', needs }, { restart: { attempts: 1, rest: '1s' } });
  const gateway = await gatewayWith(t, { mcpServers: { late, dead: { command: '/no/such/command' } } });
  await connect(t, gateway.url);
  await until('starts are refused', () => gateway.log.some((line) => /error.*server (failed|is not started).*"late"/.test(line)));
  const { client } = await connect(t, gateway.url);
  await assertComesUp(client, () => writeFileSync(needs, ''));
});

test('the first session waits for the instructions of eager servers, and for others as long as it is told', async (t) => {
  const instructions = 'Be kind.';
  const needs = join(stage, 'instructions');
  const mcpServers = {
    eager: made({ label: 'eager', instructions }, { eager: true }),
    other: made({ label: 'other', instructions, needs }),
  };
  const of = async (gateway) => {
    const running = await gatewayWith(t, { mcpServers, gateway });
    return (await connect(t, running.url)).client.getInstructions();
  };
  assert.equal(await of({ instructionsPatience: '1ms' }), `eager:\n${instructions}`);
  writeFileSync(needs, '');
  assert.equal(await of({ instructionsPatience: '25s' }), `eager:\n${instructions}\n\nother:\n${instructions}`);
});

test('a server that fails to list is logged and a problem until its part is back, which is announced', async (t) => {
  const there = join(stage, 'lists');
  const mcpServers = { failing: made({ label: 'failing', lists: there }), alive: made({ label: 'alive' }) };
  const gateway = await gatewayWith(t, { mcpServers, gateway: { listPatience: '5m' } }, DEBUG);
  const clients = [await connect(t, gateway.url), await connect(t, gateway.url)].map(({ client }) => client);
  const changes = clients.map(countChanges);
  const problems = async () => (await debugState(gateway)).problems.join();
  for (const client of clients) assert.deepEqual(await namesOf(client), ['alive__tool-1']);
  const cause = '`tools/list` of `failing` failed: rate limited';
  await until('the problem is known', async () => (await problems()).includes(cause));
  await until('it is logged', () => gateway.log.some((line) => line.includes(cause)));
  assert.equal(gateway.log.filter((line) => line.includes(cause)).length, 1, gateway.told('logged once'));
  writeFileSync(there, '');
  await until('the part is announced', () => changes.every((seen) => seen.length > 0), LIMIT);
  for (const client of clients) assert.deepEqual(await namesOf(client), ['failing__tool-1', 'alive__tool-1']);
  await until('the problem is gone', async () => (await problems()) === '');
});
