// Tokens while their issuer changes its keys or is unreachable, and opaque tokens.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import net from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before } from 'node:test';
import { suite, test } from './lib/concurrently.mjs';
import { lasting } from './lib/cluster.mjs';
import { gatewayWith } from './lib/config.mjs';
import { assertBad, assertComesIn, assertUnknown, bearer, KeyFile, tryInitialize, newKey } from './lib/credentials.mjs';
import { exampleServer, runProgram } from './lib/gateway.mjs';
import { GATEWAY, issuerFor, startIssuer } from './lib/issuer.mjs';
import { residentBytes, SLOWNESS } from './lib/processes.mjs';
import { scratch } from './lib/scratch.mjs';
import { openSession } from './lib/session.mjs';
import { MIB } from './lib/state.mjs';
import { HandmadeIssuer, newSigner, signed } from './lib/tokens.mjs';
import { until } from './lib/until.mjs';

const [command, ...args] = exampleServer;
const SERVERS = { a: { command, args }, b: { command, args } };
const PUBLIC = 'https://troupe.example';
const METADATA = '/.well-known/oauth-authorization-server';
// The gateway's minimum interval between queries. The rest is for a busy machine.
const PAUSE = 30_000;
const NEXT_FETCH = PAUSE + 30_000 * SLOWNESS;
const MANY_KEYS = ['RS256', 'PS256', 'ES256', 'ES384'];
const gatewayOf = (t, auth, ...flags) => gatewayWith(t, { mcpServers: SERVERS, gateway: { auth } }, ...flags);
const statusWith = async (gateway, token) => (await tryInitialize(gateway.url, bearer(token))).status;
const logged = (gateway, text) => gateway.log.filter((line) => line.includes(text));

// -- slow tests first ------------------------------------------------------------------------------------------------

// The gateway fetches an issuer's keys at most every 30 seconds, and caches introspection results for the same time.
suite('at the next time that the issuer is asked', { concurrency: 4 }, () => {
  test('when the keys of the issuer change, tokens by the new ones are good and by the old ones no more', async (t) => {
    const issuer = await startIssuer(t);
    const gateway = await gatewayOf(t, { issuer: issuer.url, audience: PUBLIC });
    await assertComesIn(gateway.url, bearer(await issuer.machineToken(PUBLIC)));
    const old = await issuer.machineToken(PUBLIC, 'read');
    await issuer.changeKeys();
    for (issuer.algorithm of MANY_KEYS) {
      const fresh = await issuer.machineToken(PUBLIC);
      await until('a token by a new key is good', async () => (await statusWith(gateway, fresh)) === 200, NEXT_FETCH);
    }
    assertBad(await tryInitialize(gateway.url, bearer(old)));
  });

  test('while the issuer is away from the start on, nobody can tell: 503; and once it is there, it can', async (t) => {
    const issuer = await startIssuer(t);
    const token = await issuer.machineToken(PUBLIC);
    await issuer.stop();
    const ada = newKey('ada');
    const began = Date.now();
    const gateway = await gatewayOf(t, { issuer: issuer.url, audience: PUBLIC, keys: new KeyFile(ada).path });
    for (let time = 0; time < 3; ++time) assert.equal(await statusWith(gateway, token), 503);
    await assertComesIn(gateway.url, bearer(ada.secret), 'a key needs no issuer');
    assertUnknown(await tryInitialize(gateway.url));
    assertBad(await tryInitialize(gateway.url, bearer('nonsense')));
    await until('the log says so', () => logged(gateway, 'cannot be fetched').length > 0);
    await issuer.start();
    const most = 1 + Math.floor((Date.now() - began) / PAUSE);
    await until('the token is good', async () => (await statusWith(gateway, token)) === 200, NEXT_FETCH);
    assert.ok(logged(gateway, 'cannot be fetched').length <= most, 'once for each time that it was asked in vain');
  });

  // 2025-03-26, authorization, 2.3.2
  test('a copy of the issuer\'s metadata is where clients of 2025-03-26 look for it, once it is known', async (t) => {
    const issuer = await startIssuer(t);
    await issuer.stop();
    const gateway = await gatewayOf(t, { issuer: issuer.url, audience: PUBLIC });
    const copy = (init) => fetch(gateway.at(METADATA), init);
    const early = await copy();
    assert.deepEqual([early.status, Number(early.headers.get('retry-after')) > 0], [503, true]);
    await issuer.start();
    const found = await until('it is known', async () => {
      const headers = { 'MCP-Protocol-Version': '2025-03-26', Origin: 'https://page.example' };
      const response = await copy({ headers });
      return response.status === 200 && response;
    }, NEXT_FETCH);
    assert.equal(found.headers.get('access-control-allow-origin'), '*');
    assert.deepEqual(await found.json(), await (await fetch(issuer.url + METADATA)).json());
    const withKeys = await gatewayOf(t, { keys: new KeyFile(newKey('ada')).path });
    assert.equal((await fetch(withKeys.at(METADATA))).status, 404);
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
});

suite('opaque tokens', { concurrency: 4 }, () => {
  let issuer;
  let gateway;
  // Created before the opaque tokens, because tests run at the same time.
  let readable;
  const t = lasting();
  before(async () => {
    issuer = await startIssuer(t);
    readable = await issuer.userToken(PUBLIC);
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
      assertBad(await tryInitialize(gateway.url, bearer(bad)), bad);
  });

  test('that are revoked while they are used are not good for much longer', async () => {
    const token = await issuer.userToken(PUBLIC);
    await assertComesIn(gateway.url, bearer(token));
    const session = await openSession(gateway.url, undefined, {}, bearer(token));
    const stream = await session.listen();
    assert.equal(stream.status, 200);
    await issuer.revoke(token);
    await until('it is bad', async () => (await statusWith(gateway, token)) === 401, NEXT_FETCH);
    await until('the stream that it opened ends', () => stream.ended, NEXT_FETCH);
    assert.ok(stream.isWhole);
  });

  test('for somebody else are not: 401', async () => {
    assertBad(await tryInitialize(gateway.url, bearer(await issuer.userToken('https://other.example'))));
  });

  test('are not asked about when they are signed', async () => {
    assert.ok(readable.includes('.'), readable);
    await assertComesIn(gateway.url, bearer(readable));
  });
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
  const keys = new KeyFile(ada).path;
  // Resolves with whether the tokens were still waiting when the key arrived.
  const tried = async () => {
    const gateway = await gatewayOf(t, { issuer: issuer.url, audience: 'troupe', keys });
    const began = Date.now();
    let isOver = false;
    const asked = Array.from({ length: 20 }, async () => statusWith(gateway, await issuer.token()));
    const waiting = Promise.all(asked).finally(() => (isOver = true));
    await assertComesIn(gateway.url, bearer(ada.secret));
    const wasFirst = !isOver;
    assert.deepEqual(await waiting, Array(20).fill(503));
    assert.ok(Date.now() - began < 60_000 * SLOWNESS, `${Date.now() - began} ms`);
    return wasFirst;
  };
  // A busy machine may delay the key for as long as the gateway waits for the issuer.
  let wasFirst = false;
  for (let time = 0; !wasFirst && time < 4; ++time) wasFirst = await tried();
  assert.ok(wasFirst, 'a key does not wait for the issuer');
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

test('one address that makes tokens up does not keep others waiting', async (t) => {
  const issuer = await pages(t, {});
  const ask = `${issuer.url}/ask`;
  issuer.answers[METADATA] = said({ issuer: issuer.url, jwks_uri: `${issuer.url}/jwks`, introspection_endpoint: ask });
  issuer.answers['/jwks'] = said({ keys: [] });
  const held = [];
  issuer.answers['/ask'] = async (response) => {
    if ((await text(response.req)).startsWith('token=good')) said({ active: true, sub: 'ann', aud: PUBLIC })(response);
    else held.push(response);
  };
  const introspection = { clientId: 'g', clientSecret: 's' };
  const auth = { issuer: issuer.url, audience: PUBLIC, introspection };
  const gateway = await gatewayOf(t, auth, '--trusted-proxy', '127.0.0.1');
  const as = (address, token) => tryInitialize(gateway.url, { ...bearer(token), 'x-forwarded-for': address });
  await until('the metadata is there', async () => (await as('10.0.0.1', 'good0')).status === 200);
  const asked = Array.from({ length: 110 }, (_, number) => as('10.6.6.6', `made-up-${number}`));
  const answered = [];
  asked.forEach((one) => one.then((reply) => answered.push(reply)));
  const refused = () => answered.filter(({ status }) => status === 429);
  await until('what is more than its share is refused', () => refused().length >= 10);
  for (const { headers } of refused().slice(0, 10)) assert.equal(headers['retry-after'], '1');
  const isOpen = (response) => !response.destroyed;
  const open = () => held.filter(isOpen);
  assert.ok(open().length <= 8, `${open().length} are asked about`);
  // A busy machine may delay other requests until the gateway's time limit for these is over.
  let good = 0;
  await until('others are asked about while those wait', async () => {
    const waiting = open();
    assert.equal((await as('10.0.0.2', `good${(good += 1)}`)).status, 200);
    return waiting.length > 0 && waiting.every(isOpen);
  });
  held.forEach((response) => response.destroy());
  issuer.answers['/ask'] = said({ active: false });
  for (const reply of await Promise.all(asked)) assert.ok([401, 429, 503].includes(reply.status), `${reply.status}`);
});

// -- answers of an issuer --------------------------------------------------------------------------------------------

// Serves answers by path, and 404 otherwise. Lives as long as the test.
async function pages(t, answers, host = '127.0.0.1') {
  const asked = [];
  const server = createServer(({ url }, response) => {
    asked.push(url);
    if (answers[url]) return answers[url](response);
    return response.writeHead(404).end();
  });
  server.listen(0, host);
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${server.address().port}`, asked, answers };
}

const JSON_TYPE = { 'content-type': 'application/json' };
const said = (what) => (response) => response.writeHead(200, JSON_TYPE).end(JSON.stringify(what));
const metadataOf = (issuer) => said({ issuer, jwks_uri: `${issuer}/jwks` });
const sends = (status, location) => (response) => response.writeHead(status, { location }).end();

// Starts a gateway with an issuer of these pages. Resolves with the result for a token signed by its key, and with the
// requests to other hosts.
async function worth(answersOf, host = '127.0.0.1') {
  const t = lasting();
  try {
    const signer = await newSigner('ES256', 'ES256');
    const issuer = await pages(t, {});
    const keys = said({ keys: [signer.jwk] });
    const other = await pages(t, { '/jwks': keys, [METADATA]: metadataOf(issuer.url) }, host);
    Object.assign(issuer.answers, answersOf({ issuer: issuer.url, other: other.url, keys }));
    const gateway = await gatewayOf(t, { issuer: issuer.url, audience: 'troupe' });
    const claims = { iss: issuer.url, sub: 'ada', aud: 'troupe', exp: Math.floor(Date.now() / 1_000) + 100 };
    const status = await statusWith(gateway, await signed(signer, claims));
    return { status, elsewhere: other.asked, memory: residentBytes(gateway.pid) };
  } finally {
    await t.end();
  }
}

test('an issuer that sends elsewhere for its metadata, or its keys, is not followed', async () => {
  for (const status of [301, 302, 307, 308]) {
    const byMetadata = ({ other }) => ({ [METADATA]: sends(status, other + METADATA) });
    const byKeys = ({ issuer, other }) => ({
      [METADATA]: metadataOf(issuer), '/jwks': sends(status, `${other}/jwks`),
    });
    for (const answers of [byMetadata, byKeys]) {
      const { status: its, elsewhere } = await worth(answers);
      assert.deepEqual([its, elsewhere], [503, []], String(status));
    }
  }
});

test('an issuer whose metadata is another\'s, or none, is not believed', async () => {
  const good = await worth(({ issuer, keys }) => ({ [METADATA]: metadataOf(issuer), '/jwks': keys }));
  assert.equal(good.status, 200);
  const withSlash = ({ issuer }) => said({ issuer: `${issuer}/`, jwks_uri: `${issuer}/jwks` });
  assert.equal((await worth((of) => ({ [METADATA]: withSlash(of), '/jwks': of.keys }))).status, 200);
  const wrong = {
    'of another': ({ other }) => ({ issuer: other, jwks_uri: `${other}/jwks` }),
    'with a path': ({ issuer }) => ({ issuer: `${issuer}/path`, jwks_uri: `${issuer}/jwks` }),
    'of nobody': ({ issuer }) => ({ jwks_uri: `${issuer}/jwks` }),
    'without keys': ({ issuer }) => ({ issuer }),
    'with keys that are a file': ({ issuer }) => ({ issuer, jwks_uri: 'file:///etc/passwd' }),
    'with keys nowhere': ({ issuer }) => ({ issuer, jwks_uri: '/jwks' }),
    'a text': () => 'nothing',
  };
  for (const [what, metadata] of Object.entries(wrong)) {
    const { status, elsewhere } = await worth((of) => ({ [METADATA]: said(metadata(of)), '/jwks': of.keys }));
    assert.deepEqual([status, elsewhere], [503, []], what);
  }
});

// The operator has configured the issuer's host and port. URLs in its metadata must not lead to this machine.
test('an issuer cannot make the gateway ask this machine or its network for keys', async () => {
  const names = [
    '127.0.0.1', 'localhost', 'LOCALHOST', '127.1', '2130706433', '0x7f000001', '017700000001', '127.0.0.2', '0.0.0.0',
    '[::1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::]', 'a@127.0.0.1', '127.0.0.1.', '169.254.169.254',
    '10.0.0.1', '192.168.0.1', '172.16.0.1', '100.64.0.1', '[fe80::1]', '[fc00::1]',
  ];
  const naming = (keysOf) => ({ issuer, other }) => ({ [METADATA]: said({ issuer, jwks_uri: keysOf(other) }) });
  for (const name of names) {
    const keysOf = (other) => `${other.replace('127.0.0.1', name)}/jwks`;
    const { status, elsewhere } = await worth(naming(keysOf), '::');
    assert.deepEqual([status, elsewhere], [503, []], name);
  }
});

test('an issuer that says too much takes no memory', async () => {
  const endless = (response) => {
    response.writeHead(200, JSON_TYPE);
    const more = () => {
      while (!response.destroyed && response.write(' '.repeat(65_536)));
    };
    response.on('drain', more).on('error', () => {});
    more();
  };
  for (const answers of [
    () => ({ [METADATA]: endless }),
    ({ issuer }) => ({ [METADATA]: metadataOf(issuer), '/jwks': endless }),
  ]) {
    const { status, memory } = await worth(answers);
    assert.equal(status, 503);
    assert.ok(memory < 100 * MIB, `${memory / MIB} MiB`);
  }
});

// RFC 8414, 2; 2025-11-25, authorization, "Communication Security".
test('an issuer that is not asked in TLS is none, unless it is on this machine', async () => {
  for (const [url, isGood] of [
    ['https://issuer.example', true], ['http://127.0.0.1:9', true], ['http://localhost:9', true],
    ['http://issuer.example', false], ['http://10.0.0.1', false], ['http://127.0.0.1.evil.example', false],
    ['http://localhost.evil.example', false], ['http://localhost:1@evil.example', false],
  ]) {
    const file = join(scratch(), 'mcp.json');
    const auth = { issuer: url, audience: 'troupe' };
    writeFileSync(file, JSON.stringify({ mcpServers: SERVERS, gateway: { auth } }));
    const child = runProgram('check', file);
    const [[code], told] = await Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)]);
    assert.equal(code, isGood ? 0 : 1, `${url}: ${told}`);
  }
});
