// Clients that call continuously, and count the outcomes.
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { LONG } from './long.mjs';
import { SLOWNESS } from './processes.mjs';
import { initializeRequest, LATEST, post, Session, toolCall } from './session.mjs';
import { until } from './until.mjs';

const PATIENCE = 40_000 * SLOWNESS;
const BREATH = LONG ? 20 : 100;
const CLIENTS = LONG ? { byHand: 16, official: 4 } : { byHand: 6, official: 2 };
// Statuses of a balancer without a reachable node, and of a node that refuses new calls.
const UNAVAILABLE = new Set([502, 503, 504]);
const UNREACHED = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE']);
const LOST = -32603;
// A client is considered served after this many answers in a row. All clients together need the same number again.
const STREAK = 5;
const PROOF = 100;
const CALM_LIMIT = 60_000 * SLOWNESS;

let calls = 0;

// The outcome of a call. Each call has a unique answer.
function judge(id, text, reply) {
  if (UNAVAILABLE.has(reply.status)) return 'unavailable';
  if (reply.status === 404) return 'gone';
  const answers = reply.messages.filter((message) => message.id !== undefined && !message.method);
  if (reply.status !== 200 || answers.length > 1) return 'wrong';
  const [answer] = answers;
  if (!answer) return reply.isStream || !reply.headers['content-length'] ? 'broken off' : 'wrong';
  if (answer.id !== id) return 'wrong';
  if (answer.error) return answer.error.code === LOST ? 'lost' : 'wrong';
  return answer.result?.content?.[0]?.text === text ? 'answered' : 'wrong';
}

// The outcome for an official client: its transport throws the status as a code, and a broken connection with its
// cause.
function kindOf({ code, cause }) {
  if (code === LOST) return 'lost';
  if (code === 404) return 'gone';
  if (UNAVAILABLE.has(code) || UNREACHED.has(cause?.code)) return 'unavailable';
  return cause?.code === 'UND_ERR_SOCKET' ? 'broken off' : 'wrong';
}

function parsed(reply) {
  try {
    return reply.messages;
  } catch {
    return undefined;
  }
}

export class Load {
  kinds = {};
  wrong = [];
  #stopped = false;
  #workers = [];
  // The answers of each client since its last failure.
  #streaks = [];

  // `place` returns the URL of the next request. The server is the fixture `hostile`.
  constructor(place, { byHand, official } = CLIENTS) {
    this.place = place;
    for (let n = 0; n < byHand; ++n) this.#workers.push(this.#byHand(n));
    for (let n = byHand; n < byHand + official; ++n) this.#workers.push(this.#official(n));
  }

  #record(client, kind, began, detail) {
    this.#streaks[client] = kind === 'answered' ? (this.#streaks[client] ?? 0) + 1 : 0;
    const entry = (this.kinds[kind] ??= { count: 0, longest: 0, first: Date.now() });
    entry.count += 1;
    entry.longest = Math.max(entry.longest, Date.now() - began);
    if (kind === 'wrong') this.wrong.push(detail);
  }

  count(kind) {
    return this.kinds[kind]?.count ?? 0;
  }

  // The time of the first such outcome.
  first(kind) {
    return this.kinds[kind]?.first ?? Infinity;
  }

  // All outcomes except answers.
  get troubles() {
    return Object.entries(this.kinds).reduce((sum, [kind, { count }]) => (kind === 'answered' ? sum : sum + count), 0);
  }

  // Resolves when all clients get answers only, including the official ones.
  async calm() {
    const told = (error) => {
      throw new Error([`${error.message}: ${this}`, ...this.wrong].join('\n'));
    };
    this.#streaks = this.#workers.map(() => 0);
    const isServed = () => this.#streaks.every((streak) => streak >= STREAK);
    await until('each client is served', isServed, CALM_LIMIT).catch(told);
    const [answered, troubles] = [this.count('answered'), this.troubles];
    await until('all go on', () => this.count('answered') >= answered + PROOF, CALM_LIMIT).catch(told);
    if (this.troubles > troubles) told(new Error('somebody is told what is no answer, though nothing is wrong'));
  }

  get longest() {
    return Math.max(0, ...Object.values(this.kinds).map(({ longest }) => longest));
  }

  async #byHand(n) {
    let session;
    while (!this.#stopped) {
      const began = Date.now();
      try {
        session ??= await this.#open(n);
        if (session && (await this.#call(n, session, n % 2 === 0)) === 'gone') session = undefined;
      } catch (error) {
        this.#record(n, UNREACHED.has(error.code) ? 'unavailable' : 'wrong', began, error.stack);
      }
      await pause(BREATH);
    }
    await session?.delete().catch(() => {});
  }

  // Resolves with undefined when the session could not be opened.
  async #open(n) {
    const began = Date.now();
    const fails = (reply, kind) => this.#record(n, kind, began, `initialize ${reply.status} ${reply.received}`);
    const reply = await post(this.place(), initializeRequest());
    await reply.done;
    if (UNAVAILABLE.has(reply.status)) return fails(reply, 'unavailable');
    const [answer] = parsed(reply) ?? [];
    if (answer?.error) return fails(reply, answer.error.code === LOST ? 'lost' : 'wrong');
    if (reply.status !== 200 || !answer?.result) return fails(reply, answer ? 'wrong' : 'broken off');
    const session = new Session(this.place(), reply.headers['mcp-session-id'], LATEST);
    const told = await session.post({ jsonrpc: '2.0', method: 'notifications/initialized' });
    await told.done;
    if (told.status === 202) return session;
    return fails(told, UNAVAILABLE.has(told.status) ? 'unavailable' : told.status === 404 ? 'gone' : 'wrong');
  }

  async #call(n, session, streams) {
    const id = `call-${++calls}`;
    const began = Date.now();
    session.url = this.place();
    const call = streams
      ? toolCall(id, 'flood', { kind: 'progress', count: 3 }, id)
      : toolCall(id, 'echo', { message: `${session.id} ${id}` });
    const reply = await session.post(call);
    const isLate = await Promise.race([reply.done.then(() => false), pause(PATIENCE, true, { ref: false })]);
    const text = streams ? 'flooded' : `${session.id} ${id}`;
    const kind = isLate ? 'wrong' : UNAVAILABLE.has(reply.status) || parsed(reply) ? judge(id, text, reply) : 'broken off';
    this.#record(n, kind, began, `${id} ${isLate ? 'late' : ''} ${reply.status} ${reply.received.slice(0, 500)}`);
    return kind;
  }

  async #official(n) {
    let client;
    while (!this.#stopped) {
      const began = Date.now();
      try {
        client ??= await this.#connected();
        const message = `official ${++calls}`;
        const call = client.callTool({ name: 'echo', arguments: { message } }, undefined, { timeout: PATIENCE });
        const { content } = await call;
        this.#record(n, content[0].text === message ? 'answered' : 'wrong', began, JSON.stringify(content));
      } catch (error) {
        this.#record(n, kindOf(error), began, error.stack);
        await client?.close().catch(() => {});
        client = undefined;
      }
      await pause(BREATH);
    }
    await client?.transport.terminateSession().catch(() => {});
    await client?.close().catch(() => {});
  }

  async #connected() {
    const client = new Client({ name: 'load', version: '1' });
    client.onerror = () => {};
    await client.connect(new StreamableHTTPClientTransport(new URL(this.place())));
    return client;
  }

  async stop() {
    this.#stopped = true;
    await Promise.all(this.#workers);
    return this;
  }

  toString() {
    const told = ([kind, { count, longest }]) => `${count} ${kind} (at most ${longest} ms)`;
    return Object.entries(this.kinds).map(told).join(', ');
  }
}
