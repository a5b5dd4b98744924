// The HTTP+SSE transport of 2024-11-05, written by hand: a stream, and an endpoint for POST.
import assert from 'node:assert/strict';
import { request } from './http.mjs';
import { initializeRequest, LATEST, post, toolCall } from './session.mjs';
import { until } from './until.mjs';

export const openStream = (gateway, headers = {}) =>
  request(gateway.at('/sse'), { headers: { accept: 'text/event-stream', ...headers } });

export class SseSession {
  // `credentials` are header fields of its client.
  constructor(gateway, stream, endpoint, credentials = {}) {
    this.gateway = gateway;
    this.credentials = credentials;
    this.stream = stream;
    this.endpoint = endpoint;
    this.url = gateway.at(endpoint);
    this.id = new URL(this.url).searchParams.get('sessionId');
  }

  get messages() {
    return this.stream.events.filter(({ event }) => event === 'message').map(({ data }) => JSON.parse(data));
  }

  post(message, headers = {}) {
    return post(this.url, message, { ...this.credentials, ...headers });
  }

  message(what, matches, limit) {
    return until(what, () => this.messages.find(matches), limit);
  }

  // Resolves with the answer, which arrives on the stream.
  async ask(message) {
    const reply = await this.post(message);
    assert.equal(reply.status, 202, reply.received);
    return this.message(`the answer to ${message.id}`, ({ id, method }) => id === message.id && !method);
  }

  call(id, name, args, progressToken) {
    return this.ask(toolCall(id, name, args, progressToken));
  }

  ping(id = 'ping') {
    return this.post({ jsonrpc: '2.0', id, method: 'ping' });
  }

  // The end of the stream is the end of the session.
  close() {
    this.stream.destroy();
  }
}

export async function openEndpoint(gateway, credentials = {}) {
  const stream = await openStream(gateway, credentials);
  assert.equal(stream.status, 200, stream.received);
  const { data } = await until('the endpoint is told', () => stream.events.find(({ event }) => event === 'endpoint'));
  return new SseSession(gateway, stream, data, credentials);
}

export async function openSseSession(gateway, version = LATEST, capabilities = {}, credentials = {}) {
  const session = await openEndpoint(gateway, credentials);
  const { result } = await session.ask(initializeRequest(version, capabilities));
  assert.equal(result.protocolVersion, version);
  assert.equal((await session.post({ jsonrpc: '2.0', method: 'notifications/initialized' })).status, 202);
  return session;
}
