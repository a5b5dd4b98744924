// A Redis for tests.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { refusesConnections } from './http.mjs';
import { freePort } from './ports.mjs';
import { scratch } from './scratch.mjs';
import { until } from './until.mjs';

const running = new Set();
process.on('exit', () => running.forEach((child) => child.kill('SIGTERM')));

// Resolves with its URL. It lives as long as the test.
export async function startRedis(t) {
  const port = await freePort();
  const end = [];
  t.after(() => Promise.all(end.map((one) => one())));
  const flags = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', scratch()];
  const child = spawn('redis-server', flags, { stdio: 'ignore' });
  running.add(child);
  const exited = once(child, 'exit').then(() => running.delete(child));
  end.push(() => child.kill('SIGTERM') && exited);
  await until('redis listens', async () => !(await refusesConnections(port)));
  return `redis://127.0.0.1:${port}`;
}
