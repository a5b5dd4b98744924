import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { connect } from '../system/lib/client.mjs';
import { openSession, toolCall } from '../system/lib/session.mjs';

// The first line of the host's output has its URL.
async function startHost(t) {
  const child = spawn(process.env.TROUPE, ['0'], { stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = once(child, 'exit').then(([code, signal]) => signal ?? code);
  t.after(() => child.kill('SIGKILL'));
  let log = '';
  child.stderr.on('data', (chunk) => (log += chunk));
  let said = '';
  for await (const chunk of child.stdout) {
    said += chunk;
    if (said.includes('\n')) break;
  }
  const stop = () => {
    child.kill('SIGTERM');
    return exited;
  };
  return { url: said.trim(), stop, log: () => log };
}

// Posts by hand, because the SDK's client drops progress that it reads in one piece with the answer.
const count = async ({ url }) => (await openSession(url)).post(toolCall(1, 'count', {}, 'how far'));

const isProgress = ({ method }) => method === 'notifications/progress';

test('a host serves its tools', async (t) => {
  const host = await startHost(t);
  const { client } = await connect(t, host.url);
  assert.equal(client.getServerVersion().name, 'calculator');
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map(({ name }) => name), ['add', 'count']);
  const sum = await client.callTool({ name: 'add', arguments: { a: 2, b: 40.5 } });
  assert.equal(sum.structuredContent.sum, 42.5);
  const wrong = await client.callTool({ name: 'add', arguments: { a: 2 } });
  assert.equal(wrong.isError, true);
  assert.match(wrong.content[0].text, /b is missing/);
  await assert.rejects(client.callTool({ name: 'subtract', arguments: {} }), /Unknown tool: subtract/);
});

test('a host answers later and tells how far it is', async (t) => {
  const host = await startHost(t);
  const messages = await (await count(host)).all();
  assert.equal(messages.at(-1).result.content[0].text, 'Counted to ten.');
  const steps = messages.filter(isProgress).map(({ params }) => params.progress);
  assert.deepEqual(steps, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

test('calls in flight finish when the host is told to stop', async (t) => {
  const host = await startHost(t);
  const counting = await count(host);
  await counting.message('that it counts', isProgress);
  const exited = host.stop();
  const messages = await counting.all();
  assert.equal(messages.at(-1).result.content[0].text, 'Counted to ten.');
  assert.equal(await exited, 0, host.log());
});

test('a host stops with a session open and none in flight', async (t) => {
  const host = await startHost(t);
  await connect(t, host.url);
  assert.equal(await host.stop(), 0, host.log());
});
