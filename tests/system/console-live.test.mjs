// The operators' console of a real gateway with real clients.
import assert from 'node:assert/strict';
import { after } from 'node:test';
import { test } from './lib/concurrently.mjs';
import { closeBrowser, openPage } from './lib/browser.mjs';
import { connect } from './lib/client.mjs';
import { startCluster } from './lib/cluster.mjs';
import { gatewayWith } from './lib/config.mjs';
import { browser, textOf } from './lib/console.mjs';
import { exampleServer, fixture } from './lib/gateway.mjs';
import { hold, latch } from './lib/held-calls.mjs';
import { adminOf, ANY_PORT } from './lib/operator.mjs';
import { openSession, toolCall } from './lib/session.mjs';
import { until } from './lib/until.mjs';

after(closeBrowser);

const [command, ...args] = fixture('reload-server');

// A view of a gateway with two servers.
async function consoleOf(t, hash = '', more = {}) {
  const mcpServers = { files: { command, args }, pooled: { command, args, sharing: 'shared' } };
  const gateway = await gatewayWith(t, { mcpServers, ...more }, ...ANY_PORT);
  const page = await openPage(t, `${adminOf(gateway).url}/#/${hash}`, { expects: /404/ });
  return { gateway, page, row: (text) => page.locator('tbody tr').filter({ hasText: text }) };
}

const agree = (page, text) => page.locator('dialog').getByRole('button', { name: text }).click();

test('sessions appear and go while clients come and leave', browser, async (t) => {
  const { gateway, page } = await consoleOf(t, 'sessions');
  const rows = page.locator('tbody tr');
  await page.getByText('There is no such session.').waitFor();
  const session = await openSession(gateway.at('/servers/files/mcp'));
  const { client, transport } = await connect(t, gateway.url);
  await until('both are there', async () => (await rows.count()) === 2);
  const told = await rows.evaluateAll((all) =>
    all.map((row) => [...row.cells].slice(1, 4).map((cell) => cell.textContent)),
  );
  assert.deepEqual(
    told.map(([, server, caller]) => [server, caller]),
    [
      ['files', '–'],
      ['all servers', '–'],
    ],
  );
  assert.ok(session.id.startsWith(told[0][0].replace('…', '')), told[0][0]);
  await session.delete();
  await until('one is gone', async () => (await rows.count()) === 1);
  await transport.terminateSession();
  await client.close();
  await page.getByText('There is no such session.').waitFor();
  assert.deepEqual(page.complaints, []);
});

test('a call that hangs is found and ended, and its client is told', browser, async (t) => {
  const { gateway, page, row } = await consoleOf(t);
  const reply = await hold(await openSession(gateway.at('/servers/files/mcp')), latch().file);
  await row('tools/call hold').getByRole('button', { name: 'End' }).click();
  await agree(page, 'End the call');
  const answer = (await reply.all()).at(-1);
  assert.equal(answer.id, 'held');
  assert.ok(answer.error, JSON.stringify(answer));
  await until('it is gone', async () => (await row('tools/call hold').count()) === 0);
});

test('a session is ended, and its client has to begin again', browser, async (t) => {
  const { gateway, page, row } = await consoleOf(t, 'sessions');
  const session = await openSession(gateway.at('/servers/files/mcp'));
  await row('files').getByRole('button', { name: 'End' }).click();
  await agree(page, /^End session/);
  await until('it is gone', async () => (await session.ping()).status === 404);
});

test('a process is restarted, and messages are followed', browser, async (t) => {
  const { gateway, page, row } = await consoleOf(t, 'servers/pooled');
  const session = await openSession(gateway.at('/servers/pooled/mcp'));
  const pidOf = async () => JSON.parse((await session.call('told', 'told', {})).result.content[0].text).pid;
  const before = await pidOf();
  await row(String(before)).waitFor();
  await page.getByRole('button', { name: 'Restart…' }).click();
  await agree(page, 'Restart it');
  await until('it is gone', async () => (await row(String(before)).count()) === 0);
  await until('another is there', async () => (await page.locator('tbody tr').count()) === 1);
  assert.equal(await textOf(page.locator('tbody th').first()), String(await pidOf()));
  await page.getByRole('link', { name: 'Its sessions' }).click();
  await row('pooled').getByRole('link').first().click();
  await page.getByRole('button', { name: 'Follow' }).click();
  const table = page.locator('.follow table');
  await until('a call is seen', async () => {
    await session.call('seen', 'told', {});
    return (await table.isVisible()) && /client → serverrequesttools\/call told/.test(await textOf(table));
  });
  assert.deepEqual(page.complaints, []);
});

test('another node is shown, and a call there is ended', browser, async (t) => {
  const cluster = await startCluster(t, { nodes: 2, command: exampleServer, flags: ANY_PORT });
  const [here, there] = cluster.nodes;
  const reply = await (await openSession(there.url)).post(toolCall('mine', 'slow', { steps: 1, delay_ms: 60_000 }));
  const page = await openPage(t, `${adminOf(here).url}/#/calls`);
  await page.getByText('No call is in flight.').waitFor();
  await page.getByLabel('Node').selectOption(there.name);
  await page.locator('tbody tr').getByRole('button', { name: 'End' }).click();
  await agree(page, 'End the call');
  assert.ok((await reply.all()).at(-1).error);
  await page.getByRole('link', { name: 'Overview' }).click();
  const nodes = page.locator('tbody tr').filter({ hasText: 'running' });
  await until('all nodes are told', async () => (await nodes.count()) === cluster.nodes.length);
  assert.deepEqual(page.complaints, []);
});

test('it drains when it is told to', browser, async (t) => {
  const { gateway, page } = await consoleOf(t);
  const { file, open } = latch();
  const reply = await hold(await openSession(gateway.at('/servers/files/mcp')), file);
  await page.getByRole('button', { name: 'Gateway' }).click();
  await page.getByRole('button', { name: 'Drain…' }).click();
  await agree(page, 'Drain');
  await until('it says so', async () => (await textOf(page.locator('#state'))) === 'draining');
  open();
  await reply.all();
  assert.equal(await gateway.exited, 0);
});
