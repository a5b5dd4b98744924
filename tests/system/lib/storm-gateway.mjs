// Gateway of a storm, which new processes replace again and again (SIGUSR2).
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fixture, serveBy, serving } from './gateway.mjs';
import { request } from './http.mjs';
import { freePort } from './ports.mjs';
import { runningWith } from './processes.mjs';
import { scratch } from './scratch.mjs';
import { until } from './until.mjs';
import { hasEnded, records } from './upgraded.mjs';

const LIMIT = 60_000;
// Time for a process without sessions to end.
const END_LIMIT = 15_000;

export class ReplacedGateway {
  #logs = [];

  constructor(table, random) {
    Object.assign(this, { table, random, base: join(scratch(), 'witness'), clients: [] });
  }

  async start() {
    this.port ??= await freePort();
    this.file ??= join(scratch(), 'mcp.json');
    const [command, ...args] = fixture('witness', this.base);
    writeFileSync(this.file, JSON.stringify({ mcpServers: { a: { command, args } } }));
    const { pid, log } = await serveBy(serving('--port', String(this.port), '--config', this.file));
    this.#logs.push(log);
    this.pid = pid;
    return this;
  }

  get url() {
    return `http://127.0.0.1:${this.port}/`;
  }

  hasEnded = hasEnded;

  // Processes of the gateway, the oldest first. The log lacks one whose predecessor was killed as it started it.
  get #processes() {
    return runningWith(this.file).map(({ pid }) => pid);
  }

  #records(msg) {
    return records({ log: this.#logs.flat() }, msg);
  }

  // Resolves with true when a new process has taken over, with false when it was refused.
  async handOver() {
    const [taken, refused] = ['another process has taken over', 'no upgrade: this process serves on'];
    const before = [taken, refused].map((msg) => this.#records(msg).length);
    this.order();
    const [one, why] = await until('another process takes over', () => {
      const news = [taken, refused].map((msg, index) => this.#records(msg)[before[index]]);
      return news.some(Boolean) && news;
    }, LIMIT);
    if (why) this.table.add('not replaced', this.table.fault, why.reason);
    if (one) this.pid = Number(one.process);
    return Boolean(one);
  }

  get #starts() {
    return this.#records('another process starts to take over').length;
  }

  order() {
    this.startsBefore = this.#starts;
    if (!hasEnded(this.pid)) process.kill(this.pid, 'SIGUSR2');
  }

  // Returns whether a process accepts clients. Starts one if all have ended. That is no fault if the only one was
  // killed before it started another.
  async isServing() {
    const left = this.#processes;
    if (left.length === 0) {
      const last = this.pid;
      // A new process that has not run its program yet may still have the socket.
      const isStarted = await this.start().catch(() => false);
      if (isStarted && this.#starts > this.startsBefore)
        this.table.add('nobody serves', this.table.fault, `${last} and all before it have ended`);
      return Boolean(isStarted);
    }
    this.pid = left.at(-1);
    const reply = await request(new URL('/healthz', this.url)).catch(() => undefined);
    await reply?.done;
    return reply?.status === 200;
  }

  // Gives each client another session, so that the old processes end.
  async renewSessions() {
    await Promise.all(this.clients.map((client) => client.renew()));
    const old = this.#processes.filter((pid) => pid !== this.pid);
    await until('the old processes have ended', () => old.every(hasEnded), END_LIMIT).catch(() =>
      this.table.add('not replaced', this.table.fault, 'an old process does not end'));
  }

  async stop() {
    if (!hasEnded(this.pid)) process.kill(this.pid, 'SIGTERM');
    await until('it has ended', () => hasEnded(this.pid), LIMIT);
  }
}
