import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

// For tests in other folders, which do not find the packages.
export { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
export { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
export { Client, StreamableHTTPClientTransport };

// The official client; its session ends with the test, unless the gateway went before. `credentials` are header fields.
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
