// Asks for a session of a cluster all the time, and says whether its nodes ever spoke for it beside each other.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { SLOWNESS } from './processes.mjs';
import { answerOf, counting } from './store.mjs';
import { until } from './until.mjs';

// How long what takes a while under load may take, in milliseconds.
export const PATIENCE = 30_000 * SLOWNESS;

export const isThere = (pid) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

// What a client is told that only has to come again, or whose call was in flight.
const BEARABLE = new Set([503, 'lost', 'ECONNREFUSED', 'ECONNRESET']);

// Between two questions to a node: without a pause they would keep from Redis and the other nodes what these need.
const PAUSE = 5;
const PAUSE_AFTER_REFUSAL = 10;

// Asks all the time at these nodes, until it is stopped; what it was told, in the order of when it was told.
export class Watch {
  answers = [];
  #stopped = false;

  constructor(nodes, session) {
    this.workers = nodes.map((node) => this.#ask(node, session));
  }

  async #ask(node, session) {
    while (!this.#stopped) {
      const asked = Date.now();
      const answer = await answerOf(node, session).catch(({ code }) => ({ node: node.name, status: code }));
      this.answers.push({ ...answer, asked, told: Date.now() });
      await pause(answer.pid ? PAUSE : PAUSE_AFTER_REFUSAL);
    }
  }

  // Resolves when so many answers have come, of those that match; a busy machine takes a minute for hundreds.
  async gets(count, matches = () => true) {
    const enough = () => this.answers.filter(matches).length >= count;
    const fail = ({ message }) => assert.fail(`${message}, ${this.summary}`);
    await until(`${count} answers`, enough, 4 * PATIENCE).catch(fail);
  }

  async stop() {
    this.#stopped = true;
    await Promise.all(this.workers);
    return this.answers;
  }

  get pids() {
    return [...new Set(this.answers.map(({ pid }) => pid).filter(Boolean))];
  }

  // Asked after another had begun to answer, a server does not answer any more.
  assertSuccession() {
    const began = new Map();
    for (const { pid, told } of this.answers) if (pid && !began.has(pid)) began.set(pid, told);
    for (const one of this.answers.filter(({ pid }) => pid))
      for (const [pid, since] of began)
        if (began.get(one.pid) < since)
          assert.ok(one.asked <= since, `${one.pid} answers after ${pid} did: ${JSON.stringify(one)}`);
  }

  // What no client of such a session should ever be told.
  unexpected() {
    const refused = this.answers.filter(({ pid }) => !pid);
    const kindOf = ({ status, code }) => (code === -32603 && status === 200 ? 'lost' : status);
    return [...new Set(refused.map(kindOf))].filter((kind) => !BEARABLE.has(kind));
  }

  // How often what was told at which node.
  get summary() {
    const kinds = {};
    for (const { node, status, code, pid } of this.answers) {
      const kind = `${node} ${pid ? `pid ${pid}` : [status, code].join(' ')}`;
      kinds[kind] = (kinds[kind] ?? 0) + 1;
    }
    return JSON.stringify(kinds);
  }
}

// The nodes, turn by turn, answer with this server, and never with another one. On a busy machine a node may lose its
// lease for a moment: it refuses calls then, and its clients come again.
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
