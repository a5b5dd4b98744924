// A Redis for tests, and a cluster that keeps its sessions there.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { at, emptyCluster } from './cluster.mjs';
import { fixture } from './gateway.mjs';
import { complete } from './http.mjs';
import { freePort } from './ports.mjs';
import { SANITIZED, SLOWNESS } from './processes.mjs';
import { askRedis } from './resp.mjs';
import { scratch } from './scratch.mjs';
import { initializeRequest, LATEST, post, Session, toolCall } from './session.mjs';
import { debugState } from './state.mjs';
import { until } from './until.mjs';

// A node that cannot reach Redis for this many seconds loses its sessions, also on a busy machine.
export const LEASE = 5;
export const NOTICE = LEASE * 1_000 + 12_000 * SLOWNESS;
const BREATH = 50;
// A single script, because tests poll frequently.
const RECORDS = `
  local told = {}
  for _, key in ipairs(redis.call('KEYS', '*:s:*')) do
    told[#told + 1] = redis.call('HGET', key, 'record')
  end
  return told`;
const ALL = `
  local asks = { hash = {'HGETALL'}, stream = {'XRANGE', '-', '+'}, string = {'GET'}, zset = {'ZRANGE', '0', '-1'} }
  local told = {}
  for _, key in ipairs(redis.call('KEYS', '*')) do
    local ask = asks[redis.call('TYPE', key).ok]
    told[#told + 1] = {key, redis.call(ask[1], key, unpack(ask, 2))}
  end
  return told`;

// The path of the server `a`, which is not part of the merged endpoint.
export const ALONE = '/servers/a/mcp';

const running = new Set();
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));

export class Store {
  constructor(folder, port) {
    Object.assign(this, { folder, port });
  }

  get url() {
    return `redis://127.0.0.1:${this.port}`;
  }

  // Starts empty, because it writes nothing to the disk.
  async start() {
    const flags = { port: this.port, bind: '127.0.0.1', save: '', appendonly: 'no', dir: this.folder };
    const args = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)]);
    this.child = spawn('redis-server', args, { stdio: 'ignore' });
    running.add(this.child);
    this.exited = once(this.child, 'exit').then(() => running.delete(this.child));
    await until('Redis answers', () => this.ask('PING').then((said) => said === 'PONG', () => false));
    return this;
  }

  // Makes it a Redis that nodes have used before. In one that no node has used, sessions get 503 before 404.
  async serveAgain() {
    const [, process] = /run_id:(\w+)/.exec(await this.ask('INFO', 'server'));
    await this.ask('SET', 'troupe:server', process);
  }

  async kill() {
    this.child.kill('SIGKILL');
    await this.exited;
  }

  freeze() {
    this.child.kill('SIGSTOP');
  }

  thaw() {
    this.child.kill('SIGCONT');
  }

  async ask(...words) {
    return [await askRedis(this.port, words)].flat(Infinity).join('\n').trim();
  }

  async keys(pattern = '*') {
    return (await this.ask('KEYS', pattern)).split('\n').filter(Boolean);
  }

  // The keys of sessions, without those of nodes.
  async sessionKeys() {
    return (await this.keys()).filter((key) => /[:][sevp]:[^:]*$/.test(key));
  }

  // A node answers before Redis has stored the session.
  async keeps(count, limit = undefined) {
    await until(`it keeps ${count} sessions`, async () => {
      const records = (await this.ask('EVAL', RECORDS, '0')).split('\n');
      return records.filter((record) => record.includes('"initialized":true')).length === count;
    }, limit);
  }

  // Resolves when a text occurs so many times in the stored sessions.
  async has(text, count = 1) {
    const isThere = async () => (await this.dump()).split(text).length > count;
    await until(`it has ${count} times ${text}`, isThere);
  }

  // All keys and values.
  dump() {
    return this.ask('EVAL', ALL, '0');
  }
}

// The connection of a node to Redis, which can be cut or made silent.
class StoreLink {
  #pipes = new Set();

  async open(port) {
    this.listener = net.createServer((near) => this.#accept(near, port));
    this.listener.listen(0, '127.0.0.1');
    await once(this.listener, 'listening');
    this.url = `redis://127.0.0.1:${this.listener.address().port}`;
    return this;
  }

  #accept(near, port) {
    if (this.fault === 'cut') return near.destroy();
    const far = net.connect(port, '127.0.0.1');
    const pipe = [near, far];
    this.#pipes.add(pipe);
    pipe.forEach((from, index) => {
      from.on('error', () => {});
      from.on('data', (bytes) => pipe[1 - index].write(bytes));
      from.on('close', () => (pipe[1 - index].destroy(), this.#pipes.delete(pipe)));
      if (this.fault) from.pause();
    });
  }

  #each(action) {
    for (const side of [...this.#pipes].flat()) side[action]();
  }

  cut() {
    this.fault = 'cut';
    this.#each('destroy');
  }

  silence() {
    this.fault = 'silence';
    this.#each('pause');
  }

  mend() {
    this.fault = undefined;
    this.#each('resume');
  }

  close() {
    this.listener.close();
    this.#each('destroy');
  }
}

const serverFor = (base, more) => {
  const [command, ...args] = fixture('witness', base);
  return { command, args, recovery: 'restore', ...more };
};

// Starts nodes that serve the fixture `witness`, and restore its sessions. The keys of `servers` are the servers'
// names.
export async function startRecovering(t, options = {}) {
  const { nodes = 3, servers = { a: {} }, gateway = {}, heartbeat = LEASE, ...more } = options;
  const folder = scratch();
  const base = join(folder, 'witness');
  const named = Object.entries(servers).map(([name, change]) => [name, serverFor(base, change)]);
  const config = { mcpServers: Object.fromEntries(named), gateway };
  const cluster = await emptyCluster(t, { config, heartbeat, ...more });
  const store = new Store(folder, await freePort());
  t.after(() => store.kill());
  await store.start();
  await store.serveAgain();
  const made = await cluster.make(nodes);
  for (const node of made) node.storeLink = await new StoreLink().open(store.port);
  t.after(() => made.forEach((node) => node.storeLink.close()));
  const flagsOf = cluster.flagsOf.bind(cluster);
  cluster.flagsOf = (node, joins) => [...flagsOf(node, joins), '--store', node.storeLink.url];
  await cluster.start(made);
  await cluster.whole();
  await until('all have reached Redis', () => made.every((node) => node.logged('the store is reached')));
  // A session that begins before its node has a lease is never stored.
  const leased = async () => {
    await until('all have a lease', async () => (await store.keys('*:n:*')).length === cluster.up.length);
    // A node may process its lease a little later. The node's state query is queued behind that.
    await Promise.all(cluster.up.map(debugState));
  };
  await leased();
  return { cluster, store, leased, nodes: cluster.nodes, base, heard: (pid) => heardBy(base, pid) };
}

// The messages that servers received, in the order of the journal.
function heardBy(base, pid) {
  const journal = `${base}.journal`;
  const lines = existsSync(journal) ? readFileSync(journal, 'utf8').split('\n').filter(Boolean) : [];
  return lines.map((line) => JSON.parse(line)).filter((entry) => pid === undefined || entry.pid === pid);
}

export const INTRODUCTION = {
  protocolVersion: LATEST,
  capabilities: { roots: { listChanged: true }, sampling: {}, experimental: { 'x/y': { deep: [1, 'two', null] } } },
  clientInfo: { name: 'a client — “named”', title: 'Title', version: '7.1' },
};

export async function introduce(url, params = INTRODUCTION) {
  const reply = await post(url, { ...initializeRequest(), params });
  await reply.done;
  assert.equal(reply.status, 200, reply.received);
  const session = new Session(url, reply.headers['mcp-session-id'], params.protocolVersion);
  assert.equal((await session.post({ jsonrpc: '2.0', method: 'notifications/initialized' })).status, 202);
  return session;
}

export async function asked(session, method, params, id = method) {
  const reply = await patiently(() => session.post({ jsonrpc: '2.0', id, method, params }));
  const answer = (await reply.all()).at(-1);
  assert.ok(answer?.result, `${method}: ${reply.status} ${reply.received}`);
  return answer.result;
}

let last = 0;

// A node that was just killed may get requests until the others have noticed.
const isLost = ({ code, received }) => code === -32603 && /The node that ran the call was lost/.test(received);

// Retries a refused request. A busy machine may take longer than a node waits.
async function patiently(ask) {
  const tillWhen = Date.now() + NOTICE;
  for (;;) {
    const answer = await ask();
    if ((answer.status !== 503 && !isLost(answer)) || Date.now() > tillWhen) return answer;
    await pause(BREATH);
  }
}

// Resolves with the pid of the server that answers for the session, or with the status of a refusal. Other answers
// fail.
export async function answerOf(node, session, name = 'pid') {
  const id = `who-${++last}`;
  const began = Date.now();
  const reply = await complete(`the answer of ${node.name} to ${id}`, at(node, session).post(toolCall(id, name)));
  const { received, headers } = reply;
  const status = reply.isWhole ? reply.status : 'ECONNRESET';
  const answer = reply.isWhole ? reply.messages.at(-1) : undefined;
  const took = Date.now() - began;
  const told = { node: node.name, status, took, received, retry: headers['retry-after'] };
  // A client resumes a stream that ends before the answer.
  if (status === 200 && !answer && reply.events.some((event) => event.id)) return { ...told, status: 'resumable' };
  if (status !== 200 || answer?.error) return { ...told, code: answer?.error?.code };
  assert.equal(answer.id, id, reply.received);
  return { ...told, pid: Number(answer.result.content[0].text) };
}

export const patientAnswerOf = (node, session, name) => patiently(() => answerOf(node, session, name));

export async function pidAt(node, session, name) {
  const answer = await patientAnswerOf(node, session, name);
  assert.ok(answer.pid, node.told(JSON.stringify(answer)));
  return answer.pid;
}

export async function assertGone(nodes, session) {
  for (const node of nodes)
    for (const ask of [(one) => one.ping(), (one) => one.listen(), (one) => one.delete()]) {
      const reply = await patiently(() => ask(at(node, session)));
      assert.equal(reply.status, 404, node.told(reply.received));
    }
}

export const counting = (from, to) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
export const marksOn = ({ messages }) =>
  messages.map(({ params }) => params?._meta?.mark).filter((mark) => mark !== undefined);
export const idOfMark = (reply, mark) =>
  reply.events.find(({ data }) => data && JSON.parse(data).params?._meta?.mark === mark).id;

export async function touch(node, session, marks, uri = 'test://one') {
  for (const mark of marks) {
    const call = toolCall(`touch-${++last}`, 'touch', { uri, mark });
    const answer = (await (await patiently(() => at(node, session).post(call))).all()).at(-1);
    assert.equal(answer.result?.content[0].text, 'true', node.told(JSON.stringify(answer)));
  }
}

export const resumeAfter = (id) => ({ 'last-event-id': id });

export async function listening(node, session, headers) {
  const stream = await patiently(() => at(node, session).listen(headers));
  assert.equal(stream.status, 200, stream.received);
  return stream;
}

// Asserts that nothing arrives except the expected marks.
export async function assertMarks(node, session, stream, marks, fence) {
  await touch(node, session, [fence]);
  await until(`mark ${fence} comes`, () => marksOn(stream).includes(fence));
  assert.deepEqual(marksOn(stream), [...marks, fence]);
}
