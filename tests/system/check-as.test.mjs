// `troupe check --as` predicts the access that a gateway grants.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { Authority } from './lib/certified.mjs';
import { lasting } from './lib/cluster.mjs';
import { serveConfig } from './lib/config.mjs';
import { apiKey, bearer, tryInitialize, KeyFile, newKey } from './lib/credentials.mjs';
import { exampleServer, PROGRAM } from './lib/gateway.mjs';
import { GATEWAY, startIssuer } from './lib/issuer.mjs';
import { freePort } from './lib/ports.mjs';
import { scratch } from './lib/scratch.mjs';
import { openSession } from './lib/session.mjs';
import { newSigner, seconds, signed } from './lib/tokens.mjs';

const LIMIT = 60_000;
const PUBLIC = 'https://gateway.example.com';
const [command, ...args] = exampleServer;
const example = { command, args };

// Runs `check` on a file; resolves with the status and the output. Asserts that no secrets are printed.
function check(config, flags, input = '') {
  const file = join(scratch(), 'mcp.json');
  writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
  return new Promise((resolve) => {
    const end = (error, out, err) => {
      if (input) assert.ok(!(out + err).includes(input), 'a secret is not printed');
      resolve({ code: error?.code ?? 0, out, err });
    };
    const child = execFile(PROGRAM, ['check', file, ...flags], { timeout: LIMIT }, end);
    child.stdin.on('error', () => {}); // stdin is not read when no token is checked
    child.stdin.end(`${input}\n`);
  });
}

// -- tokens ---------------------------------------------------------------------------------------

suite('a token', () => {
  const t = lasting();
  let issuer;
  let gateway;
  let config;
  before(async () => {
    issuer = await startIssuer(t);
    const access = { scopes: ['read'], tools: { add: { scopes: ['write'] }, slow: { names: ['ada'] } } };
    const introspection = { clientId: GATEWAY.id, clientSecret: GATEWAY.secret };
    const auth = { issuer: issuer.url, url: PUBLIC, scopes: ['read'], introspection };
    config = { mcpServers: { a: { ...example, access }, b: { ...example, access: { names: ['bob'] } } } };
    config.gateway = { auth };
    gateway = await serveConfig(config);
    t.after(() => gateway.stop());
  });
  after(() => t.end());

  // Asserts that `check` predicts the gateway's answer, with the same text.
  async function assertTold(token, status, told) {
    const { code, out, err } = await check(config, ['--as', '-'], token);
    assert.equal(code, status === 200 ? 0 : 1, out + err);
    const reply = await tryInitialize(gateway.url, bearer(token));
    assert.equal(reply.status, status, out);
    assert.ok(out.includes(told), out);
    if (status !== 200) {
      assert.ok(out.startsWith(`refused with ${status}, `) || out.includes(`\nrefused with ${status}, `), out);
      const { error_description: why } = JSON.parse(reply.received);
      assert.ok(out.includes(why), `${out}: ${why}`);
    }
    return out;
  }

  test('that is good is whose it is, and what it may', async () => {
    const out = await assertTold(await issuer.userToken(PUBLIC), 200, '\ncomes in\n');
    const [who, from, client, scopes, groups, expires, ...rest] = out.split('\n');
    assert.deepEqual([who, from, client], ['ada, by a token', `  issuer: ${issuer.url}`, '  client: desk']);
    assert.deepEqual([scopes, groups], ['  scopes: read', '  groups: none']);
    const [, end] = /^ {2}expires: (\S+)$/.exec(expires);
    assert.ok(Date.parse(end) > Date.now(), end);
    assert.deepEqual(rest, [
      'comes in',
      'server a: allowed',
      '  tools add: needs the scopes read, write, of which it lacks write',
      '  tools slow: allowed',
      'server b: hidden, whatever the scopes: only for the names bob',
      '',
    ]);
  });

  test('as an argument is known by its form', async () => {
    const token = await issuer.machineToken(PUBLIC, 'read write');
    const { code, out } = await check(config, ['--as', token]);
    assert.equal(code, 0);
    assert.match(out, /^machine, by a token\n.*^ {2}tools add: allowed\n {2}tools slow: hidden/ms);
    assert.ok(!out.includes(token));
  });

  test('sees the tools that it is told', async () => {
    const token = await issuer.userToken(PUBLIC);
    const session = await openSession(gateway.at('/servers/a/mcp'), undefined, {}, bearer(token));
    const [{ result }] = await (await session.post({ jsonrpc: '2.0', id: 1, method: 'tools/list' })).all();
    const seen = result.tools.map(({ name }) => name);
    assert.ok(seen.includes('slow') && !seen.includes('add'), seen.join());
    for (const name of ['add', 'slow', 'echo']) {
      const { code, out } = await check(config, ['--as', '-', '--tool', `a/${name}`], token);
      assert.equal(code === 0, seen.includes(name), out);
      assert.equal(out.includes(`\ntool a/${name}: allowed\n`), seen.includes(name), out);
    }
  });

  test('that is not good is told why', async () => {
    const elsewhere = await issuer.machineToken('https://other.example', 'read');
    await assertTold(elsewhere, 401, 'the token is for another audience');
    await assertTold(await issuer.machineToken(PUBLIC, 'write'), 403, 'this needs the scopes read');
    issuer.expiresIn = -120;
    const expired = await issuer.machineToken(PUBLIC, 'read');
    issuer.expiresIn = undefined;
    await assertTold(expired, 401, 'the token has expired');
    const claims = { iss: issuer.url, sub: 'ada', aud: PUBLIC, scope: 'read', exp: seconds() + LIMIT };
    const stranger = await newSigner('RS256', 'no-such-key');
    await assertTold(await signed(stranger, claims), 401, 'no key of the issuer signs such tokens');
    await assertTold('a token with blanks', 400, 'followed by no token');
  });

  test('for one server comes in there alone', async () => {
    const token = await issuer.machineToken(`${PUBLIC}/servers/a/mcp`, 'read');
    const { code, out } = await check(config, ['--as', '-'], token);
    assert.equal(code, 0);
    assert.ok(out.includes('\nrefused with 401, the token is for another audience at /mcp, /servers/a/sse, /servers/b/mcp\n'), out);
    assert.ok(out.includes('\ncomes in at /servers/a/mcp\n'), out);
  });

  test('of somebody who is not here is judged by what it is to have', async () => {
    const token = await issuer.userToken(PUBLIC, 'read write');
    const [by, about] = [await check(config, ['--as', '-'], token), ['--subject', 'ada', '--scope', 'read,write']];
    const { code, out } = await check(config, about);
    assert.equal(code, 0);
    assert.equal(out, by.out.replace(/^ {2}(client|expires): .*\n/gm, ''));
    const { code: none, out: why } = await check(config, ['--subject', 'ada']);
    assert.equal(none, 1);
    assert.ok(why.endsWith('\nrefused with 403, this needs the scopes read\n'), why);
    assert.equal((await check(config, [...about, '--tool', 'a/add'])).code, 0);
  });

  test('that is opaque is asked about, from stdin', async () => {
    issuer.isOpaque = true;
    const token = await issuer.userToken(PUBLIC);
    await assertTold(token, 200, 'ada, by a token\n');
    await issuer.revoke(token);
    const { code, out } = await check(config, ['--as', '-'], token);
    assert.deepEqual([code, out], [1, 'refused with 401, the token is not active\n']);
  });

  test('of an issuer that cannot be reached is told why', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const signer = await newSigner('RS256', 'one');
    const token = await signed(signer, { iss: url, sub: 'ada', aud: PUBLIC, exp: seconds() + LIMIT });
    const away = { mcpServers: { a: example }, gateway: { auth: { issuer: url, url: PUBLIC } } };
    const { code, out } = await check(away, ['--as', '-'], token);
    assert.equal(code, 1);
    const [refused, why] = out.split('\n');
    assert.equal(refused, 'refused with 503, the issuer of tokens cannot be reached');
    assert.match(why, /^ {2}the issuer's keys cannot be fetched.*why: /);
  });
});

// -- keys and certificates ----------------------------------------------------------------------------

test('a key is known by its name, by itself, and from stdin', async () => {
  const [ada, old] = [newKey('ada', '--scope', 'read'), newKey('old', '--expires', '2001-01-01')];
  const keys = new KeyFile(ada, old);
  const config = { mcpServers: { a: example } };
  const flags = ['--keys', keys.path, '--host', '0.0.0.0', '--as'];
  const told = 'ada, by a key\n  scopes: read\n  expires: never\ncomes in\nserver a: allowed\n';
  for (const [as, input] of [['ada'], [ada.secret], ['-', ada.secret]])
    assert.deepEqual(await check(config, [...flags, as], input), { code: 0, out: told, err: '' });
  for (const [as, input] of [['old'], ['-', old.secret]]) {
    const { code, out } = await check(config, [...flags, as], input);
    assert.deepEqual([code, out], [1, 'refused with 401, the key has expired\n']);
  }
  const { code, out } = await check(config, [...flags, '-'], newKey('ada').secret);
  assert.deepEqual([code, out], [1, 'refused with 401, the key is not known\n']);
});

test('of an unknown name it is told where it was looked for, and no hash', async () => {
  const keys = new KeyFile(newKey('ada'));
  const { code, out } = await check({ mcpServers: { a: example } }, ['--keys', keys.path, '--as', 'eve']);
  assert.equal(code, 1);
  assert.equal(
    out,
    `no key of '${keys.path}' has the name, and no certificates are asked for (tls.clientCa, --tls-client-ca)\n`,
  );
});

test('the name of a certificate has the scopes of its patterns, beside a key of that name', async () => {
  const authority = new Authority('ours');
  const { certificate: cert, key } = authority.issue('gateway');
  const name = 'ada@example.com';
  const keys = new KeyFile(newKey(name));
  const auth = { certificates: { '*@example.com': ['read'] }, keys: keys.path };
  const gateway = { tls: { cert, key, clientCa: authority.file }, auth };
  const config = { mcpServers: { a: { ...example, access: { scopes: ['read'] } } }, gateway };
  const { code, out } = await check(config, ['--as', name]);
  assert.equal(code, 0, out);
  const [before, ...all] = out.split(/^ada@example\.com, by a (?=key|certificate)/m);
  assert.equal(before, '');
  assert.match(all[0], /^key\n {2}scopes: none\n.*^server a: needs the scopes read/ms);
  assert.equal(all[1], 'certificate\n  scopes: read\ncomes in\nserver a: allowed\n');
  assert.equal((await check(config, ['--as', 'eve@elsewhere.example'])).code, 1);
});

test('what a server is told of its callers, and a caller lacks, is told', async () => {
  const { secret, ...ada } = newKey('ada');
  const keys = new KeyFile(ada);
  const far = { url: 'http://127.0.0.1:9/mcp', headers: { 'X-Email': '${principal.email}' } };
  const config = { mcpServers: { far }, gateway: { auth: { keys: keys.path } } };
  const { code, out } = await check(config, ['--as', '-', '--tool', 'far/x'], secret);
  assert.equal(code, 1);
  assert.match(out, /^ {2}but its requests fail: the caller's `email`.* is missing$/m);
});
