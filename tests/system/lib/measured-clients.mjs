// Clients of all kinds that count their requests as metrics should.
import assert from 'node:assert/strict';
import { at } from './cluster.mjs';
import { Caller } from './modern.mjs';
import { openSession, post, toolCall } from './session.mjs';
import { openSseSession } from './sse.mjs';
import { until } from './until.mjs';

export const PATHS = {
  example: '/servers/example/mcp',
  fragile: '/servers/fragile/mcp',
  modern: '/servers/modern/mcp',
  merged: '/mcp',
};

// Counts requests by method, tool, server and error type, each empty if it does not apply.
export class Tally {
  #counts = new Map();

  add(method, { tool = '', server = 'example', error = '', count = 1 } = {}) {
    const row = [method, tool, server, error].join(' | ');
    this.#counts.set(row, (this.#counts.get(row) ?? 0) + count);
  }

  get rows() {
    return Object.fromEntries([...this.#counts].toSorted());
  }
}

const errorOf = ({ error, result }) => error?.code ?? (result?.isError ? 'tool_error' : '');

export const request = (id, method, params = {}) => ({ jsonrpc: '2.0', id, method, params });
const lastOf = async (reply) => (await (await reply).all()).at(-1);

// A client whose requests go to the node of its session or to another one.
export class MeasuredSession {
  #next = 0;

  constructor(session, tally, server) {
    Object.assign(this, { session, tally, server });
  }

  static async open(node, tally, server = 'example') {
    tally.add('initialize', { server: server === 'merged' ? '' : server });
    return new MeasuredSession(await openSession(node.at(PATHS[server])), tally, server);
  }

  // Calls a tool; `measured` is its name in metrics. `error` is the code that the client gets, `type` the error type in
  // metrics.
  async call(tool, args = {}, { node, error = '', measured = tool, type = error, server = this.server } = {}) {
    const there = node ? at(node, this.session) : this.session;
    const answer = await there.call(`call ${++this.#next}`, tool, args);
    assert.equal(errorOf(answer), error, JSON.stringify(answer));
    this.tally.add('tools/call', { tool: measured, server, error: type });
    return answer;
  }

  // Sends a request of another method.
  async ask(method, params, { error = '', measured = method, server = this.server } = {}) {
    const answer = await lastOf(this.session.post(request(`${method} ${++this.#next}`, method, params)));
    assert.equal(errorOf(answer), error, JSON.stringify(answer));
    this.tally.add(measured, { server, error });
    return answer;
  }

  // Cancels a running call. A tool has no name in metrics until it has answered.
  async cancelled(tool, args, runs) {
    const id = `cancelled ${++this.#next}`;
    const reply = this.session.post(toolCall(id, tool, args));
    await until('the call runs', runs);
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } };
    assert.equal((await this.session.post(cancel)).status, 202);
    await (await reply).done;
    this.tally.add('tools/call', { tool: 'other', server: this.server, error: 'cancelled' });
  }

  async end() {
    assert.equal((await this.session.delete()).status, 200);
  }
}

// A client of HTTP+SSE.
export async function sseClient(node, tally) {
  const session = await openSseSession({ at: (path) => node.at(path === '/sse' ? '/servers/example/sse' : path) });
  tally.add('initialize');
  for (const n of [1, 2, 3]) {
    const { result } = await session.call(n, 'add', { a: n, b: 1 });
    assert.equal(result.content[0].text, String(n + 1));
  }
  tally.add('tools/call', { tool: 'add', count: 3 });
  assert.equal(errorOf(await session.call('failing', 'fail', {})), 'tool_error');
  tally.add('tools/call', { tool: 'fail', error: 'tool_error' });
  return session;
}

// A client of 2026-07-28, for a server of that revision or a session-based one.
export async function modernClient(node, tally, server) {
  const caller = new Caller(node.at(PATHS[server]));
  const tool = server === 'modern' ? ['echo', { message: 'x' }] : ['add', { a: 1, b: 2 }];
  for (const method of ['server/discover', 'tools/list']) {
    assert.equal(errorOf(await caller.ask(method)), '');
    tally.add(method, { server });
  }
  for (let n = 0; n < 5; ++n) assert.equal(errorOf(await caller.call(...tool)), '');
  tally.add('tools/call', { tool: tool[0], server, count: 5 });
  return caller;
}

// A client whose requests are refused before they reach a server.
export async function refusedClient(node) {
  const url = node.at(PATHS.example);
  const headers = { 'mcp-session-id': '0'.repeat(40), 'mcp-protocol-version': '2025-11-25' };
  const statuses = [await post(url, request(1, 'ping'), headers), await post(url, '{')].map(({ status }) => status);
  assert.deepEqual(statuses, [404, 400]);
}
