// The official client of both eras is served in whichever it speaks.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { everything, gatewayFor } from './lib/gateway.mjs';
import { MODERN } from './lib/modern.mjs';
import { connectModern, MODES } from './lib/modern-client.mjs';

const EXPECTED = {
  auto: { era: 'modern', version: MODERN, asked: ['server/discover'] },
  modern: { era: 'modern', version: MODERN, asked: ['server/discover'] },
  legacy: { era: 'legacy', version: '2025-11-25', asked: ['initialize', 'notifications/initialized'] },
};

for (const [name, { era, version, asked }] of Object.entries(EXPECTED))
  test(`a client of both eras in its mode ${name} agrees on ${version} and calls`, async (t) => {
    const gateway = await gatewayFor(t, everything);
    const { client, transport, exchanges } = await connectModern(t, gateway.url, { mode: MODES[name] });
    assert.deepEqual(exchanges.map(({ method }) => method), asked);
    assert.ok(exchanges.every(({ status }) => status < 300));
    assert.equal(client.getProtocolEra(), era);
    assert.equal(client.getNegotiatedProtocolVersion(), version);
    assert.equal(client.getServerVersion().name, 'mcp-servers/everything');
    const { content } = await client.callTool({ name: 'get-sum', arguments: { a: 2, b: 40 } });
    assert.match(content[0].text, /42/);
    assert.equal(transport.sessionId !== undefined, era === 'legacy');
  });
