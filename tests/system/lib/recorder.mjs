// A minimal remote MCP server that records requests, their header fields and their connections. And the token endpoint
// of an authorization server.
import { once } from 'node:events';
import { createServer } from 'node:http';

const TOOLS = [{ name: 'echo', inputSchema: { type: 'object' } }];

async function listen(t, answer, port = 0) {
  const server = createServer((request, response) => {
    const parts = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => answer(request, response, Buffer.concat(parts).toString()));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${server.address().port}`;
}

const json = (response, what, headers = {}, status = 200) =>
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(what));

export class Recorder {
  // All requests, in order, with `method` and `params` of MCP if they have them.
  requests = [];
  sessions = 0;
  // Whether it authorizes a request.
  accepts = () => true;
  // Whether it speaks 2026-07-28 only.
  isModern = false;
  // The instructions for a new session.
  instructions = () => 'use me';

  async start(t) {
    this.url = `${await listen(t, (...request) => this.#answer(...request))}/mcp`;
    return this;
  }

  #answer({ method, headers, rawHeaders, socket }, response, body) {
    const { id, method: asks, params } = body ? JSON.parse(body) : {};
    const one = { verb: method, headers, rawHeaders, connection: socket.remotePort, method: asks, params };
    this.requests.push(one);
    if (!this.accepts(one)) {
      const challenge = 'Bearer error="invalid_token", resource_metadata="http://evil.example/"';
      return json(response, { error: 'the secret of the server' }, { 'www-authenticate': challenge }, 401);
    }
    if (method === 'DELETE') return response.writeHead(200).end();
    if (method !== 'POST') return response.writeHead(405).end();
    if (id === undefined) return response.writeHead(202).end();
    const results = {
      initialize: () => ({
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'recorder', version: '1' },
        instructions: this.instructions(one),
      }),
      'tools/list': () => ({ tools: TOOLS }),
      'tools/call': () => ({ content: [{ type: 'text', text: headers.authorization ?? 'nobody' }] }),
    };
    if (this.isModern) return this.#answerModern(response, id, asks, results);
    const begins = asks === 'initialize' ? { 'mcp-session-id': `r${(this.sessions += 1)}` } : {};
    return json(response, { jsonrpc: '2.0', id, result: results[asks]?.() ?? {} }, begins);
  }

  #answerModern(response, id, asks, results) {
    const data = { supported: ['2026-07-28'], requested: '2025-11-25' };
    const refused = { jsonrpc: '2.0', id, error: { code: -32022, message: 'no', data } };
    if (asks === 'initialize') return json(response, refused, {}, 400);
    const discovered = { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } };
    const result = { ...(asks === 'server/discover' ? discovered : results[asks]?.()), resultType: 'complete' };
    return json(response, { jsonrpc: '2.0', id, result });
  }

  asked(method) {
    return this.requests.filter((one) => one.method === method);
  }

  // The values that it received in a field, without repetitions.
  told(field) {
    return [...new Set(this.requests.map(({ headers }) => headers[field]))];
  }
}

export class TokenEndpoint {
  // The received forms, each with its `authorization` field.
  forms = [];
  granted = 0;
  life = 300;
  // Requests that wait for their answer while it is slow.
  held = [];
  isSlow = false;
  // The status and body of an answer: by default a new token each time.
  answer = (form, number) => [200, this.token(`t${number}`)];

  async start(t) {
    this.url = await listen(t, (...request) => this.#answer(...request));
    this.endpoint = `${this.url}/token`;
    return this;
  }

  token(text) {
    const type = 'urn:ietf:params:oauth:token-type:access_token';
    return { access_token: text, token_type: 'Bearer', expires_in: this.life, issued_token_type: type };
  }

  #answer({ url, headers }, response, body) {
    if (url.startsWith('/.well-known/'))
      return json(response, { issuer: this.url, token_endpoint: this.endpoint });
    const form = { ...Object.fromEntries(new URLSearchParams(body)), authorization: headers.authorization };
    this.forms.push(form);
    const [status, what] = this.answer(form, (this.granted += 1));
    const send = () => json(response, what, {}, status);
    if (!this.isSlow) return send();
    return this.held.push(send);
  }

  release() {
    this.isSlow = false;
    for (const send of this.held.splice(0)) send();
  }
}

export const startRecorder = (t) => new Recorder().start(t);
export const startTokenEndpoint = (t) => new TokenEndpoint().start(t);
