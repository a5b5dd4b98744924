import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

// Exported for tests in other folders, which cannot import the packages.
export { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
export { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
export { Client, StreamableHTTPClientTransport };

// Connects the official client. Its session ends with the test, if the gateway still runs. `credentials` are header
// fields.
export async function connect(test, url, capabilities = {}, prepare = () => {}, credentials = {}) {
  const client = new Client({ name: 'system-test', version: '1' }, { capabilities });
  prepare(client);
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: credentials } });
  await client.connect(transport);
  test.after(async () => {
    if (transport.sessionId) await transport.terminateSession().catch(() => {});
    await client.close();
  });
  return { client, transport };
}
