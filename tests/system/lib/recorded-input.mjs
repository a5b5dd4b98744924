// Servers whose input is recorded in a file, with a JSON-RPC message in each line.
import { once } from 'node:events';
import { appendFileSync, readFileSync } from 'node:fs';
import http from 'node:http';
import { text } from 'node:stream/consumers';

export const heardBy = (journal) =>
  readFileSync(journal, 'utf8').split('\n').slice(0, -1).map((line) => JSON.parse(line));

// A command whose input is recorded. `tee` writes to its output first, which is the journal here, so every message is
// recorded before the command can answer it.
export const recordedCommand = (journal, command) =>
  ['sh', '-c', 'tee /dev/fd/3 3>&1 >>"$0" | "$@"', journal, ...command];

// In 2026-07-28, closing a request cancels it without a message. The recorded message represents that.
const asCancelled = ({ id }) => ({ method: 'notifications/cancelled', params: { requestId: id } });

async function pass(journal, url, request, response) {
  const note = (message) => appendFileSync(journal, `${JSON.stringify(message)}\n`);
  const body = await text(request);
  const message = body ? JSON.parse(body) : {};
  if (body) note(message);
  const asked = http.request(url, { method: request.method, headers: request.headers });
  asked.on('error', () => response.destroy());
  asked.on('response', (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    response.flushHeaders();
    answer.on('error', () => response.destroy()).pipe(response);
  });
  response.on('close', () => {
    asked.destroy();
    if (!response.writableFinished && message.method && message.id !== undefined) note(asCancelled(message));
  });
  asked.end(body);
}

// Resolves with the URL of a recording proxy for a remote server. The proxy lives as long as the test or suite.
export async function recordedUrl(t, journal, url) {
  const proxy = http.createServer((request, response) => void pass(journal, url, request, response));
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  t.after(() => {
    proxy.close();
    proxy.closeAllConnections();
  });
  return `http://127.0.0.1:${proxy.address().port}/mcp`;
}
