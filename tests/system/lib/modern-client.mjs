// The official client of both eras.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { MODERN } from './modern.mjs';

// Which era it speaks: the one it finds by asking, the newer one and no other, the older one without asking.
export const MODES = { auto: 'auto', modern: { pin: MODERN }, legacy: 'legacy' };

// It lives as long as the test. `can` is what it can be asked, `headers` are fields of all that it sends; `exchanges`
// are what it POSTed, each with the status of the answer.
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
