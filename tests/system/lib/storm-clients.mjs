// Clients of a storm. Each calls all addresses in turn, without a break, with a token of its own for each call. The
// result of each call is counted for the fault that was under way.
import { setTimeout as pause } from 'node:timers/promises';
import { request } from './http.mjs';
import { envelope, fieldsOf, modernRequest } from './modern.mjs';
import { initializeRequest, LATEST, POST_HEADERS, toolCall } from './session.mjs';
import { until } from './until.mjs';

const PATIENCE = 40_000;
const PAUSE_BETWEEN = 20;
const PAUSE_AFTER_FAILURE = 200;
const UNREACHED = new Set(['ECONNREFUSED', 'ENOENT']);
const LOST = -32603;

// Outcomes in the order of the table. Those of `FORBIDDEN` are faults of the program, whatever fault it has met.
export const OUTCOMES = [
  'right', 'wrong', 'foreign', 'repeated', '404 while live', 'after DELETE', '404', 'lost', 'refused', 'cut off',
  'late', 'not replaced', 'nobody serves',
];
export const FORBIDDEN = [
  'wrong', 'foreign', 'repeated', '404 while live', 'after DELETE', 'not replaced', 'nobody serves',
];

function messagesOf(reply) {
  try {
    return reply.messages;
  } catch {
    return undefined; // cut off within a message
  }
}

// Returns the outcome of the call with that id and token. `isToken` recognises tokens of other calls.
function judge(reply, id, token, isToken) {
  if (reply.status === 404) return '404';
  if (reply.status >= 429) return 'refused';
  const answers = messagesOf(reply)?.filter(({ method }) => method === undefined);
  if (!answers || (answers.length === 0 && (reply.isStream || !reply.isWhole))) return 'cut off';
  if (answers.length > 1) return 'repeated';
  const text = answers[0]?.result?.content?.[0]?.text;
  if (answers[0]?.id === id && text === token) return 'right';
  if (isToken(text)) return 'foreign';
  return answers[0]?.id === id && answers[0].error?.code === LOST ? 'lost' : 'wrong';
}

export class Table {
  #rows = new Map();
  #tokens = new Map();
  #last = 0;
  #isOpen = false;
  #underWay = 0;
  // A line for each forbidden outcome, and for the first of each other outcome and fault.
  details = [];

  // Lets clients call. `fault` is the one that their calls meet.
  begin(fault) {
    this.fault = fault;
    this.#isOpen = true;
    const row = this.#rows.get(fault) ?? { rounds: 0, calls: 0, longest: 0, times: [] };
    row.rounds += 1;
    this.#rows.set(fault, row);
  }

  // Resolves when no call is under way. Clients rest until the next fault.
  async end() {
    this.#isOpen = false;
    await until('all calls have ended', () => this.#underWay === 0, 2 * PATIENCE);
  }

  // Makes the call when it is its turn.
  async call(make) {
    while (!this.#isOpen) await pause(PAUSE_BETWEEN);
    this.#underWay += 1;
    await make().finally(() => (this.#underWay -= 1));
  }

  token() {
    const token = `token-${process.pid}-${++this.#last}`;
    this.#tokens.set(token, this.fault);
    return token;
  }

  isToken = (text) => this.#tokens.has(text);
  faultOf = (token) => this.#tokens.get(token);

  count(outcome, fault, took, detail) {
    const row = this.#rows.get(fault);
    row.calls += 1;
    row.longest = Math.max(row.longest, took);
    this.add(outcome, fault, detail);
  }

  // Counts an outcome without a further call.
  add(outcome, fault, detail) {
    const row = this.#rows.get(fault);
    if (FORBIDDEN.includes(outcome) || (outcome !== 'right' && !row[outcome]))
      this.details.push(`${new Date().toISOString()} ${fault}: ${outcome}: ${detail}`);
    row[outcome] = (row[outcome] ?? 0) + 1;
  }

  took(ms) {
    this.#rows.get(this.fault).times.push(ms);
  }

  sum(outcomes) {
    return [...this.#rows.values()].flatMap((row) => outcomes.map((one) => row[one] ?? 0)).reduce((a, b) => a + b, 0);
  }

  toString() {
    const middle = (times) => times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0;
    const head = ['fault', 'rounds', 'calls', ...OUTCOMES, 'longest ms', 'back after ms'];
    const line = ([fault, row]) =>
      [fault, row.rounds, row.calls, ...OUTCOMES.map((one) => row[one] ?? 0), row.longest, middle(row.times)];
    const lines = [head, head.map(() => '---'), ...[...this.#rows].map(line)];
    return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
  }
}

// Sends a request to each address in turn, until one is reached.
async function send(place, path, options) {
  for (const limit = Date.now() + PATIENCE; ; ) {
    const base = place();
    try {
      return await request(new URL(path, base), options);
    } catch (error) {
      if (!UNREACHED.has(error.code) || Date.now() > limit) throw Object.assign(error, { base });
      await pause(PAUSE_BETWEEN);
    }
  }
}

class Client {
  #stopped = false;

  // `place` returns the next address, and `path` is that of the server.
  constructor(table, place, path, random) {
    Object.assign(this, { table, place, path, random });
    this.done = Promise.resolve().then(() => this.#work());
  }

  // Resolves once the call that is under way has ended.
  stop() {
    this.#stopped = true;
    return this.done;
  }

  async #work() {
    while (!this.#stopped) {
      await this.table.call(() => this.#tryOnce());
      await pause(PAUSE_BETWEEN);
    }
    await this.end?.();
  }

  async #tryOnce() {
    if (this.#stopped) return;
    const { fault } = this.table;
    const began = Date.now();
    const [outcome, detail] = await this.#outcome(this.table.token());
    this.table.count(outcome, fault, Date.now() - began, detail);
    if (outcome === '404') this.forget(fault);
    if (outcome !== 'right') await pause(PAUSE_AFTER_FAILURE);
    await this.between?.();
  }

  async #outcome(token) {
    const late = pause(PATIENCE, ['late', token], { ref: false });
    const brokenOff = (error) => ['cut off', `${token} ${error.base ?? ''} ${error.code ?? error}`];
    const called = this.call(token).catch(brokenOff);
    return Promise.race([called, late]);
  }

  post(message, headers) {
    return send(this.place, this.path, {
      method: 'POST', headers: { ...POST_HEADERS, ...headers }, body: JSON.stringify(message),
    });
  }

  async judged(id, token, message, headers) {
    const reply = await this.post(message, headers);
    await reply.done;
    const told = `${token} ${this.id ?? ''} ${reply.status} ${reply.received.slice(0, 300)}`;
    return [judge(reply, id, token, this.table.isToken), told];
  }

  args = (token) => ({ message: token, ms: this.random.below(200), ...(this.random.below(4) ? {} : { steps: 2 }) });
}

// A client with a session. After a 404 it begins another one.
export class SessionClient extends Client {
  // Sessions that got 404, each with the fault at that time. A later check shows whether they are live.
  static missing = [];

  async call(token) {
    if (!this.id && !(await this.#open())) return ['refused', `initialize ${token}`];
    const message = toolCall(token, 'echo', this.args(token), this.random.below(2) ? token : undefined);
    return this.judged(token, token, message, this.#fields);
  }

  get #fields() {
    return { 'mcp-session-id': this.id, 'mcp-protocol-version': LATEST };
  }

  async #open() {
    const reply = await this.post(initializeRequest());
    await reply.done;
    if (reply.status !== 200 || !messagesOf(reply)?.[0]?.result) return false;
    this.id = reply.headers['mcp-session-id'];
    const told = await this.post({ jsonrpc: '2.0', method: 'notifications/initialized' }, this.#fields);
    return told.status === 202;
  }

  forget(fault) {
    SessionClient.missing.push({ id: this.id, path: this.path, fault });
    this.id = undefined;
  }

  // Ends the session after the call under way. Then calls the ended session, which must not answer.
  renew() {
    return new Promise((resolve) => {
      this.between = async () => {
        this.between = undefined;
        await this.#endSession().catch(() => {});
        resolve();
      };
    });
  }

  async #endSession() {
    if (!this.id) return;
    const { fault } = this.table;
    const headers = this.#fields;
    this.id = undefined;
    const ended = await send(this.place, this.path, { method: 'DELETE', headers });
    await ended.done;
    if (ended.status !== 200 && ended.status !== 204) return;
    const token = this.table.token();
    const after = await this.post(toolCall(token, 'echo', { message: token }), headers);
    await after.done;
    const isRight = after.status === 404 || after.status === 503;
    if (!isRight) this.table.add('after DELETE', fault, `${token} ${after.status} ${after.received.slice(0, 300)}`);
  }

  async end() {
    if (this.id) await send(this.place, this.path, { method: 'DELETE', headers: this.#fields }).catch(() => {});
  }
}

// A client of 2026-07-28, with its own lease.
export class StatelessClient extends Client {
  call(token) {
    const message = modernRequest(token, 'tools/call', { name: 'echo', arguments: this.args(token) }, envelope());
    return this.judged(token, token, message, fieldsOf(message));
  }

  forget() {}
}
