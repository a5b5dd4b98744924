// A server without a gateway: what it takes by itself.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { toolCall } from './session.mjs';

// How long an `echo` takes that is asked right behind a call to `big`, in milliseconds: the server says so many bytes
// first.
async function echoBehind(send, lines, id, bytes) {
  const began = performance.now();
  send(toolCall(id, 'big', { bytes }));
  send(toolCall(id + 1, 'echo', { message: 'x' }));
  for (let answered = false; !answered; ) answered = JSON.parse((await lines.next()).value).id === id + 1;
  return performance.now() - began;
}

// The same so many times, with the fixture `hostile`.
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
