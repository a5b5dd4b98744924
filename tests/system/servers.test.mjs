import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exampleServer, gatewayFor, wrapped } from './lib/gateway.mjs';
import { descriptors, signals } from './lib/processes.mjs';
import { initializeRequest, openSession, post, toolCall } from './lib/session.mjs';
import { until } from './lib/until.mjs';

// Far below the duration of the lost call.
const AT_ONCE = 20_000;

async function assertNeverStarts(t, command) {
  const gateway = await gatewayFor(t, command);
  const began = Date.now();
  const reply = await post(gateway.url, initializeRequest());
  const [answer] = await reply.all();
  assert.equal(answer.error.code, -32603);
  assert.equal(answer.id, 0);
  assert.equal(reply.headers['mcp-session-id'], undefined);
  assert.ok(Date.now() - began < AT_ONCE);
}

async function assertLostCall(gateway, session, reply) {
  const began = Date.now();
  const { error, id } = (await reply.all()).at(-1);
  assert.deepEqual([id, error.code], [1, -32603]);
  assert.ok(Date.now() - began < AT_ONCE);
  await until('the session is gone', async () => (await session.ping()).status === 404, AT_ONCE);
  await until('no process is left', () => gateway.children().length === 0);
}

test('a command that does not exist is an error for the client', (t) => assertNeverStarts(t, ['/no/such/command']));

test('a server that ends before it speaks is an error for the client', (t) =>
  assertNeverStarts(t, ['sh', '-c', 'exit 3']));

test('the name of a command that cannot start is in the log', async (t) => {
  const gateway = await gatewayFor(t, ['no-such-command-anywhere']);
  await (await post(gateway.url, initializeRequest())).done;
  await until('the log names it', () => gateway.log.some((line) => line.includes('no-such-command-anywhere')));
});

test('a server that is killed fails its calls at once, and its session is gone', async (t) => {
  const gateway = await gatewayFor(t, exampleServer);
  const session = await openSession(gateway.url);
  const reply = await session.post(toolCall(1, 'slow', { steps: 600, delay_ms: 100 }, 'doomed'));
  const [server] = gateway.children();
  process.kill(server.pid, 'SIGKILL');
  await assertLostCall(gateway, session, reply);
  await openSession(gateway.url);
});

test('a server that crashes fails its calls at once, and its session is gone', async (t) => {
  const gateway = await gatewayFor(t, exampleServer);
  const session = await openSession(gateway.url);
  await assertLostCall(gateway, session, await session.post(toolCall(1, 'crash')));
  await openSession(gateway.url);
});

test('a server gets the working directory and the variables it was given', async (t) => {
  const script = 'echo "$PWD $STAGE" >&2; exec "$0" "$@"';
  const command = ['sh', '-c', script, ...exampleServer];
  const gateway = await gatewayFor(t, command, '--cwd', '/usr', '--env', 'STAGE=left');
  await openSession(gateway.url);
  await until('the server told them', () => gateway.log.some((line) => line.includes('/usr left')));
});

// The shell blocks signals for a moment while it starts the wrapped command.
function clearOfSignals(pid) {
  const { blocked, ignored } = signals(pid);
  return blocked === 0n && ignored === 0n;
}

test('a server inherits three descriptors and no blocked or ignored signal', async (t) => {
  const gateway = await gatewayFor(t, wrapped(exampleServer));
  await Promise.all([1, 2, 3, 4].map(() => openSession(gateway.url)));
  const shells = gateway.children().filter(({ parent }) => parent === gateway.pid);
  assert.equal(shells.length, 4);
  for (const { pid } of shells) {
    assert.equal(descriptors(pid), 3);
    await until('no signal is blocked or ignored', () => clearOfSignals(pid));
  }
});

test('a server may print lines that are no messages, and fill its error output', async (t) => {
  const line = 'noise '.repeat(20);
  const noise = `echo; echo ready; echo "{"; yes ${line} | head -c 3000000 >&2; exec "$0" "$@"`;
  const gateway = await gatewayFor(t, ['sh', '-c', noise, ...exampleServer]);
  const session = await openSession(gateway.url);
  assert.equal((await session.call(1, 'add', { a: 1, b: 2 })).result.content[0].text, '3');
});
