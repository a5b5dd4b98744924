import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { descendants, isRunning, SLOWNESS } from './processes.mjs';
import { until } from './until.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const LOG = ['--log-format', 'json'];
const DEFAULTS = { '--host': '127.0.0.1', '--port': '0' };
const START_LIMIT = 60_000 * SLOWNESS;
const STOP_LIMIT = 40_000 * SLOWNESS;

export const PROGRAM = process.env.TROUPE ? resolve(process.env.TROUPE) : here('../../../build/release/troupe');
// The path below the nearest folder of the program that has it.
function inBuildTree(path) {
  const all = [];
  for (let folder = PROGRAM; folder !== dirname(folder); ) all.push(join((folder = dirname(folder)), path));
  return all.find((one) => existsSync(one)) ?? all[0];
}
// A library to preload, see `suspension.cpp`.
export const SUSPENSION = join(dirname(PROGRAM), 'tests/system/libsuspension.so');
// The program built with one more version of the node protocol.
export const NEXT_PROGRAM = join(dirname(PROGRAM), 'tests/system/troupe-next');
// The command of a Node program of the tests or of their packages.
export const nodeProgram = (path, ...args) => [process.execPath, '--require', here('compiled.cjs'), path, ...args];
// A server for tests: in C++ where many are started, otherwise a Node program. It is in the build tree of the program.
export const FIXTURE_SERVER = inBuildTree('tests/system/fixture-server');
const BUILT = new Set(['counter', 'hostile', 'merged', 'reload-server', 'witness']);
export const exampleServer = [FIXTURE_SERVER, 'example'];
export const fixture = (name, ...args) =>
  BUILT.has(name) ? [FIXTURE_SERVER, name, ...args] : nodeProgram(here(`../fixture/${name}.mjs`), ...args);
export const everything = nodeProgram(here('../node_modules/@modelcontextprotocol/server-everything/dist/index.js'));
// The log messages of `toggle-simulated-logging`. One of its eight levels has a different text.
export const SIMULATED_LOG = /-level message|Alert level-message/;

// Runs the command like npx: a shell that waits for the server instead of replacing itself.
export const wrapped = (command) => ['sh', '-c', '"$0" "$@"; exit $?', ...command];

const running = new Set();
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

function run([program, ...args]) {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

export const runProgram = (...args) => run([PROGRAM, ...args]);

function collectLines(stream) {
  const lines = [];
  let rest = '';
  stream.setEncoding('utf8').on('data', (chunk) => {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop();
    lines.push(...parts);
  });
  return lines;
}

function urlIn(lines) {
  for (const line of lines) {
    if (!line.includes('"url"')) continue;
    const { msg, url } = JSON.parse(line);
    if (msg === 'listening for operators') continue; // hosts log their own messages
    if (url?.endsWith('/mcp') || url?.startsWith('unix:')) return url;
  }
  return undefined;
}

class Gateway {
  constructor(child) {
    this.child = child;
    this.log = collectLines(child.stderr);
    this.exited = once(child, 'exit').then(([code, signal]) => signal ?? code);
    child.stdout.resume();
  }

  get pid() {
    return this.child.pid;
  }

  get hasExited() {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  get port() {
    return Number(new URL(this.url).port);
  }

  at(path) {
    return new URL(path, this.url).href;
  }

  children() {
    return descendants(this.pid);
  }

  async listening() {
    this.url = await until(
      'the gateway listens',
      () => {
        if (this.hasExited) throw new Error(this.told(`the gateway ended with ${this.child.exitCode}`));
        return urlIn(this.log);
      },
      START_LIMIT,
    );
    return this;
  }

  // Resolves with the exit code, or the signal that ended the process.
  async signal(name) {
    this.signalled = true;
    this.child.kill(name);
    return this.exited;
  }

  // Every test ends with a clean exit that leaves no process behind.
  async stop() {
    if (this.signalled) return;
    const below = this.children();
    const late = setTimeout(() => this.child.kill('SIGKILL'), STOP_LIMIT);
    const code = await this.signal('SIGTERM');
    clearTimeout(late);
    assert.equal(code, 0, this.told('the gateway must stop cleanly'));
    await until('the processes below the gateway are gone', () => !below.some(isRunning));
  }

  told(message) {
    const report = this.log.findIndex((line) => line.includes('Sanitizer: '));
    return [message, ...this.log.slice(report < 0 ? -30 : report)].join('\n');
  }
}

// The complete command of a gateway with these flags.
export const serving = (...args) => servingBy(PROGRAM, ...args);

export function servingBy(program, ...args) {
  const given = args.slice(0, args.indexOf('--') + 1 || undefined);
  const missing = Object.entries(DEFAULTS).filter(([flag]) => !given.includes(flag));
  return [program, 'serve', ...missing.flat(), ...LOG, ...args];
}

// A gateway whose flags already request JSON logs.
export const serveBy = (command) => new Gateway(run(command)).listening();

export const serve = (...args) => serveBy(serving(...args));

export async function startGateway(command, ...flags) {
  if (!process.env.TROUPE_VIA) return serve(...flags, '--', ...command);
  const { startVia } = await import('./via.mjs');
  return startVia(command, ...flags);
}

// A gateway for one test.
export async function gatewayFor(test, command, ...flags) {
  const gateway = await startGateway(command, ...flags);
  test.after(() => gateway.stop());
  return gateway;
}
