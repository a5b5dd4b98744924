// Remote 2024-11-05 servers that answer a POST to the URL of their stream with an error of 2026-07-28.
import assert from 'node:assert/strict';
import { remoteFor, text } from './fixture/remote-script.mjs';
import { suite, test } from './lib/concurrently.mjs';
import { gatewayWith } from './lib/config.mjs';
import { Caller } from './lib/modern.mjs';
import { openSession } from './lib/session.mjs';

const PATH = '/servers/far/mcp';
const UNKNOWN = JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32601, message: 'no' } });
const RESULTS = {
  initialize: { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'old', version: '1' } },
  'tools/call': text('hi'),
};

// Any revision may be negotiated over HTTP+SSE. One stream at a time.
function sseOnly() {
  let stream;
  const any = (exchange) => {
    const { method, path, message } = exchange;
    if (method === 'GET') {
      stream = exchange.stream();
      stream.response.write('event: endpoint\ndata: /messages\n\n');
    } else if (path !== '/messages') {
      exchange.status(404, { 'content-type': 'application/json' }, UNKNOWN);
    } else {
      exchange.status(202);
      if (RESULTS[message.method]) stream.event({ id: exchange.id, result: RESULTS[message.method] });
    }
  };
  return { any };
}

suite('a remote server of HTTP+SSE that says that it does not know the method', { concurrency: 2 }, () => {
  for (const [user, first, ask] of [
    ['a session', ['initialize', 'server/discover'], async (url) => (await openSession(url)).call(1, 'any')],
    ['a call of 2026-07-28', ['server/discover', 'initialize'], (url) => new Caller(url).call('any')],
  ])
    test(`is found out for ${user}`, async (t) => {
      const remote = await remoteFor(t, { on: sseOnly() });
      const gateway = await gatewayWith(t, { mcpServers: { far: { url: remote.url } } });
      assert.equal((await ask(gateway.at(PATH))).result?.content[0].text, 'hi');
      const asked = remote.exchanges.map(({ method, message }) => message?.method ?? method);
      assert.deepEqual(asked.slice(0, 4), [...first, 'GET', 'initialize']);
    });
});
