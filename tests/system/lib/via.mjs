// Runs the tests with a remote server: TROUPE_VIA names what is between the gateway and the command.
//
//   troupe      a second gateway, over Streamable HTTP
//   troupe-sse  a second gateway, over HTTP+SSE
//   http, sse   the server's own transport of that kind if it has one, otherwise a second gateway
//   cluster     no second gateway, but three nodes of a cluster behind a load balancer
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { serveConfig } from './config.mjs';
import { everything, fixture, serve } from './gateway.mjs';
import { refusesConnections } from './http.mjs';
import { freePort } from './ports.mjs';
import { descendants } from './processes.mjs';
import { until } from './until.mjs';

export const VIA = process.env.TROUPE_VIA || undefined;
const KINDS = ['troupe', 'troupe-sse', 'http', 'sse', 'cluster'];
if (VIA && !KINDS.includes(VIA)) throw new Error(`TROUPE_VIA is none of ${KINDS.join(', ')}: ${VIA}`);

const START_LIMIT = 60_000;
const NAME = 'remote';
const isSse = VIA === 'troupe-sse' || VIA === 'sse';

// Flags of a local process, which a remote server cannot have.
const FLAGS_OF_COMMAND = new Set(['--env', '--cwd']);

const running = new Set();
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));

// A Node program that serves a port, without a gateway.
export class RemoteServer {
  constructor(command, port, path, environment = {}) {
    this.url = `http://127.0.0.1:${port}${path}`;
    this.port = port;
    this.child = spawn(command[0], command.slice(1), {
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'ignore', 'ignore'],
    });
    running.add(this.child);
    this.exited = once(this.child, 'exit').then(() => running.delete(this.child));
  }

  get pid() {
    return this.child.pid;
  }

  children() {
    return descendants(process.pid).filter(({ pid }) => pid === this.pid);
  }

  async listening() {
    const isThere = async () => {
      if (this.child.exitCode !== null) throw new Error(`the remote server ended with ${this.child.exitCode}`);
      return !(await refusesConnections(this.port));
    };
    await until('the remote server listens', isThere, START_LIMIT);
    return this;
  }

  async signal(name) {
    this.child.kill(name);
    return this.exited;
  }

  // The process needs no graceful shutdown.
  stop() {
    return this.signal('SIGKILL');
  }
}

// Starts the reference server in its other modes.
export async function startEverything(mode, port = undefined) {
  const at = port ?? (await freePort());
  const path = mode === 'sse' ? '/sse' : '/mcp';
  return new RemoteServer([...everything, mode], at, path, { PORT: String(at) }).listening();
}

// Starts the fixture with the SDK's Streamable HTTP transport.
export async function startFixture(port = undefined) {
  const at = port ?? (await freePort());
  return new RemoteServer(fixture('http', String(at)), at, '/mcp').listening();
}

const isSame = (one, other) => one.join('\0') === other.join('\0');

// The function that starts the command with the wanted transport, if it has that.
export function ownTransport(command) {
  if (VIA !== 'http' && VIA !== 'sse') return undefined;
  if (isSame(command, everything)) return () => startEverything(isSse ? 'sse' : 'streamableHttp');
  return !isSse && isSame(command, fixture('stdio')) ? () => startFixture() : undefined;
}

async function startBehind(command, flags) {
  const own = ownTransport(command);
  if (own) return own();
  const gateway = await serve(...flags, '--', ...command);
  if (isSse) gateway.url = gateway.at('/sse');
  return gateway;
}

function divided(flags) {
  const parts = { front: [], behind: [] };
  for (let index = 0; index < flags.length; ++index) {
    const ofCommand = FLAGS_OF_COMMAND.has(flags[index]);
    (ofCommand ? parts.behind : parts.front).push(flags[index]);
    if (ofCommand) parts.behind.push(flags[++index]);
  }
  return parts;
}

// A gateway in front of the command's remote twin, with the interface of a direct gateway.
export async function startVia(command, ...flags) {
  if (VIA === 'cluster') return (await import('./cluster.mjs')).startFront(command, flags);
  const { front: ofFront, behind: ofCommand } = divided(flags);
  const behind = await startBehind(command, ofCommand);
  const config = { mcpServers: { [NAME]: { type: isSse ? 'sse' : 'http', url: behind.url } } };
  const front = await serveConfig(config, ...ofFront).catch(async (error) => {
    await behind.stop();
    throw error;
  });
  const stop = front.stop.bind(front);
  const at = front.at.bind(front);
  front.at = (path) => at(path === '/sse' || path === '/mcp' ? `/servers/${NAME}${path}` : path);
  front.url = front.at('/mcp');
  front.behind = behind;
  front.children = () => behind.children();
  front.stop = async () => {
    try {
      // The processes belong to the second gateway.
      front.children = () => [];
      await stop();
    } finally {
      await behind.stop();
    }
  };
  return front;
}
