// Continuously queries a session of a cluster, and detects two nodes that serve it at the same time.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { SLOWNESS } from './processes.mjs';
import { answerOf, counting } from './store.mjs';
import { until, within } from './until.mjs';

// The limit in milliseconds for slow operations under load.
export const PATIENCE = 30_000 * SLOWNESS;

export const isThere = (pid) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

// Answers after which a client only retries, or whose call was in flight.
const BEARABLE = new Set([503, 'lost', 'resumable', 'ECONNREFUSED', 'ECONNRESET']);

// The pause between two queries to a node. Without it they would slow down Redis and the other nodes.
const PAUSE = 5;
const PAUSE_AFTER_REFUSAL = 10;

// Queries these nodes until it is stopped, and records the answers in order.
export class Watch {
  answers = [];
  #stopped = false;

  constructor(nodes, session) {
    this.workers = nodes.map((node) => this.#ask(node, session));
  }

  async #ask(node, session) {
    while (!this.#stopped) {
      const asked = Date.now();
      const fail = ({ code, message }) => ({ node: node.name, status: code ?? message });
      const answer = await answerOf(node, session).catch(fail);
      this.answers.push({ ...answer, asked, told: Date.now() });
      await pause(answer.pid ? PAUSE : PAUSE_AFTER_REFUSAL);
    }
  }

  // Resolves after so many matching answers. A busy machine takes a minute for hundreds.
  async gets(count, matches = () => true) {
    const enough = () => this.answers.filter(matches).length >= count;
    const fail = ({ message }) => assert.fail(`${message}, ${this.summary}`);
    await until(`${count} answers`, enough, 4 * PATIENCE).catch(fail);
  }

  async stop() {
    this.#stopped = true;
    await within('the last answers', Promise.all(this.workers), 2 * PATIENCE);
    return this.answers;
  }

  get pids() {
    return [...new Set(this.answers.map(({ pid }) => pid).filter(Boolean))];
  }

  // A server must not answer queries that began after another server had answered.
  assertSuccession() {
    const began = new Map();
    for (const { pid, told } of this.answers) if (pid && !began.has(pid)) began.set(pid, told);
    for (const one of this.answers.filter(({ pid }) => pid))
      for (const [pid, since] of began)
        if (began.get(one.pid) < since)
          assert.ok(one.asked <= since, `${one.pid} answers after ${pid} did: ${JSON.stringify(one)}`);
  }

  // Answers that a client of such a session must never get.
  unexpected() {
    const refused = this.answers.filter(({ pid }) => !pid);
    const kindOf = ({ status, code }) => (code === -32603 && status === 200 ? 'lost' : status);
    return [...new Set(refused.map(kindOf))].filter((kind) => !BEARABLE.has(kind));
  }

  // The number of each answer, by node.
  get summary() {
    const kinds = {};
    for (const { node, status, code, pid } of this.answers) {
      const kind = `${node} ${pid ? `pid ${pid}` : [status, code].join(' ')}`;
      kinds[kind] = (kinds[kind] ?? 0) + 1;
    }
    return JSON.stringify(kinds);
  }
}

// Asserts that the nodes answer with this server only. On a busy machine a node may lose its lease for a moment: then
// it refuses calls, and its clients retry.
export async function assertOne(nodes, session, pid, count) {
  for (const n of counting(1, count)) {
    const answer = await until('it is not refused', async () => {
      const told = await answerOf(nodes[n % nodes.length], session);
      return told.status !== 503 && told;
    }, PATIENCE);
    assert.equal(answer.pid, pid, JSON.stringify(answer));
  }
}

export const assertRefused = (answer) => {
  assert.equal(answer.status, 503, JSON.stringify(answer));
  assert.match(answer.retry ?? '', /^\d+$/);
};
