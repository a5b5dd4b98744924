// Tokens of an issuer: which are good, which are not, and what is said to who has none.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { after, before } from 'node:test';
import { suite, test } from './lib/at-once.mjs';
import { lasting } from './lib/cluster.mjs';
import { gatewayWith } from './lib/config.mjs';
import {
  assertBad, assertComesIn, assertRefused, assertUnknown, bearer, challengeOf, KeyFile, knock, newKey,
} from './lib/credentials.mjs';
import { exampleServer } from './lib/gateway.mjs';
import { request } from './lib/http.mjs';
import { GATEWAY, issuerFor, startIssuer } from './lib/issuer.mjs';
import { SLOWNESS } from './lib/processes.mjs';
import { random, SEED } from './lib/random.mjs';
import { openSession } from './lib/session.mjs';
import { openSseSession } from './lib/sse.mjs';
import {
  encoded, forcedly, HandmadeIssuer, newSigner, pemOf, seconds, signed, startHandmade, withSecret,
} from './lib/tokens.mjs';
import { until } from './lib/until.mjs';

const [command, ...args] = exampleServer;
const SERVERS = { a: { command, args }, b: { command, args } };
const PUBLIC = 'https://troupe.example';
const ANYWHERE = 'https://any.example';
const WELL_KNOWN = '/.well-known/oauth-protected-resource';
// Keys are fetched once in so long at most.
const PAUSE = 30;
const NEXT_FETCH = 35_000 + 5_000 * SLOWNESS;
const MANY_KEYS = ['RS256', 'PS256', 'ES256', 'ES384'];
const LONG_KID = 'k'.repeat(5_000);

const gatewayOf = (t, auth, ...flags) => gatewayWith(t, { mcpServers: SERVERS, gateway: { auth } }, ...flags);
const statusWith = async (gateway, token) => (await knock(gateway.url, bearer(token))).status;
// A token each, by what is special about it.
const each = (what, all, make) => Object.fromEntries(all.map((one) => [`${what} ${JSON.stringify(one)}`, make(one)]));
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

// -- signed ones ------------------------------------------------------------------------------------------------------

suite('a signed token', () => {
  let issuer;
  let attacker;
  let gateway;
  let began;
  const t = lasting();
  before(async () => {
    issuer = await startHandmade(t, ...MANY_KEYS);
    await issuer.add('ES256', 'another', { alg: 'ES256', use: 'sig', key_ops: ['verify'] });
    await issuer.add('RS256', 'for-encryption', { use: 'enc' });
    await issuer.add('ES384', 'of-another-kind', { alg: 'ES512' });
    // One that says more than it should.
    await issuer.add('EdDSA', 'not-taken');
    attacker = await startHandmade(t, 'RS256', 'ES256');
    began = Date.now();
    gateway = await gatewayOf(t, { issuer: issuer.url, audience: ['other', 'troupe'], groupsClaim: 'groups' });
  });
  after(() => t.end());

  const isGood = async (token, what) => assertComesIn(gateway.url, bearer(await token), what);
  const isBad = async (token, what) => {
    const challenge = assertBad(await knock(gateway.url, bearer(await token)), what);
    assert.equal(challenge.resource_metadata, gateway.at(`${WELL_KNOWN}/mcp`));
    assert.ok(challenge.error_description, what);
  };
  const areBad = async (tokens) => {
    const wrong = [];
    for (const [what, token] of Object.entries(tokens))
      await isBad(token, what).catch(({ message }) => wrong.push(message));
    assert.deepEqual(wrong, []);
    await isGood(issuer.token(), 'all others go on');
  };

  test('is good when it is by a key of the issuer, whatever the algorithm', async () => {
    for (const kid of [...MANY_KEYS, 'another']) await isGood(issuer.token({}, kid), kid);
    const rsa = issuer.signer('RS256');
    for (const alg of ['RS384', 'RS512', 'PS256', 'PS384', 'PS512'])
      await isGood(forcedly({ ...rsa, alg }, { alg, kid: rsa.kid }, issuer.claims()), alg);
  });

  test('is good without what it may leave out', async () => {
    for (const kid of MANY_KEYS) await isGood(issuer.token({}, kid, { kid: undefined }), `no kid: ${kid}`);
    for (const typ of [undefined, 'JWT', 'application/at+jwt']) await isGood(issuer.token({}, 'ES256', { typ }), typ);
    await isGood(issuer.token({ iat: undefined, client_id: undefined }));
    await isGood(issuer.token({ aud: ['x', 'troupe', 'y'] }));
    await isGood(issuer.token({ aud: 'other' }));
    await isGood(issuer.token({ exp: seconds() + 60.5, groups: 'one', x: { deep: [1, 'two', null] } }));
  });

  test('begins a session that works', async () => {
    const session = await openSession(gateway.at('/servers/a/mcp'), undefined, {}, bearer(await issuer.token()));
    assert.equal((await session.call(1, 'add', { a: 1, b: 2 })).result.content[0].text, '3');
    assert.equal((await session.delete()).status, 200);
  });

  test('is refused when somebody else signed it: 401', async () => {
    const claims = issuer.claims();
    const [stranger, curve] = await Promise.all([newSigner('RS256', 'RS256'), newSigner('ES256', 'ES256')]);
    const key = (kid) => issuer.signer(kid);
    await areBad({
      'a stranger by the name of a key': signed(stranger, claims),
      'a stranger on a curve': signed(curve, claims),
      'a stranger without a name': signed({ ...stranger, kid: undefined }, claims),
      'the attacker': attacker.token({ iss: issuer.url }),
      'one key by the name of another': signed({ ...key('another'), kid: 'ES256' }, claims),
      'one key by the name of another kind': signed({ ...key('ES256'), kid: 'RS256' }, claims),
      'a key by the name of another algorithm': signed({ ...key('PS256'), kid: 'RS256' }, claims),
      'a key that is not for signatures': issuer.token({}, 'for-encryption'),
      'a key that says that it signs otherwise': issuer.token({}, 'of-another-kind'),
      'an algorithm that is not taken': issuer.token({}, 'not-taken'),
    });
  });

  test('is refused when nobody signed it, or it was changed: 401', async () => {
    const good = await issuer.token({}, 'ES256');
    const [header, payload, end] = good.split('.');
    const other = (await issuer.token({ sub: 'eve' }, 'ES256')).split('.');
    const raw = Buffer.from(end, 'base64url');
    const nobody = (alg) => `${encoded({ alg, kid: 'ES256' })}.${payload}`;
    const bytes = (...parts) => `${header}.${payload}.${Buffer.concat(parts).toString('base64url')}`;
    const [r, s] = [raw.subarray(0, 32), raw.subarray(32)];
    const integer = (one) => Buffer.concat([Buffer.from([2, 33, 0]), one]);
    await areBad({
      ...Object.fromEntries(['none', 'None', 'NONE', 'nOnE', '', ' none', null, 0, [], undefined].flatMap((alg) => [
        [`alg ${alg}`, `${nobody(alg)}.`],
        [`alg ${alg}, with a signature`, `${nobody(alg)}.${end}`],
      ])),
      'no signature': `${header}.${payload}.`,
      'the claims of another': `${header}.${other[1]}.${end}`,
      'the signature of another': `${header}.${payload}.${other[2]}`,
      'the header of another': `${encoded({ alg: 'ES256', kid: 'another' })}.${payload}.${end}`,
      'a short signature': bytes(raw.subarray(0, 63)),
      'a long signature': bytes(raw, Buffer.from([0])),
      'twice the signature': bytes(raw, raw),
      'halves in the other order': bytes(s, r),
      'zeros': bytes(Buffer.alloc(64)),
      'ones': bytes(Buffer.alloc(64, 0xff)),
      'a half of zeros': bytes(r, Buffer.alloc(32)),
      'as certificates have it': bytes(Buffer.from([0x30, 70]), integer(r), integer(s)),
      'a curve of another size': `${encoded({ alg: 'ES384', kid: 'ES384' })}.${payload}.${end}`,
    });
  });

  test('is refused when any character of it is another: 401', async (t) => {
    const chance = random();
    t.diagnostic(`seed ${SEED}`);
    for (const kid of ['RS256', 'ES256']) {
      const good = await issuer.token({}, kid);
      for (let time = 0; time < 50; ++time) {
        // The last may have bits of no meaning.
        const index = chance.between(0, good.length - 2);
        const letter = good[index] === 'A' ? 'B' : 'A';
        if (good[index] === '.') continue;
        await isBad(good.slice(0, index) + letter + good.slice(index + 1), `${kid} at ${index}`);
      }
    }
  });

  test('is refused when its secret is what all know: 401', async () => {
    const tokens = {};
    for (const kid of ['RS256', 'ES256']) {
      const signer = issuer.signer(kid);
      const pem = await pemOf(signer);
      const { kid: _, ...bare } = signer.jwk;
      const known = [pem, `${pem}\n`, pem.trim(), JSON.stringify(signer.jwk), JSON.stringify(bare), '', kid];
      known.push(Buffer.from(signer.jwk.n ?? signer.jwk.x, 'base64url'));
      for (const [index, secret] of known.entries())
        for (const header of [{ kid }, {}, { alg: kid, kid }])
          tokens[`${kid}, secret ${index}, ${JSON.stringify(header)}`] = withSecret(secret, header, issuer.claims());
    }
    await areBad(tokens);
  });

  test('is refused when its key is not known, whatever that is called: 401', async () => {
    const names = [
      'unknown', '../../x', '../../../../dev/null', '/dev/null', "' OR 1=1", "x' UNION SELECT 'k", 'ES256\0', ' ES256',
      'es256', '%45S256', '${jndi:ldap://x}', '$(id)', '<x>', '\u{1F3AD}', '*', LONG_KID,
    ];
    const key = issuer.signer('ES256');
    await areBad(each('kid', names, (kid) => forcedly(key, { alg: 'ES256', kid }, issuer.claims())));
    const most = 2 * (1 + Math.ceil((Date.now() - began) / 1_000 / PAUSE));
    assert.ok(issuer.asked.length <= most, `the issuer was asked ${issuer.asked.length} times`);
  });

  test('is refused when it brings its own key, and nobody is asked for that: 401', async () => {
    const there = attacker.signer('RS256');
    const claims = issuer.claims();
    const url = `${attacker.url}/jwks`;
    const headers = [
      { jku: url }, { x5u: url }, { jwk: there.jwk }, { jku: url, x5u: url, jwk: there.jwk, kid: undefined },
      { x5c: [Buffer.from('certificate').toString('base64')] }, { kid: url }, { jwk: there.jwk, kid: undefined },
    ];
    const bringing = (header) => forcedly(there, { alg: 'RS256', kid: 'RS256', ...header }, claims);
    await areBad(each('', headers, bringing));
    await isBad(attacker.token({ aud: 'troupe' }), 'the attacker as an issuer');
    assert.deepEqual(attacker.asked, []);
    assert.deepEqual([...new Set(issuer.asked)].toSorted(), ['/.well-known/oauth-authorization-server', '/jwks']);
  });

  test('is refused before its time and after it: 401', async () => {
    await isGood(issuer.token({ exp: seconds() - 50 }), 'clocks may differ');
    await isGood(issuer.token({ nbf: seconds() + 50 }), 'clocks may differ');
    const now = seconds();
    const times = [0, -1, 'tomorrow', String(now + 100), null, true, [now + 100], {}];
    await areBad({
      expired: issuer.token({ exp: now - 61 }),
      'expired long ago': issuer.token({ exp: 1 }),
      'never expires': issuer.token({ exp: undefined }),
      ...each('exp', times, (exp) => issuer.token({ exp })),
      ...each('nbf', [-1, 'now', null, true, []], (nbf) => issuer.token({ nbf })),
      ...each('exp', ['1e400', '-1e400', '99999999999999999999', '1e18'], (exp) => {
        const claims = JSON.stringify(issuer.claims({ exp: 0 })).replace('"exp":0', `"exp":${exp}`);
        return signed(issuer.signer('ES256'), claims);
      }),
    });
    // More than a minute ahead, also when it is looked at.
    const reply = await until('it is looked at in time', async () => {
      const nbf = seconds() + 62;
      const said = await knock(gateway.url, bearer(await issuer.token({ nbf })));
      return nbf - seconds() >= 61 && said;
    });
    assertBad(reply, 'not yet');
  });

  test('is refused when it is for somebody else, or for nobody: 401', async () => {
    const names = ['troupe2', 'Troupe', 'troup', ' troupe', 'troupe other', ''];
    const others = [...names, names, [], [['troupe']], 5, null, {}, { troupe: 1 }, undefined];
    await areBad(each('aud', others, (aud) => issuer.token({ aud })));
  });

  test('is refused when it is of another issuer: 401', async () => {
    const { url } = issuer;
    const alike = [`${url}/`, url.toUpperCase(), url.replace('127.0.0.1', 'localhost'), `${url}@evil.example`];
    const others = [...alike, attacker.url, 'key', '', [url], null, 1, undefined];
    await areBad(each('iss', others, (iss) => issuer.token({ iss })));
  });

  test('is refused when it names nobody: 401', async () => {
    const nobody = ['', null, 1, ['ada'], {}, undefined];
    await areBad(each('sub', nobody, (sub) => issuer.token({ sub })));
  });

  test('is refused when it says something twice: 401', async () => {
    const key = issuer.signer('ES256');
    const claims = JSON.stringify(issuer.claims());
    const also = (more) => signed(key, `${claims.slice(0, -1)},${more}}`);
    const header = '{"alg":"ES256","kid":"ES256"';
    await areBad({
      'two subjects': also('"sub":"eve"'),
      'the same subject': also('"sub":"ada"'),
      'two subjects, one in disguise': also('"\\u0073ub":"eve"'),
      'two audiences': also('"aud":"troupe"'),
      'two ends': also('"exp":99999999999'),
      'two issuers': also('"iss":"x"'),
      'two algorithms': forcedly(key, `${header},"alg":"none"}`, claims),
      'two algorithms, one in disguise': forcedly(key, `{"\\u0061lg":"none",${header.slice(1)}}`, claims),
      'two keys': forcedly(key, `${header},"kid":"another"}`, claims),
    });
  });

  test('is refused when it wants something understood that is not: 401', async () => {
    const key = issuer.signer('ES256');
    const wanting = (crit) => forcedly(key, { alg: 'ES256', kid: 'ES256', crit, b64: true, x: 1 }, issuer.claims());
    await areBad(each('crit', [['exp'], ['b64'], [], ['x'], 'x', null], wanting));
  });

  test('is refused when it is garbage: 401', async () => {
    const { kid } = issuer.signer('ES256');
    const header = encoded({ alg: 'ES256', kid });
    const payload = encoded(issuer.claims());
    const end = 'A'.repeat(86);
    const nonsense = ['', 'null', '[]', '"x"', '1', '{}', '{', '['.repeat(3_000), '{"a":'.repeat(1_000)];
    const alg = '{"alg":"ES256"}';
    const headers = [...nonsense, alg.slice(0, -1), `${alg}}`, `{"alg":${alg}}`, `\ufeff${alg}`];
    const payloads = [...nonsense, '{"exp":'.repeat(1_000), `{"iss":"${issuer.url}`];
    const texts = [
      ...['.', '..', '...', '....', 'a', 'a.b', 'a.b.c', 'a.b.c.d', 'a=', 'a.b.c==', '-', '~', 'Bearer', 'null'],
      ...[`.${payload}.${end}`, `${header}..${end}`, `${header}.${payload}`, `${header}.${payload}.${end}.`],
      ...[`.${header}.${payload}.${end}`, `${header}.${payload}.${end}.${end}.${end}`, `${header}.${payload}.${end}==`],
      ...[`${header}.${payload}.A`, `${header}.${payload}.+/+/`, 'A'.repeat(7_000), '.'.repeat(5_000)],
      `${'A'.repeat(3_000)}.${'A'.repeat(3_000)}.A`,
    ];
    const chance = random();
    const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.'];
    const word = () => Array.from({ length: chance.between(1, 300) }, () => chance.pick(letters)).join('');
    const all = [
      ...texts,
      ...headers.map((text) => `${encoded(text)}.${payload}.${end}`),
      ...payloads.map((text) => `${header}.${encoded(text)}.${end}`),
      `${encoded(Buffer.from([0xff, 0xfe, 0x80]))}.${payload}.${end}`,
      `${header}.${encoded(Buffer.from('{"iss":"\xff\xfe"}', 'latin1'))}.${end}`,
      ...Array.from({ length: 50 }, word),
    ];
    await areBad(Object.fromEntries(all.map((text) => [`${text.slice(0, 60)} (${text.length})`, text])));
  });

  test('is refused when it is very long: 401 or 431', async () => {
    for (const length of [13_000, 100_000]) {
      const token = await issuer.token({ x: 'x'.repeat(length) });
      const status = await knock(gateway.url, bearer(token)).then((reply) => reply.status, ({ code }) => code);
      assert.ok([401, 431].includes(status), `${length}: ${status}`);
    }
    await isGood(issuer.token({ x: 'x'.repeat(5_000) }), 'some are long');
  });

  test('is not looked for in the query or in the body: 401', async () => {
    const token = await issuer.token();
    for (const name of ['access_token', 'token']) assertUnknown(await knock(`${gateway.url}?${name}=${token}`));
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    assertUnknown(await request(gateway.url, { method: 'POST', headers, body: `access_token=${token}` }));
  });

  test('is taken as X-API-Key, too', async () => {
    await assertComesIn(gateway.url, { 'x-api-key': await issuer.token() });
    assertBad(await knock(gateway.url, { 'x-api-key': await issuer.token({ aud: 'x' }) }));
  });

  test('is never logged, nor is who has it', async () => {
    for (const line of gateway.log) assert.ok(!/eyJ|desk/.test(line), line);
  });
});

// -- whom it is for ---------------------------------------------------------------------------------------------------

suite('a gateway with a public URL', () => {
  let issuer;
  let gateway;
  const t = lasting();
  before(async () => {
    issuer = await startHandmade(t, 'ES256');
    gateway = await gatewayOf(t, { issuer: issuer.url, url: PUBLIC });
  });
  after(() => t.end());

  const knockFor = async (aud, path) => knock(gateway.at(path), bearer(await issuer.token({ aud })));

  test('takes tokens for it, and for the endpoint that is asked', async () => {
    for (const path of ['/mcp', '/servers/a/mcp', '/servers/b/mcp']) {
      const its = [PUBLIC + path, `${PUBLIC}:443${path}`, `HTTPS://TROUPE.EXAMPLE${path}`, ['x', PUBLIC + path]];
      for (const aud of [PUBLIC, `${PUBLIC}/`, ...its]) {
        const reply = await knockFor(aud, path);
        assert.equal(reply.status, 200, `${aud} at ${path}: ${reply.received}`);
      }
    }
  });

  test('refuses those for another endpoint, and for another URL: 401', async () => {
    const wrong = [
      [`${PUBLIC}/mcp`, '/servers/a/mcp'],
      [`${PUBLIC}/servers/a/mcp`, '/mcp'],
      [`${PUBLIC}/servers/a/mcp`, '/servers/b/mcp'],
      [`${PUBLIC}/servers/a`, '/servers/a/mcp'],
      [`${PUBLIC}/sse`, '/mcp'],
      [`${PUBLIC}.evil.example/mcp`, '/mcp'],
      [`${PUBLIC}@evil.example/mcp`, '/mcp'],
      [`${PUBLIC}:8443/mcp`, '/mcp'],
      [`http://troupe.example/mcp`, '/mcp'],
      [`${PUBLIC}/mcp?x`, '/mcp'],
      [`${PUBLIC}/mcp#x`, '/mcp'],
      [`${PUBLIC}/MCP`, '/mcp'],
      [`${PUBLIC}mcp`, '/mcp'],
      ['troupe.example', '/mcp'],
      [gateway.url, '/mcp'],
    ];
    for (const [aud, path] of wrong) assertBad(await knockFor(aud, path), `${aud} at ${path}`);
  });

  test('keeps a session to those whose token is for its endpoint: 401', async () => {
    const credentials = async (path) => bearer(await issuer.token({ aud: PUBLIC + path }));
    const path = '/servers/a/mcp';
    const session = await openSession(gateway.at(path), undefined, {}, await credentials(path));
    for (const ask of ['ping', 'listen', 'delete']) assertBad(await session.as(await credentials('/mcp'))[ask]());
    assert.equal((await session.ping()).status, 200);
  });

  test('takes a token for its stream also where messages go', async () => {
    const session = await openSseSession(gateway, undefined, {}, bearer(await issuer.token({ aud: `${PUBLIC}/sse` })));
    assert.deepEqual((await session.ask({ jsonrpc: '2.0', id: 1, method: 'ping' })).result, {});
    const other = bearer(await issuer.token({ aud: `${PUBLIC}/mcp` }));
    assertBad(await session.post({ jsonrpc: '2.0', id: 2, method: 'ping' }, other));
    session.close();
  });

  test('names itself by it, and not by what it is called', async () => {
    for (const path of ['/mcp', '/servers/a/mcp', '/sse']) {
      const { resource_metadata: named } = challengeOf(await knock(gateway.at(path), { host: 'localhost:1' }));
      assert.equal(named, PUBLIC + WELL_KNOWN + path);
      const reply = await request(gateway.at(WELL_KNOWN + path), { headers: { host: 'localhost:1' } });
      const [document] = await reply.all();
      assert.equal(document.resource, PUBLIC + path);
    }
  });
});

suite('the document about an endpoint', () => {
  let issuer;
  let gateway;
  const t = lasting();
  before(async () => {
    issuer = await startHandmade(t, 'ES256');
    const scopes = ['read', 'offline_access', 'write'];
    gateway = await gatewayOf(t, { issuer: issuer.url, audience: 'troupe', scopes });
  });
  after(() => t.end());

  // Where it is, and the path of the endpoint.
  const places = { '': '/mcp' };
  for (const path of ['/mcp', '/sse', '/servers/a/mcp', '/servers/b/sse']) places[path] = path;

  test('is there for all, whoever they are', async () => {
    for (const [path, endpoint] of Object.entries(places))
      for (const headers of [{}, bearer('nonsense'), { origin: ANYWHERE }, { 'mcp-protocol-version': 'x' }]) {
        const reply = await request(gateway.at(WELL_KNOWN + path), { headers });
        const [document] = await reply.all();
        assert.equal(reply.status, 200, path);
        assert.match(reply.headers['content-type'], /^application\/json/);
        assert.equal(reply.headers['access-control-allow-origin'], '*');
        assert.equal(document.resource, gateway.at(endpoint));
        assert.deepEqual(document.authorization_servers, [issuer.url]);
        assert.deepEqual(document.scopes_supported, ['read', 'write']);
        assert.deepEqual(document.bearer_methods_supported, ['header']);
      }
  });

  test('is called by the name that its reader calls the gateway', async () => {
    for (const host of ['localhost', 'troupe.example:8080', '[::1]:9']) {
      const reply = await request(gateway.at(`${WELL_KNOWN}/mcp`), { headers: { host } });
      assert.equal((await reply.all())[0].resource, `http://${host}/mcp`);
    }
    for (const host of ['a"b', 'a b', 'x/y', 'u@h', 'x?y', 'x#y', 'a\\b']) {
      const reply = await request(gateway.at(`${WELL_KNOWN}/mcp`), { headers: { host } });
      await reply.done;
      assert.equal(reply.status, 400, host);
    }
  });

  test('has a head, and tells browsers that they may read it', async () => {
    for (const path of Object.keys(places)) {
      const url = gateway.at(WELL_KNOWN + path);
      const [got, head] = [await request(url), await request(url, { method: 'HEAD' })];
      await Promise.all([got.done, head.done]);
      assert.deepEqual([head.status, head.received], [200, '']);
      for (const name of ['content-type', 'content-length', 'access-control-allow-origin', 'cache-control'])
        assert.equal(head.headers[name], got.headers[name], name);
      const asked = {
        origin: ANYWHERE,
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'mcp-protocol-version',
      };
      const options = await request(url, { method: 'OPTIONS', headers: asked });
      assert.equal(options.status, 204);
      assert.equal(options.headers['access-control-allow-origin'], '*');
      assert.match(options.headers['access-control-allow-methods'], /GET/);
      assert.match(options.headers['access-control-allow-headers'], /mcp-protocol-version|\*/i);
    }
  });

  test('is only to be read: 405', async () => {
    for (const path of Object.keys(places))
      for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
        const reply = await request(gateway.at(WELL_KNOWN + path), { method });
        assert.equal(reply.status, 405, `${method} ${path}`);
        const allowed = reply.headers.allow.split(/, */);
        for (const one of ['GET', 'HEAD', 'OPTIONS']) assert.ok(allowed.includes(one), reply.headers.allow);
      }
  });

  test('is not there for what is no endpoint: 404', async () => {
    for (const path of ['/x', 'x', '/mcp/x', '/messages', '/healthz', '/servers/a', '/servers//mcp'])
      assert.equal((await request(gateway.at(WELL_KNOWN + path))).status, 404, path);
  });

  test('is named to who has no good token', async () => {
    for (const path of ['/mcp', '/servers/a/mcp', '/servers/b/sse'])
      for (const headers of [{}, bearer('nonsense'), bearer(await issuer.token())]) {
        const reply = await knock(gateway.at(path), headers);
        const { resource_metadata: url, scope } = challengeOf(reply);
        assert.equal(url, gateway.at(WELL_KNOWN + path));
        assert.equal(scope, 'read write');
        const [document] = await (await request(url)).all();
        assert.equal(document.resource, gateway.at(path));
      }
  });
});

// -- scopes -----------------------------------------------------------------------------------------------------------

test('who lacks a scope is told all that are needed: 403', async (t) => {
  const issuer = await startHandmade(t, 'ES256');
  const scopeIncludes = { admin: ['write', 'audit'], write: ['read'], loop: ['pool'], pool: ['loop'] };
  const auth = { issuer: issuer.url, audience: 'troupe', scopes: ['read', 'write'], scopeIncludes };
  const gateway = await gatewayOf(t, auth);
  const lacking = [
    ...['', 'read', 'reads writes', 'read,write', 'READ WRITE', 'audit', 'loop', 5, { read: 1, write: 1 }, undefined]
      .map((scope) => ({ scope })),
    { scp: 'read' },
    { roles: ['read', 'write'] },
  ];
  for (const claims of lacking) {
    const reply = await knock(gateway.url, bearer(await issuer.token(claims)));
    const challenge = assertRefused(reply, 403, 'insufficient_scope', JSON.stringify(claims));
    assert.equal(challenge.scope, 'read write');
    assert.equal(challenge.resource_metadata, gateway.at(`${WELL_KNOWN}/mcp`));
  }
  const enough = [
    ...['read write', 'write read', 'x  read   write y', 'write', 'admin', 'loop write'].map((scope) => ({ scope })),
    { scp: ['read', 'write'] },
    { scp: 'read write' },
    { scope: 'read', scp: ['write'] },
  ];
  for (const claims of enough)
    await assertComesIn(gateway.url, bearer(await issuer.token(claims)), JSON.stringify(claims));
});

test('a session that was begun with all scopes is closed to a token of its owner that lacks one: 403', async (t) => {
  const issuer = await startHandmade(t, 'ES256');
  const gateway = await gatewayOf(t, { issuer: issuer.url, audience: 'troupe', scopes: ['read'] });
  const session = await openSession(gateway.url, undefined, {}, bearer(await issuer.token({ scope: 'read' })));
  const lacking = session.as(bearer(await issuer.token({ scope: 'write' })));
  for (const ask of ['ping', 'listen', 'delete']) assertRefused(await lacking[ask](), 403, 'insufficient_scope', ask);
  assert.equal((await session.ping()).status, 200);
});
