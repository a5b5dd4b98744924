// Stdio clients that use `troupe connect`.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { Client as ModernClient } from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernStdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { PROGRAM } from './gateway.mjs';
import { until } from './until.mjs';

const commandTo = (url, flags, env) => ({
  command: PROGRAM,
  args: ['connect', url, ...flags],
  env: { ...process.env, ...env },
  stderr: 'pipe',
});

async function joined(t, client, transport) {
  const log = [];
  transport.stderr.setEncoding('utf8').on('data', (text) => log.push(text));
  await client.connect(transport);
  const { pid } = transport;
  t.after(() => client.close());
  return { client, transport, pid, log: () => log.join('') };
}

// Connects the official client. `prepare` runs before it connects.
export async function stdioClient(t, url, { flags = [], env = {}, can = {}, prepare = () => {} } = {}) {
  const client = new Client({ name: 'only-stdio', version: '7' }, { capabilities: can });
  prepare(client);
  return joined(t, client, new StdioClientTransport(commandTo(url, flags, env)));
}

// Connects the official client of both eras.
export async function modernStdioClient(t, url, { mode, can = {}, prepare = () => {} }) {
  const client = new ModernClient({ name: 'only-stdio', version: '8' }, { capabilities: can, versionNegotiation: { mode } });
  prepare(client);
  return joined(t, client, new ModernStdioClientTransport(commandTo(url, [], {})));
}

// A client that writes its lines by hand.
class Piped {
  #rest = '';
  messages = [];
  stray = [];
  log = '';

  constructor(child) {
    this.child = child;
    this.exited = once(child, 'exit').then(([code, signal]) => signal ?? code);
    child.stdin.on('error', () => {});
    child.stdout.setEncoding('utf8').on('data', (text) => this.#take(text));
    child.stderr.setEncoding('utf8').on('data', (text) => (this.log += text));
  }

  #take(text) {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop();
    for (const line of lines) {
      const message = JSON.parse(line);
      (message.method || message.id !== undefined ? this.messages : this.stray).push(message);
    }
  }

  write(text) {
    this.child.stdin.write(`${text}\n`);
  }

  send(message) {
    this.write(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }

  hear(what, matches) {
    return until(what, () => this.messages.find(matches));
  }

  answer(id) {
    return this.hear(`the answer to ${id}`, (message) => message.id === id && !message.method);
  }

  ask(id, method, params = {}) {
    this.send({ id, method, params });
    return this.answer(id);
  }

  async initialize(capabilities = {}) {
    const params = { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'by-hand', version: '3' } };
    const { result } = await this.ask('start', 'initialize', params);
    assert.ok(result, this.log);
    this.send({ method: 'notifications/initialized' });
    return result;
  }

  // Closes stdin, and resolves with the exit status.
  end() {
    this.child.stdin.end();
    return this.exited;
  }
}

export function pipedTo(t, url, flags = [], env = {}) {
  const { command, args, env: environment } = commandTo(url, flags, env);
  const piped = new Piped(spawn(command, args, { env: environment, stdio: 'pipe' }));
  t.after(async () => {
    piped.child.kill('SIGKILL');
    await piped.exited;
  });
  return piped;
}
