// The operators' API without a gateway, for states that are rare in a gateway, such as ten thousand sessions.
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { once } from 'node:events';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { text } from 'node:stream/consumers';

const FILES = fileURLToPath(new URL('../../../deploy/console/', import.meta.url));
const TYPES = { '.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript' };
export const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const answer = (to, status, body, headers = {}) => {
  to.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers });
  to.end(typeof body === 'string' ? body : JSON.stringify(body));
};

function sendFile(path, to) {
  const name = path === '/' ? 'index.html' : path.replace(/^\/console\//, '');
  try {
    answer(to, 200, readFileSync(FILES + name, 'utf8'), {
      'content-type': `${TYPES[extname(name)]}; charset=utf-8`,
      'content-security-policy': POLICY,
    });
  } catch {
    answer(to, 404, { error: 'there is nothing for operators at this path' });
  }
}

// Routes a request by its method and the parts of its path; undefined without a match.
class Router {
  constructor(mock, world, params) {
    Object.assign(this, { mock, world, params });
  }

  'GET node' = () => this.world.showNode();
  'GET sessions' = (number) => {
    if (number === undefined) return this.world.showSessions(this.params);
    const found = this.world.sessions.get(Number(number));
    return found && this.world.showSession(found);
  };
  'GET calls' = () => this.world.showCalls(this.params);
  'GET servers' = (name) => {
    if (name === undefined) return { servers: [...this.world.servers.values()].map(this.world.showServer) };
    const found = this.world.servers.get(name);
    return found && this.world.showServer(found);
  };
  'GET log-level' = () => ({ level: this.world.level });
  'PUT log-level' = (_, __, ___, { level }) => ({ level: (this.world.level = level) });
  'POST reload' = () => ({ reloaded: true });
  'POST drain' = () => ({ draining: (this.world.draining = true) });
  'POST servers' = (name, asked) => {
    const server = this.world.servers.get(name);
    if (asked === 'restart') this.world.restart(name);
    else server.enabled = asked === 'enable';
    return { server: name, asked };
  };
  'DELETE sessions' = (session, _, call) => {
    const { calls } = this.world.sessions.get(Number(session)) ?? { calls: new Map() };
    if (call !== undefined) return calls.delete(Number(call)) ? { ended: Number(call) } : undefined;
    return this.world.sessions.delete(Number(session)) ? { ended: Number(session) } : undefined;
  };
}

// `broken` is the status of all answers; 0 breaks the connection.
class Mock {
  asked = [];
  broken = undefined;
  followers = new Set();

  constructor(world, token) {
    this.token = token;
    this.worlds = new Map([
      ['', world],
      [world.node, world],
    ]);
    this.server = http.createServer((from, to) => this.#take(from, to));
  }

  async #take(from, to) {
    const url = new URL(from.url, 'http://mock');
    this.asked.push(`${from.method} ${url.pathname}${url.search}`);
    if (this.broken === 0) return from.socket.destroy();
    if (this.broken) return answer(to, this.broken, { error: 'stopping' });
    if (url.pathname === '/' || url.pathname.startsWith('/console/')) return sendFile(url.pathname, to);
    if (this.token && from.headers.authorization !== `Bearer ${this.token}`)
      return answer(
        to,
        401,
        { error: 'show the token: Authorization: Bearer TOKEN' },
        { 'www-authenticate': 'Bearer' },
      );
    const params = Object.fromEntries(url.searchParams);
    const world = this.worlds.get(params.node ?? '');
    if (!world) return answer(to, 404, { error: 'there is no such node' });
    if (url.pathname === '/metrics') return answer(to, 200, world.showMetrics(), { 'content-type': 'text/plain' });
    return this.#show(from, to, world, params, url.pathname.split('/').slice(2).map(decodeURIComponent));
  }

  async #show(from, to, world, params, [what, ...rest]) {
    if (rest[1] === 'follow') return this.#follow(to, params);
    const body = await text(from);
    const found = new Router(this, world, params)[`${from.method} ${what}`]?.(
      rest[0],
      rest[1],
      rest[2],
      body && JSON.parse(body),
    );
    if (found) return answer(to, 200, found);
    return answer(to, 404, { error: 'there is no such thing' });
  }

  #follow(to, { content }) {
    to.writeHead(200, { 'content-type': 'text/event-stream' });
    to.write(': here\n\n');
    const follower = { to, content: content === 'true' };
    this.followers.add(follower);
    to.on('close', () => this.followers.delete(follower));
  }

  // Sends an event to all followers of a session.
  tell(event, data) {
    for (const { to, content } of this.followers) {
      const { message, ...rest } = data;
      to.write(`event: ${event}\ndata: ${JSON.stringify(content ? data : rest)}\n\n`);
    }
  }

  get url() {
    return `http://127.0.0.1:${this.server.address().port}`;
  }

  stop() {
    this.server.close();
    this.server.closeAllConnections();
  }
}

export async function startMock(world, token = '') {
  const mock = new Mock(world, token);
  await once(mock.server.listen(0, '127.0.0.1'), 'listening');
  return mock;
}
