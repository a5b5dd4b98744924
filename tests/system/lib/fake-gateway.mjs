// A fake of the operators' API, with answers of the test. It records all requests.
import { once } from 'node:events';
import http from 'node:http';

export const sessionOf = (number, more = {}) => ({
  number,
  id: `${number}a2b…`,
  transport: 'streamable_http',
  server: 'files',
  caller: 'alice',
  age_ms: 61_000,
  idle_ms: 5000,
  calls: [],
  streams: { primary: 1, shadow: 0, call: 0, listen: 0 },
  questions: 0,
  ...more,
});

export const callOf = (number, more = {}) => ({
  number,
  method: 'tools/call',
  name: 'search',
  server: 'files',
  age_ms: 1200,
  ...more,
});

export const nodeOf = (more = {}) => ({
  node: 'a',
  version: '0.1.0',
  pid: 1,
  uptime_ms: 10_000,
  draining: false,
  sessions: 3,
  leases: 1,
  max_sessions: 10_000,
  log_level: 'info',
  nodes: [],
  can: { reload: true, drain: true, log_level: true, content: false },
  ...more,
});

class FakeGateway {
  asked = [];

  constructor(answers) {
    this.answers = answers;
    this.server = http.createServer((incoming, outgoing) => this.answer(incoming, outgoing));
  }

  async listen(...where) {
    this.server.listen(...where);
    await once(this.server, 'listening');
    const address = this.server.address();
    this.at = typeof address === 'string' ? `unix:${address}` : `http://127.0.0.1:${address.port}`;
    return this;
  }

  // An answer is a JSON value, or a function of the request and the response.
  async answer(incoming, outgoing) {
    const { pathname, searchParams } = new URL(incoming.url, 'http://localhost');
    let body = '';
    for await (const piece of incoming) body += piece;
    const asked = `${incoming.method} ${incoming.url}${body && ` ${body}`}`;
    this.asked.push(asked);
    this.headers = incoming.headers;
    const key = incoming.method === 'GET' ? pathname : `${incoming.method} ${pathname}`;
    let answer = this.answers[key];
    if (typeof answer === 'function') answer = await answer(searchParams, outgoing);
    if (outgoing.headersSent) return;
    if (answer === undefined) return reply(outgoing, 404, { error: `there is no ${pathname}` });
    const status = answer?.error ? (answer.status ?? 404) : 200;
    reply(outgoing, status, answer);
  }
}

function reply(outgoing, status, value) {
  const isText = typeof value === 'string';
  outgoing.writeHead(status, { 'content-type': isText ? 'text/plain' : 'application/json' });
  outgoing.end(isText ? value : JSON.stringify(value));
}

// Listens on a free local port, or at the path of a unix socket, until the test ends.
export async function fakeGateway(t, answers, ...where) {
  const gateway = await new FakeGateway(answers).listen(...(where.length ? where : [0, '127.0.0.1']));
  t.after(() => {
    gateway.server.closeAllConnections();
    gateway.server.close();
  });
  return gateway;
}

// The pages of a session list, with the gateway's page size.
export const pagesOf = (sessions) => (query) => {
  const after = Number(query.get('after') ?? 0);
  const limit = Number(query.get('limit') ?? 100);
  const rest = sessions.filter(({ number }) => number > after);
  const page = rest.slice(0, limit);
  return { sessions: page, total: sessions.length, ...(rest.length > limit && { next: page.at(-1).number }) };
};
