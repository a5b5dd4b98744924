// A server without a gateway, to measure its own latency.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { toolCall } from './session.mjs';

// The latency in milliseconds of an `echo` sent right behind a call to `big`, whose answer has so many bytes.
async function echoBehind(send, lines, id, bytes) {
  const began = performance.now();
  send(toolCall(id, 'big', { bytes }));
  send(toolCall(id + 1, 'echo', { message: 'x' }));
  for (let answered = false; !answered; ) answered = JSON.parse((await lines.next()).value).id === id + 1;
  return performance.now() - began;
}

// Repeats the measurement with the fixture `hostile`.
export async function echoesBehind([command, ...args], bytes, times) {
  const server = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  const exit = once(server, 'exit');
  const lines = createInterface({ input: server.stdout, crlfDelay: Infinity })[Symbol.asyncIterator]();
  const send = (message) => server.stdin.write(`${JSON.stringify(message)}\n`);
  const result = [];
  for (let n = 0; n < times; ++n) result.push(await echoBehind(send, lines, 2 * n + 1, bytes));
  server.kill('SIGKILL');
  await exit;
  return result;
}
