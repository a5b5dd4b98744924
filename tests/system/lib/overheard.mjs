// Servers of which a copy is made of all that they are told: a file with a JSON-RPC message in each line.
import { once } from 'node:events';
import { appendFileSync, readFileSync } from 'node:fs';
import http from 'node:http';
import { text } from 'node:stream/consumers';

export const heardBy = (journal) =>
  readFileSync(journal, 'utf8').split('\n').slice(0, -1).map((line) => JSON.parse(line));

// A command, which reads what it is told. `tee` writes to its output first: that is the journal, so that all is written
// down before the command can answer it.
export const overheardCommand = (journal, command) =>
  ['sh', '-c', 'tee /dev/fd/3 3>&1 >>"$0" | "$@"', journal, ...command];

// Who closes a request of 2026-07-28 before it is answered cancels it, without a message that says so.
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

// Resolves with the URL at which a remote server is overheard, as long as the test lasts, or the suite.
export async function overheardUrl(t, journal, url) {
  const proxy = http.createServer((request, response) => void pass(journal, url, request, response));
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  t.after(() => {
    proxy.close();
    proxy.closeAllConnections();
  });
  return `http://127.0.0.1:${proxy.address().port}/mcp`;
}
