import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { everything, gatewayFor } from './lib/gateway.mjs';

// Keeps what went over the wire: the method asked for, and the answer to it.
function recordingFetch(exchanges) {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (init?.method !== 'POST') return response;
    const { method } = JSON.parse(init.body);
    const body = response.ok ? undefined : await response.clone().json();
    exchanges.push({ method, status: response.status, body });
    return response;
  };
}

test('a client of both eras falls back to initialize when its probe is refused', async (t) => {
  const gateway = await gatewayFor(t, everything);
  const exchanges = [];
  const options = { versionNegotiation: { mode: 'auto' } };
  const client = new Client({ name: 'system-test-v2', version: '1' }, options);
  const url = new URL(gateway.url);
  await client.connect(new StreamableHTTPClientTransport(url, { fetch: recordingFetch(exchanges) }));
  t.after(() => client.close());
  const [probe, opening] = exchanges;
  assert.equal(probe.method, 'server/discover');
  assert.equal(probe.status, 400);
  assert.equal(probe.body.error.code, -32000);
  assert.match(probe.body.error.message, /Unsupported protocol version/);
  assert.equal(opening.method, 'initialize');
  assert.equal(client.getProtocolEra(), 'legacy');
  assert.equal(client.getNegotiatedProtocolVersion(), '2025-11-25');
  const { content } = await client.callTool({ name: 'get-sum', arguments: { a: 2, b: 40 } });
  assert.match(content[0].text, /42/);
});
