// Handwritten MCP requests, for what no well-behaved client does.
import assert from 'node:assert/strict';
import { request } from './http.mjs';

export const LATEST = '2025-11-25';
export const POST_HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};

export const initializeRequest = (protocolVersion = LATEST, capabilities = {}) => ({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion, capabilities, clientInfo: { name: 'by-hand', version: '1' } },
});

export const toolCall = (id, name, args = {}, progressToken = undefined) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args, ...(progressToken !== undefined && { _meta: { progressToken } }) },
});

export const post = (url, message, headers = {}) =>
  request(url, {
    method: 'POST',
    headers: { ...POST_HEADERS, ...headers },
    body: typeof message === 'string' ? message : JSON.stringify(message),
  });

// The request as bytes, for a raw connection.
export function postBytes(url, message, headers = {}) {
  const body = JSON.stringify(message);
  const { host, pathname, search } = new URL(url);
  const fields = { host, ...POST_HEADERS, ...headers, 'content-length': Buffer.byteLength(body) };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${pathname}${search} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

export class Session {
  // `credentials` are header fields of its client.
  constructor(url, id, version, credentials = {}) {
    this.url = url;
    this.credentials = credentials;
    this.headers = { 'mcp-session-id': id, 'mcp-protocol-version': version, ...credentials };
    this.id = id;
    this.version = version;
  }

  // A copy of the session with other credentials.
  as(credentials) {
    return new Session(this.url, this.id, this.version, credentials);
  }

  post(message, headers = {}) {
    return post(this.url, message, { ...this.headers, ...headers });
  }

  async call(id, name, args) {
    const messages = await (await this.post(toolCall(id, name, args))).all();
    return messages.at(-1);
  }

  ping(id = 'ping') {
    return this.post({ jsonrpc: '2.0', id, method: 'ping' });
  }

  listen(headers = {}) {
    return request(this.url, { headers: { accept: 'text/event-stream', ...this.headers, ...headers } });
  }

  delete() {
    return request(this.url, { method: 'DELETE', headers: this.headers });
  }
}

export async function openSession(url, version = LATEST, capabilities = {}, credentials = {}) {
  const reply = await post(url, initializeRequest(version, capabilities), credentials);
  const [answer] = await reply.all();
  assert.equal(reply.status, 200, reply.received);
  assert.equal(answer?.result?.protocolVersion, version, reply.received);
  const session = new Session(url, reply.headers['mcp-session-id'], version, credentials);
  const initialized = await session.post({ jsonrpc: '2.0', method: 'notifications/initialized' });
  assert.equal(initialized.status, 202);
  return session;
}
