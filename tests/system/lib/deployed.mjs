// Runs deployments with the files of deploy/. Each container has a mount namespace and a loopback address of its own,
// and free ports.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { readDeployed } from './balancer.mjs';
import { PROGRAM, serveBy } from './gateway.mjs';
import { refusesConnections } from './http.mjs';
import { freePort } from './ports.mjs';
import { scratch } from './scratch.mjs';
import { mountNamespace } from './mount-namespace.mjs';
import { until } from './until.mjs';

// Generated as compose.yaml says.
export const PASSWORD = randomBytes(32).toString('hex');
export const documents = (name) =>
  parseAllDocuments(readDeployed(name), { merge: true }).map((document) => document.toJS());
export const compose = documents('compose.yaml')[0];
const withoutTwo = (text) => text.replaceAll('$$', '$');

const running = new Set();
const end = (child) => {
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
};
process.on('exit', () => running.forEach(end));

// Starts the Redis of compose.yaml, with its password; resolves with its port.
export async function startComposedRedis(t) {
  const port = await freePort();
  const folder = scratch();
  const file = join(folder, 'redis.conf');
  const [shell, ...args] = compose.services.redis.command.map((word) =>
    withoutTwo(word)
      .replace(/(exec redis-server \S+)/, `$1 --port ${port} --bind 127.0.0.1 --dir ${folder}`)
      .replaceAll('/tmp/redis.conf', file));
  const env = { ...process.env, REDIS_PASSWORD: PASSWORD };
  const child = spawn(shell, args, { env, stdio: 'ignore', detached: true });
  running.add(child);
  const exited = once(child, 'exit').then(() => running.delete(child));
  t.after(() => (end(child), exited));
  await until('Redis listens', async () => !(await refusesConnections(port)));
  return port;
}

export class Container {
  // `args` are those of the image. `files` are the mount points of its volumes.
  constructor(t, around, { name, environment, args, files }) {
    Object.assign(this, { t, around, name, args });
    const bin = scratch();
    symlinkSync(PROGRAM, join(bin, 'troupe'));
    const all = { ...environment, PATH: `${bin}:${process.env.PATH}` };
    this.before = ['env', ...Object.entries(all).map(([key, value]) => `${key}=${value}`), ...around.before, 'troupe'];
    for (const [path, content] of Object.entries(files)) around.put(path, content);
    t.after(() => this.stop());
  }

  get isUp() {
    return Boolean(this.gateway) && !this.gateway.signalled && !this.gateway.hasExited;
  }

  get pid() {
    return this.gateway.pid;
  }

  at(path) {
    return this.gateway.at(path);
  }

  children() {
    return this.gateway.children();
  }

  async start() {
    this.gateway = await serveBy([...this.before, ...this.args]);
    return this;
  }

  kill() {
    return this.gateway.signal('SIGKILL');
  }

  // Sends a second signal, which skips the grace period for sessions.
  async stop() {
    if (!this.isUp) return;
    const stopped = this.gateway.stop();
    const drains = () => this.gateway.log.some((line) => line.includes('draining'));
    await until('it drains', () => this.gateway.hasExited || drains());
    this.gateway.child.kill('SIGTERM');
    await stopped;
  }
}

// A mount namespace for each address, with the same host names; nothing where the machine does not allow it.
export function containerNamespaces(t, addresses, names) {
  const all = [];
  for (const _ of addresses) {
    const one = mountNamespace(t);
    if (!one) return undefined;
    one.names(names);
    all.push(one);
  }
  return all;
}
