// Three nodes behind nginx, which adds an access key to all requests, for clients without credentials. Unauthenticated
// stateless clients would get a process for each request.
import { balanced, startCluster } from './cluster.mjs';
import { bearer, KeyFile, newKey } from './credentials.mjs';

// The nodes live as long as the test or suite.
export async function startKeyedNodes(t, mcpServers) {
  const key = newKey('one');
  const config = { mcpServers, gateway: { auth: { keys: new KeyFile(key).path } } };
  const cluster = await startCluster(t, { config });
  const show = `proxy_set_header Authorization "${bearer(key.secret).authorization}";`;
  const url = await balanced(t, cluster, (file) => file.replace('location / {', `location / {\n${show}`));
  return { url: `${url}/mcp`, at: (path) => new URL(path, url).href };
}
