// The measured programs: gateways and floors. And the load on them.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { serveConfig } from '../../system/lib/config.mjs';
import { options, program } from './options.mjs';

const run = promisify(execFile);
export const echo = program('echo');

// `settings` are additional settings of the server.
export const config = (sharing, settings = {}) => ({
  mcpServers: { echo: { command: echo, sharing, prefix: 'echo', ...settings } },
});
const PATHS = { mcp: '/servers/echo/mcp', sse: '/servers/echo/sse', merged: '/mcp' };

const flags = (given) =>
  Object.entries(given)
    .flatMap(([name, value]) => [value].flat().map((one) => [name, one]))
    .filter(([, value]) => value !== undefined && value !== false)
    .flatMap(([name, value]) => (value === true ? [`--${name}`] : [`--${name}`, String(value)]));

// Fails when the load received a wrong answer.
async function load(mode, given) {
  const times = { seconds: options.seconds, warmup: options.warmup };
  const { stdout } = await run(program('load'), [mode, ...flags({ ...times, ...given })]).catch((error) => {
    throw new Error(`${error.cmd}\n${error.stderr}${error.stdout}`);
  });
  const figures = JSON.parse(stdout);
  return { ...figures, cpuPerCall: figures.cpu_seconds / figures.calls };
}

// A program under load.
export class Side {
  constructor(given) {
    this.given = given;
  }

  load(mode, given = {}) {
    return load(mode, { ...this.given, ...given });
  }
}

export class Floor extends Side {
  static async start(kind) {
    const command = kind === 'http' ? [] : ['--', echo];
    const child = spawn(program('floor'), [kind, ...command], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [port] = await once(createInterface(child.stdout), 'line');
    return new Floor(kind, child, Number(port));
  }

  constructor(kind, child, port) {
    super({ port, observe: child.pid, canned: kind === 'http' });
    Object.assign(this, { kind, child });
  }

  async stop() {
    this.child.kill('SIGKILL');
    await once(this.child, 'exit');
  }
}

export class Troupe extends Side {
  static start(sharing, ...flags) {
    return Troupe.startWith({}, sharing, ...flags);
  }

  // Starts a gateway with these settings of the section `gateway`.
  static startWith(gateway, sharing, ...flags) {
    return Troupe.startConfig({ ...config(sharing), gateway }, ...flags);
  }

  static async startConfig(all, ...flags) {
    return new Troupe(await serveConfig(all, ...flags));
  }

  constructor(gateway) {
    super({ port: gateway.port, observe: gateway.pid });
    this.gateway = gateway;
  }

  load(mode, given = {}, path = 'mcp') {
    return super.load(mode, { path: PATHS[path], ...given });
  }

  stop() {
    return this.gateway.stop();
  }
}

// Sessions at one node whose calls go to another.
export const clusterLoad = (nodes, given) =>
  load('calls', { port: nodes[0].port, path: PATHS.mcp, observe: nodes.map(({ pid }) => pid), ...given });

// The throughput of a child's pipes alone, in lines per second.
export async function rawPipe(depth) {
  const seconds = String(options.seconds);
  const given = ['raw', '--depth', String(depth), '--seconds', seconds, '--', echo];
  return JSON.parse((await run(program('floor'), given)).stdout).per_second;
}

// Runs `happening` with all sides. An error of it takes precedence over errors at the end.
export async function among(starting, happening) {
  const sides = await Promise.all(starting);
  const stop = () => Promise.all(sides.map((side) => side.stop()));
  const result = await happening(...sides).catch(async (error) => {
    await stop().catch(() => {});
    throw error;
  });
  await stop();
  return result;
}
