// What becomes of tokens while their issuer changes its keys, or is away; and opaque ones.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { after, before } from 'node:test';
import { suite, test } from './lib/at-once.mjs';
import { lasting } from './lib/cluster.mjs';
import { gatewayWith } from './lib/config.mjs';
import { assertBad, assertComesIn, assertUnknown, bearer, KeyFile, knock, newKey } from './lib/credentials.mjs';
import { exampleServer } from './lib/gateway.mjs';
import { GATEWAY, issuerFor, startIssuer } from './lib/issuer.mjs';
import { SLOWNESS } from './lib/processes.mjs';
import { openSession } from './lib/session.mjs';
import { HandmadeIssuer, signed } from './lib/tokens.mjs';
import { until } from './lib/until.mjs';

const [command, ...args] = exampleServer;
const SERVERS = { a: { command, args }, b: { command, args } };
const PUBLIC = 'https://troupe.example';
const NEXT_FETCH = 35_000 + 5_000 * SLOWNESS;
const MANY_KEYS = ['RS256', 'PS256', 'ES256', 'ES384'];
const gatewayOf = (t, auth, ...flags) => gatewayWith(t, { mcpServers: SERVERS, gateway: { auth } }, ...flags);
const statusWith = async (gateway, token) => (await knock(gateway.url, bearer(token))).status;
const logged = (gateway, text) => gateway.log.filter((line) => line.includes(text));

// -- those that take a while come first -------------------------------------------------------------------------------

test('when the keys of the issuer change, tokens by the new ones are good, and by the old ones no more', async (t) => {
  const issuer = await startIssuer(t);
  const gateway = await gatewayOf(t, { issuer: issuer.url, audience: PUBLIC });
  await assertComesIn(gateway.url, bearer(await issuer.machineToken(PUBLIC)));
  const old = await issuer.machineToken(PUBLIC, 'read');
  await issuer.changeKeys();
  for (issuer.algorithm of MANY_KEYS) {
    const fresh = await issuer.machineToken(PUBLIC);
    await until('a token by a new key is good', async () => (await statusWith(gateway, fresh)) === 200, NEXT_FETCH);
  }
  assertBad(await knock(gateway.url, bearer(old)));
});

test('while the issuer is away from the start on, nobody can tell: 503; and once it is there, it can', async (t) => {
  const issuer = await startIssuer(t);
  const token = await issuer.machineToken(PUBLIC);
  await issuer.stop();
  const ada = newKey('ada');
  const gateway = await gatewayOf(t, { issuer: issuer.url, audience: PUBLIC, keys: new KeyFile(ada).path });
  for (let time = 0; time < 3; ++time) assert.equal(await statusWith(gateway, token), 503);
  await assertComesIn(gateway.url, bearer(ada.secret), 'a key needs no issuer');
  assertUnknown(await knock(gateway.url));
  assertBad(await knock(gateway.url, bearer('nonsense')));
  await until('the log says so', () => logged(gateway, 'cannot be fetched').length > 0);
  await issuer.start();
  await until('the token is good', async () => (await statusWith(gateway, token)) === 200, NEXT_FETCH);
  assert.equal(logged(gateway, 'cannot be fetched').length, 1);
});

test('an issuer that never answers keeps nobody waiting for long: 503', async (t) => {
  const connections = new Set();
  const listener = net.createServer((socket) => connections.add(socket.on('error', () => {})));
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  t.after(() => {
    listener.close();
    connections.forEach((socket) => socket.destroy());
  });
  const issuer = new HandmadeIssuer();
  issuer.url = `http://127.0.0.1:${listener.address().port}`;
  await issuer.add('ES256');
  const ada = newKey('ada');
  const gateway = await gatewayOf(t, { issuer: issuer.url, audience: 'troupe', keys: new KeyFile(ada).path });
  const began = Date.now();
  const waiting = Promise.all(Array.from({ length: 20 }, async () => statusWith(gateway, await issuer.token())));
  await assertComesIn(gateway.url, bearer(ada.secret));
  assert.ok(Date.now() - began < 4_000, 'a key does not wait for the issuer');
  assert.deepEqual(await waiting, Array(20).fill(503));
  assert.ok(Date.now() - began < 20_000 * SLOWNESS, `${Date.now() - began} ms`);
});

test('an issuer that goes away later is not missed', async (t) => {
  const issuer = await startIssuer(t);
  const gateway = await gatewayOf(t, { issuer: issuer.url, audience: PUBLIC });
  const [seen, unseen] = [await issuer.machineToken(PUBLIC), await issuer.machineToken(PUBLIC, 'read')];
  const session = await openSession(gateway.url, undefined, {}, bearer(seen));
  await issuer.stop();
  for (const token of [seen, unseen]) await assertComesIn(gateway.url, bearer(token));
  assert.equal((await session.ping()).status, 200);
});

// -- opaque tokens ----------------------------------------------------------------------------------------------------

suite('opaque tokens', { concurrency: 4 }, () => {
  let issuer;
  let gateway;
  const t = lasting();
  before(async () => {
    issuer = await startIssuer(t);
    issuer.isOpaque = true;
    const introspection = { clientId: GATEWAY.id, clientSecret: GATEWAY.secret };
    gateway = await gatewayOf(t, { issuer: issuer.url, audience: PUBLIC, introspection });
  });
  after(() => t.end());

  test('are good when the issuer says so', async () => {
    const token = await issuer.userToken(PUBLIC);
    assert.ok(!token.includes('.'), token);
    const session = await openSession(gateway.url, undefined, {}, bearer(token));
    assert.equal((await session.ping()).status, 200);
    const other = session.as(bearer(await issuer.userToken(PUBLIC, 'read write')));
    assert.equal((await other.ping()).status, 200, 'another token of the same user and client');
  });

  test('that a client has for itself are good when the issuer says so', async () => {
    await assertComesIn(gateway.url, bearer(await issuer.machineToken(PUBLIC)));
  });

  test('that were revoked, or never were, are not: 401', async () => {
    const token = await issuer.userToken(PUBLIC);
    await issuer.revoke(token);
    for (const bad of [token, 'x', 'x'.repeat(43), '-._~+/==', 'x'.repeat(5_000)])
      assertBad(await knock(gateway.url, bearer(bad)), bad);
  });

  test('that are revoked while they are used are not good for much longer', async () => {
    const token = await issuer.userToken(PUBLIC);
    await assertComesIn(gateway.url, bearer(token));
    await issuer.revoke(token);
    await until('it is bad', async () => (await statusWith(gateway, token)) === 401, NEXT_FETCH);
  });

  test('for somebody else are not: 401', async () => {
    assertBad(await knock(gateway.url, bearer(await issuer.userToken('https://other.example'))));
  });

  test('are not asked about when they are signed', async () => {
    issuer.isOpaque = false;
    try {
      await assertComesIn(gateway.url, bearer(await issuer.userToken(PUBLIC)));
    } finally {
      issuer.isOpaque = true;
    }
  });
});

test('an issuer that cannot be asked about an opaque token cannot say that it is bad: 503', async (t) => {
  const issuer = await issuerFor(t);
  const introspection = { clientId: GATEWAY.id, clientSecret: 'wrong' };
  const gateway = await gatewayOf(t, { issuer: issuer.url, audience: PUBLIC, introspection });
  assert.equal(await statusWith(gateway, 'opaque'), 503, 'it is away');
  await issuer.start();
  const signed = await issuer.machineToken(PUBLIC);
  await until('it is there', async () => (await statusWith(gateway, signed)) === 200, NEXT_FETCH);
  assert.equal(await statusWith(gateway, 'opaque'), 503, 'it refuses the gateway');
  await until('the log says so', () => logged(gateway, 'cannot be asked about a token').length > 0);
  for (const line of gateway.log) assert.ok(!line.includes('opaque'), line);
});
