// The official client of both eras.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { MODERN } from './modern.mjs';

// The eras of the client: detected, 2026-07-28 only, or session-based without detection.
export const MODES = { auto: 'auto', modern: { pin: MODERN }, legacy: 'legacy' };

// The client closes with the test. `can` are its capabilities, `headers` its extra header fields. `exchanges` lists its
// POSTs with the statuses of the answers.
export async function connectModern(test, url, how = {}) {
  const { mode = MODES.modern, can = {}, prepare = () => {}, headers = {} } = how;
  const exchanges = [];
  const recording = async (place, init) => {
    const response = await fetch(place, init);
    if (init?.method !== 'POST') return response;
    exchanges.push({ ...JSON.parse(init.body), fields: new Headers(init.headers), status: response.status });
    return response;
  };
  const options = { capabilities: can, versionNegotiation: { mode } };
  const client = new Client({ name: 'system-test-modern', version: '1' }, options);
  prepare(client);
  const transport = new StreamableHTTPClientTransport(new URL(url), { fetch: recording, requestInit: { headers } });
  await client.connect(transport);
  test.after(async () => {
    if (transport.sessionId) await transport.terminateSession().catch(() => {});
    await client.close();
  });
  return { client, transport, exchanges };
}
