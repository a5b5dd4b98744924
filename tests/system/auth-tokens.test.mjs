// Valid and invalid tokens of an issuer.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before } from 'node:test';
import { suite, test } from './lib/concurrently.mjs';
import { lasting } from './lib/cluster.mjs';
import { gatewayWith } from './lib/config.mjs';
import { assertBad, assertComesIn, assertUnknown, bearer, tryInitialize } from './lib/credentials.mjs';
import { exampleServer } from './lib/gateway.mjs';
import { request } from './lib/http.mjs';
import { random, SEED } from './lib/random.mjs';
import { openSession } from './lib/session.mjs';
import { encoded, forcedly, newSigner, pemOf, seconds, signed, startHandmade, withSecret } from './lib/tokens.mjs';
import { until } from './lib/until.mjs';

const [command, ...args] = exampleServer;
const SERVERS = { a: { command, args }, b: { command, args } };
const WELL_KNOWN = '/.well-known/oauth-protected-resource';
// The minimum interval between fetches of the keys.
const PAUSE = 30;
const MANY_KEYS = ['RS256', 'PS256', 'ES256', 'ES384'];
const LONG_KID = 'k'.repeat(5_000);
const gatewayOf = (t, auth, ...flags) => gatewayWith(t, { mcpServers: SERVERS, gateway: { auth } }, ...flags);
// Tokens by their special property.
const each = (what, all, make) => Object.fromEntries(all.map((one) => [`${what} ${JSON.stringify(one)}`, make(one)]));
const logged = (gateway, text) => gateway.log.filter((line) => line.includes(text));

// -- signed tokens ----------------------------------------------------------------------------------------------------

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
    // A key with an algorithm that the gateway does not accept.
    await issuer.add('EdDSA', 'not-taken');
    attacker = await startHandmade(t, 'RS256', 'ES256');
    began = Date.now();
    gateway = await gatewayOf(t, { issuer: issuer.url, audience: ['other', 'troupe'], groupsClaim: 'groups' });
  });
  after(() => t.end());

  const isGood = async (token, what) => assertComesIn(gateway.url, bearer(await token), what);
  const isBad = async (token, what) => {
    const challenge = assertBad(await tryInitialize(gateway.url, bearer(await token)), what);
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
        // The last character may have unused bits.
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
    const endsAt = (exp) => {
      const claims = JSON.stringify(issuer.claims({ exp: 0 })).replace('"exp":0', `"exp":${exp}`);
      return signed(issuer.signer('ES256'), claims);
    };
    const times = [0, -1, 'tomorrow', String(now + 100), null, true, [now + 100], {}];
    await areBad({
      expired: issuer.token({ exp: now - 61 }),
      'expired long ago': issuer.token({ exp: 1 }),
      'never expires': issuer.token({ exp: undefined }),
      ...each('exp', times, (exp) => issuer.token({ exp })),
      ...each('nbf', [-1, 'now', true, []], (nbf) => issuer.token({ nbf })),
      ...each('exp', ['1e400', '-1e400'], endsAt),
    });
    await isGood(issuer.token({ nbf: null }), 'a claim that is null is not there');
    for (const never of ['9223372036854775807', '99999999999999999999', '1e18']) await isGood(endsAt(never), never);
    // More than a minute ahead, even when the gateway checks it later.
    const reply = await until('it is looked at in time', async () => {
      const nbf = seconds() + 62;
      const said = await tryInitialize(gateway.url, bearer(await issuer.token({ nbf })));
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
    for (const same of [`${url}/`, url.toUpperCase()])
      assert.equal((await tryInitialize(gateway.url, bearer(await issuer.token({ iss: same })))).status, 200, same);
    const alike = [`${url}/a`, `${url}//`, `${url}/?`, url.replace('http:', 'https:'), url.replace('127.0.0.1', 'localhost'), `${url}@evil.example`];
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
      const status = await tryInitialize(gateway.url, bearer(token)).then((reply) => reply.status, ({ code }) => code);
      assert.ok([401, 431].includes(status), `${length}: ${status}`);
    }
    await isGood(issuer.token({ x: 'x'.repeat(5_000) }), 'some are long');
  });

  test('is not looked for in the query or in the body: 401', async () => {
    const token = await issuer.token();
    for (const name of ['access_token', 'token']) assertUnknown(await tryInitialize(`${gateway.url}?${name}=${token}`));
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    assertUnknown(await request(gateway.url, { method: 'POST', headers, body: `access_token=${token}` }));
  });

  test('is taken as X-API-Key, too', async () => {
    await assertComesIn(gateway.url, { 'x-api-key': await issuer.token() });
    assertBad(await tryInitialize(gateway.url, { 'x-api-key': await issuer.token({ aud: 'x' }) }));
  });

  test('is never logged, nor is who has it', async () => {
    for (const line of gateway.log) assert.ok(!/eyJ|desk/.test(line), line);
  });
});
