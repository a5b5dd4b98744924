// Gateways that form a cluster.
import assert from 'node:assert/strict';
import { closeSync, copyFileSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { startBalancer } from './balancer.mjs';
import { Authority } from './certificates.mjs';
import { serveConfigBy } from './config.mjs';
import { PROGRAM, serveBy, servingBy, SUSPENSION } from './gateway.mjs';
import { request } from './http.mjs';
import { Links } from './links.mjs';
import { freePorts } from './ports.mjs';
import { SANITIZED, SLOWNESS } from './processes.mjs';
import { scratch } from './scratch.mjs';
import { Session } from './session.mjs';
import { DEBUG, debugState } from './state.mjs';
import { until, within } from './until.mjs';

// Heartbeat for tests in which a node is lost.
export const HEARTBEAT = 5;
// Heartbeat for all other tests: no node is considered lost on a busy machine.
export const PATIENT = 10;
const JOIN_LIMIT = 60_000 * SLOWNESS;
export const KEY = 'the secret of a cluster of tests';

// The session, addressed at another gateway.
export const at = (node, session) => {
  const { pathname, search } = new URL(session.url);
  return new Session(node.at(pathname + search), session.id, session.version, session.credentials);
};

export const statusOf = async (node, path) => {
  const reply = await within(`${path} of ${node.name}`, request(node.at(path)).catch(() => undefined));
  await within(`the end of ${path} of ${node.name}`, reply?.done);
  return reply?.status;
};

export class ClusterNode {
  constructor(name, httpPort, clusterPort) {
    this.name = name;
    this.httpPort = httpPort;
    this.flags = [];
    this.program = PROGRAM;
    this.lives = 0;
    this.liveAt('127.0.0.1', clusterPort);
  }

  // Starts the node with these addresses for other nodes. `before` is a command prefix.
  liveAt(host, clusterPort, before = []) {
    Object.assign(this, { clusterPort, before, address: `${host}:${clusterPort}`, listens: `${host}:${clusterPort}` });
  }

  get pid() {
    return this.isUp ? this.gateway.pid : undefined;
  }

  get url() {
    return `http://127.0.0.1:${this.httpPort}/mcp`;
  }

  get port() {
    return this.httpPort;
  }

  get log() {
    return this.gateway.log;
  }

  get hasExited() {
    return this.gateway.hasExited;
  }

  get isUp() {
    return Boolean(this.gateway) && !this.gateway.signalled && !this.gateway.hasExited;
  }

  at(path) {
    return new URL(path, this.url).href;
  }

  children() {
    return this.gateway.children();
  }

  told(message) {
    return `${this.name}: ${this.gateway.told(message)}`;
  }

  async start() {
    const flags = ['--port', String(this.httpPort), '--node', this.name, DEBUG, '--trusted-proxy', '127.0.0.1', ...this.flags];
    const { command, config } = this.serves;
    const served = () => serveBy([...this.before, ...servingBy(this.program, ...flags, '--', ...command)]);
    this.gateway = await (config ? serveConfigBy(this.program, config, ...flags) : served());
    this.lives += 1;
    return this;
  }

  async kill() {
    await this.gateway.signal('SIGKILL');
  }

  freeze() {
    this.gateway.child.kill('SIGSTOP');
  }

  thaw() {
    this.gateway.child.kill('SIGCONT');
  }

  // Makes the node's next life one that can be suspended.
  suspendable() {
    const folder = scratch();
    this.suspendedTime = join(folder, 'suspended');
    this.suspended = 0n;
    this.#tellSuspended('w');
    const by = `LD_PRELOAD='${SUSPENSION}' SUSPENDED_TIME='${this.suspendedTime}'`;
    this.program = join(folder, 'troupe');
    writeFileSync(this.program, `#!/bin/sh\n${by} exec '${PROGRAM}' "$@"\n`, { mode: 0o755 });
  }

  // Stops the node as a suspended machine does: until it wakes up, its steady clock stands still.
  suspend() {
    this.freeze();
    this.suspendedAt = process.hrtime.bigint();
  }

  wake() {
    this.suspended += process.hrtime.bigint() - this.suspendedAt;
    this.#tellSuspended('r+');
    this.thaw();
  }

  // Writes without truncation: the node has mapped the file.
  #tellSuspended(how) {
    const text = Buffer.alloc(8);
    text.writeBigInt64LE(this.suspended);
    const file = openSync(this.suspendedTime, how);
    writeSync(file, text);
    closeSync(file);
  }

  // A second signal skips the grace period for sessions of other nodes.
  async stop() {
    if (!this.gateway) return;
    this.thaw();
    const stopped = this.gateway.stop();
    await until('it drains', () => this.hasExited || this.logged('draining'));
    if (!this.hasExited) this.gateway.child.kill('SIGTERM');
    await stopped;
    await this.gateway.exited;
  }

  // Starts the node again at the same addresses.
  async restart() {
    await this.stop();
    return this.start();
  }

  async others() {
    return (await debugState(this)).cluster.nodes;
  }

  async knows(...nodes) {
    const names = (await this.others()).map(({ name }) => name);
    return nodes.every(({ name }) => names.includes(name));
  }

  // All log lines with this message.
  allLogged(msg, facts = {}) {
    return this.log
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line))
      .filter((line) => line.msg === msg && Object.entries(facts).every(([key, value]) => line[key] === value));
  }

  logged(msg, facts) {
    return this.allLogged(msg, facts)[0];
  }

  // The file given with this flag.
  fileOf(flag) {
    return this.flags[this.flags.indexOf(flag) + 1];
  }
}

function copyOf(file, to) {
  copyFileSync(file, to);
  return to;
}

// Resolves when none of these nodes would pass a call on to the killed node, where it would fail.
export const missed = (killed, ...nodes) =>
  until(`${killed.name} is missed`, async () => {
    const known = await Promise.all(nodes.map((node) => node.knows(killed)));
    return !known.some(Boolean);
  });

class Cluster {
  constructor(t, options) {
    this.t = t;
    this.options = options;
    t.after(() => this.stop());
    this.folder = scratch();
    this.keyFile = join(this.folder, 'key');
    writeFileSync(this.keyFile, options.key ?? KEY);
    // Gives each node its own files, for tests that change secrets one by one.
    this.apart = options.apart;
    this.authority = options.tls ? new Authority(this.folder, 'authority') : undefined;
    this.links = options.proxied ? new Links(() => this.nodes) : undefined;
    this.nodes = [];
  }

  // Makes nodes without starting them. If there are several `programs`, nodes use them in turn.
  async make(count) {
    const { programs = [PROGRAM] } = this.options;
    const ports = await freePorts(2 * count);
    const made = Array.from({ length: count }, (_, index) => {
      const name = `node-${this.nodes.length + index + 1}`;
      return new ClusterNode(name, ports[2 * index], ports[2 * index + 1]);
    });
    this.nodes.push(...made);
    made.forEach((node, index) => (node.program = programs[index % programs.length]));
    for (const node of made) if (this.links) node.address = await this.links.before(node);
    return made;
  }

  // The node's secret files: shared ones, or its own if the files are apart.
  keyFileOf({ name }) {
    return this.apart ? copyOf(this.keyFile, join(this.folder, `${name}-key`)) : this.keyFile;
  }

  tlsFlagsOf({ name }) {
    const { certificate, key } = this.authority.issue(name);
    const flags = this.authority.flags({ certificate, key });
    return this.apart ? [...flags.slice(0, -1), copyOf(flags.at(-1), join(this.folder, `${name}-ca`))] : flags;
  }

  flagsOf(node, joins) {
    const { heartbeat = PATIENT, flags = [] } = this.options;
    return [
      ...['--cluster-listen', node.listens, '--cluster-key', this.keyFileOf(node)],
      ...(heartbeat ? ['--heartbeat', String(heartbeat)] : []),
      ...(joins.length ? ['--join', joins.join(',')] : []),
      ...(this.options.remember ? ['--members-file', join(this.folder, `${node.name}-members`)] : []),
      ...(this.links ? ['--cluster-advertise', node.address] : []),
      ...(this.authority ? this.tlsFlagsOf(node) : []),
      ...flags,
    ];
  }

  async start(nodes, joins = nodes.map(({ address }) => address)) {
    const { command, config } = this.options;
    for (const node of nodes) {
      node.serves = { command, config };
      node.flags = this.flagsOf(node, joins);
    }
    await Promise.all(nodes.map((node) => node.start()));
    return nodes;
  }

  // Adds a node that knows only those addresses. `change` edits it before it starts.
  async add(joins, change = () => {}) {
    const [node] = await this.make(1);
    node.serves = { command: this.options.command, config: this.options.config };
    node.flags = this.flagsOf(node, joins);
    change(node);
    return node.start();
  }

  get up() {
    return this.nodes.filter(({ isUp }) => isUp);
  }

  // Whether every running node knows exactly the running nodes.
  async isWhole() {
    const up = this.up;
    const seen = await Promise.all(up.map((node) => node.others()));
    const isRight = (others, index) =>
      others.map(({ name }) => name).toSorted().join() ===
      up.filter((_, other) => other !== index).map(({ name }) => name).toSorted().join();
    return seen.every(isRight);
  }

  async whole(limit = JOIN_LIMIT) {
    await until('all nodes know each other', () => this.isWhole(), limit).catch((error) => {
      throw new Error([error.message, ...this.up.map((node) => node.told(''))].join('\n'));
    });
    await until('all are ready', async () => {
      const ready = await Promise.all(this.up.map((node) => statusOf(node, '/readyz')));
      return ready.every((status) => status === 200);
    });
  }

  async stop() {
    await Promise.all(this.nodes.map((node) => node.stop()));
    await this.links?.close();
  }

  // The sum of the state of all nodes.
  async state() {
    return (await Promise.all(this.up.map((node) => debugState(node)))).reduce(sum);
  }
}

function sum(one, other) {
  if (typeof one === 'number') return one + other;
  if (Array.isArray(one)) return [...one, ...other];
  if (typeof one !== 'object' || one === null) return one;
  return Object.fromEntries(Object.entries(one).map(([key, value]) => [key, sum(value, other[key])]));
}

// A cluster that has no nodes yet.
export async function emptyCluster(t, options) {
  return new Cluster(t, options);
}

// A cluster for a test or suite, whose nodes know each other.
export async function startCluster(t, { nodes = 3, ...options }) {
  const cluster = new Cluster(t, options);
  await cluster.start(await cluster.make(nodes));
  await cluster.whole();
  return cluster;
}

// A load balancer for all nodes, round robin.
export const balanced = (t, cluster, change) =>
  startBalancer(t, 'nginx', cluster.nodes.map(({ port }) => port), change);

// Replaces a test's context for longer-lived objects. The `after` callbacks run at `end`.
export function lasting() {
  const endings = [];
  const end = async () => {
    for (const one of endings.splice(0)) await one();
  };
  return { after: (one) => endings.push(one), end };
}

// A cluster with the interface of a single gateway, for lib/via.mjs.
export async function startFront(command, flags) {
  const t = lasting();
  try {
    const cluster = await startCluster(t, { command, flags: flags.filter((flag) => flag !== DEBUG) });
    const url = await balanced(t, cluster);
    return new Front(cluster, `${url}/mcp`, t.end);
  } catch (error) {
    await t.end();
    throw error;
  }
}

class Front {
  constructor(cluster, url, end) {
    Object.assign(this, { cluster, url, stop: end });
  }

  get port() {
    return Number(new URL(this.url).port);
  }

  get log() {
    return this.cluster.nodes.flatMap(({ log }) => log);
  }

  get hasExited() {
    return this.cluster.nodes.some(({ hasExited }) => hasExited);
  }

  // There is no single process.
  get pid() {
    assert.fail('a cluster has more than one process');
  }

  at(path) {
    return new URL(path, this.url).href;
  }

  children() {
    return this.cluster.nodes.flatMap((node) => node.children());
  }

  told(message) {
    return this.cluster.nodes.map((node) => node.told(message)).join('\n');
  }

  debugState() {
    return this.cluster.state();
  }
}
