// Access keys authenticate their holders, and nobody else is allowed.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { networkInterfaces } from 'node:os';
import { after, before } from 'node:test';
import { text } from 'node:stream/consumers';
import { suite, test } from './lib/concurrently.mjs';
import { lasting } from './lib/cluster.mjs';
import { gatewayWith } from './lib/config.mjs';
import {
  apiKey, assertBad, assertComesIn, assertRefused, assertUnknown, bearer, KeyFile, tryInitialize, newKey,
} from './lib/credentials.mjs';
import { exampleServer, gatewayFor, PROGRAM, runProgram, serveBy } from './lib/gateway.mjs';
import { request } from './lib/http.mjs';
import { openSession, post } from './lib/session.mjs';
import { openSseSession } from './lib/sse.mjs';
import { until } from './lib/until.mjs';

const EVIL = 'http://evil.example.com';
const [command, ...args] = exampleServer;
const SERVERS = { a: { command, args } };
// A key of the right form that does not exist.
const WRONG = `troupe_${'0123456789abcdef'.repeat(4)}`;

const logged = (gateway, msg) =>
  gateway.log.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line)).filter((line) => line.msg === msg);

// Starts a gateway that must exit before it listens; resolves with its exit code and output.
async function failsToStart(...flags) {
  const child = runProgram('serve', '--port', '0', ...flags);
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  return { code, lines: said.split('\n').filter(Boolean) };
}

suite('a gateway that takes keys', () => {
  const ada = newKey('ada');
  let gateway;
  const t = lasting();
  before(async () => {
    gateway = await gatewayFor(t, exampleServer, '--keys', new KeyFile(ada).path, '--log-level', 'debug');
  });
  after(() => t.end());

  test('asks for one who has none, and says nothing of an error: 401', async () => {
    const reply = await tryInitialize(gateway.url);
    assertUnknown(reply);
    assert.equal(reply.headers['www-authenticate'], 'Bearer');
    for (const other of ['Basic YTpi', 'Digest username="a"', 'Negotiate abc', ada.secret, `Bearer2 ${ada.secret}`])
      assertUnknown(await tryInitialize(gateway.url, { authorization: other }), other);
  });

  test('lets in who has one, in either header', async () => {
    for (const headers of [bearer(ada.secret), apiKey(ada.secret)]) {
      const session = await openSession(gateway.url, undefined, {}, headers);
      const { result } = await session.call(1, 'add', { a: 2, b: 40 });
      assert.equal(result.content[0].text, '42');
      assert.equal((await session.delete()).status, 200);
    }
    for (const scheme of ['bearer', 'BEARER', 'bEaReR', 'Bearer  '])
      await assertComesIn(gateway.url, { authorization: `${scheme} ${ada.secret}` }, scheme);
  });

  test('refuses a wrong key: 401 and invalid_token', async () => {
    const { secret } = ada;
    const hash = ada.line.split(' ')[1].slice('sha256:'.length);
    const bare = secret.replace('troupe_', '');
    const almost = [secret.slice(0, -1), `${secret}0`, `${secret}=`, secret.toUpperCase(), bare, hash];
    for (const wrong of [WRONG, 'troupe_', 'x', ...almost])
      for (const headers of [bearer(wrong), apiKey(wrong)]) assertBad(await tryInitialize(gateway.url, headers), wrong);
  });

  test('refuses what can be no key: 400', async () => {
    const { secret } = ada;
    const malformed = ['', ',', 'a b', `${secret}, Bearer ${secret}`, `"${secret}"`, `${secret} x`];
    for (const wrong of malformed)
      assertRefused(await tryInitialize(gateway.url, { authorization: `Bearer ${wrong}` }), 400, 'invalid_request', wrong);
    for (const wrong of malformed)
      assertRefused(await tryInitialize(gateway.url, { 'x-api-key': wrong }), 400, 'invalid_request', `X-API-Key: ${wrong}`);
  });

  test('refuses keys that come twice, even when it is the same one: 400', async () => {
    const good = bearer(ada.secret).authorization;
    const twice = [
      { authorization: [good, good] },
      { authorization: [good, `Bearer ${WRONG}`] },
      { authorization: [good, 'Basic YTpi'] },
      { 'x-api-key': [ada.secret, ada.secret] },
      { authorization: good, 'x-api-key': ada.secret },
      { authorization: good, 'x-api-key': WRONG },
    ];
    for (const headers of twice)
      assertRefused(await tryInitialize(gateway.url, headers), 400, 'invalid_request', JSON.stringify(headers));
  });

  test('does not look for one in the query: 401', async () => {
    for (const name of ['access_token', 'api_key', 'key', 'token', 'authorization', 'X-API-Key'])
      assertUnknown(await tryInitialize(`${gateway.url}?${name}=${ada.secret}`), name);
  });

  test('guards all that it does for clients', async () => {
    const guarded = [
      ...['POST', 'GET', 'DELETE', 'PUT', 'PATCH', 'HEAD', 'OPTIONS'].map((method) => [method, '/mcp']),
      ['GET', '/sse'],
      ['POST', '/sse'],
      ['POST', `/messages?sessionId=${'f'.repeat(32)}`],
      ['GET', '/messages'],
      ['POST', '/mcp/'],
      ['POST', '/servers/no-such/mcp'],
      ['GET', '/servers/no-such/sse'],
    ];
    for (const [method, path] of guarded) {
      const ask = async (headers) => {
        const accepting = { accept: 'text/event-stream', ...headers };
        const reply = await request(gateway.at(path), { method, headers: accepting });
        // A stream does not end by itself.
        if (reply.isStream) reply.destroy();
        else await reply.done;
        return reply;
      };
      const what = `${method} ${path}`;
      assertUnknown(await ask({}), what);
      assertBad(await ask(bearer(WRONG)), what);
      const { status } = await ask(bearer(ada.secret));
      assert.ok(status !== 401 && status !== 403, `${what}: ${status}`);
    }
  });

  test('guards each request of a session, and its streams', async () => {
    const session = await openSession(gateway.url, undefined, {}, apiKey(ada.secret));
    for (const [headers, assertSo] of [[{}, assertUnknown], [bearer(WRONG), assertBad]]) {
      const stranger = session.as(headers);
      const asked = [stranger.ping(), stranger.listen(), stranger.delete(), stranger.post('{')];
      for (const reply of await Promise.all(asked)) assertSo(reply);
    }
    assert.equal((await session.ping()).status, 200);
    assert.equal((await session.listen()).status, 200);
    const sse = await openSseSession(gateway, undefined, {}, bearer(ada.secret));
    assertUnknown(await sse.post({ jsonrpc: '2.0', id: 1, method: 'ping' }, { authorization: '' }));
    assert.equal((await sse.call(2, 'add', { a: 1, b: 1 })).result.content[0].text, '2');
    sse.close();
  });

  test('asks nobody for a key who only asks how it is', async () => {
    for (const path of ['/healthz', '/health', '/readyz']) {
      assert.equal((await request(gateway.at(path))).status, 200, path);
      assert.equal((await request(gateway.at(path), { headers: bearer(WRONG) })).status, 200, path);
    }
  });

  test('asks no browser for a key that only asks whether it may', async () => {
    const headers = {
      origin: 'http://localhost:5173',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,x-api-key',
    };
    for (const path of ['/mcp', '/sse', '/messages', '/servers/a/mcp']) {
      const reply = await request(gateway.at(path), { method: 'OPTIONS', headers });
      assert.equal(reply.status, 204, path);
      const allowed = reply.headers['access-control-allow-headers'].toLowerCase();
      for (const name of ['authorization', 'x-api-key']) assert.ok(allowed === '*' || allowed.includes(name), allowed);
    }
    const refused = await tryInitialize(gateway.url, { origin: headers.origin });
    assertUnknown(refused);
    assert.equal(refused.headers['access-control-allow-origin'], headers.origin, 'a page may read why');
    assert.match(refused.headers['access-control-expose-headers'] ?? '', /www-authenticate/i);
  });

  test('refuses a page of another site, whatever key it has: 403', async () => {
    for (const headers of [{}, bearer(WRONG), bearer(ada.secret), { authorization: 'Bearer' }])
      assert.equal((await tryInitialize(gateway.url, { ...headers, origin: EVIL })).status, 403);
    assert.equal((await request(gateway.url, { method: 'OPTIONS', headers: { origin: EVIL } })).status, 403);
  });

  test('refuses a name that is not its own, whatever key comes with it, and asks for none: 403', async () => {
    for (const headers of [{}, bearer(WRONG), bearer(ada.secret)])
      for (const bad of [{ host: 'evil.example.com' }, { origin: EVIL }, { origin: 'null' }]) {
        const reply = await tryInitialize(gateway.url, { ...headers, ...bad });
        assert.deepEqual([reply.status, reply.headers['www-authenticate']], [403, undefined], JSON.stringify(bad));
      }
  });

  test('asks for a key before a session: 401, then 400 without one and 404 for one that is none', async () => {
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
    const ids = [['f'.repeat(32), 404], ['x', 404], ['x y', 400], ['x'.repeat(10_000), 400]];
    for (const [id, status] of [[{}, 400], ...ids.map(([id, status]) => [{ 'mcp-session-id': id }, status])]) {
      const asking = (who) => [
        post(gateway.url, ping, { ...id, ...who }),
        request(gateway.url, { headers: { accept: 'text/event-stream', ...id, ...who } }),
        request(gateway.url, { method: 'DELETE', headers: { ...id, ...who } }),
      ];
      for (const reply of await Promise.all(asking({}))) assertUnknown(reply);
      for (const reply of await Promise.all(asking(bearer(ada.secret)))) assert.equal(reply.status, status);
    }
    for (const [query, status] of [['', 400], ['?sessionId=', 400], [`?sessionId=${'f'.repeat(32)}`, 404]]) {
      assertUnknown(await post(gateway.at(`/messages${query}`), ping));
      assert.equal((await post(gateway.at(`/messages${query}`), ping, bearer(ada.secret))).status, status, query);
    }
  });

  test('has no document about issuers', async () => {
    for (const path of ['', '/mcp'])
      assert.equal((await request(gateway.at(`/.well-known/oauth-protected-resource${path}`))).status, 404);
  });

  test('logs no key, good or bad', async () => {
    await assertComesIn(gateway.url, bearer(ada.secret));
    assertBad(await tryInitialize(gateway.url, bearer(WRONG)));
    assert.ok(gateway.log.length > 0);
    for (const line of gateway.log) assert.ok(!line.includes(ada.secret) && !line.includes(WRONG), line);
  });
});

// -- the file ---------------------------------------------------------------------------------------------------------

test('a key that is taken out of the file is none within seconds, and one that is put in is one', async (t) => {
  const [ada, bob, eve] = ['ada', 'bob', 'eve'].map((name) => newKey(name));
  const file = new KeyFile(ada, bob);
  const gateway = await gatewayFor(t, exampleServer, '--keys', file.path);
  const [session, others] = await Promise.all(
    [ada, bob].map(({ secret }) => openSession(gateway.url, undefined, {}, bearer(secret))),
  );
  assertBad(await tryInitialize(gateway.url, bearer(eve.secret)));
  file.put(bob, eve);
  await until('the key is none', async () => (await session.ping()).status === 401);
  assertBad(await tryInitialize(gateway.url, bearer(ada.secret)));
  await assertComesIn(gateway.url, bearer(eve.secret));
  assert.equal((await others.ping()).status, 200);
  assert.equal(logged(gateway, 'keys changed').length, 1);
  file.put(ada, bob, eve);
  await until('the key is one again', async () => (await session.ping()).status === 200);
});

test('a file that is broken leaves the keys as they were, and the log says so once', async (t) => {
  const [ada, bob] = ['ada', 'bob'].map((name) => newKey(name));
  const file = new KeyFile(ada);
  const gateway = await gatewayFor(t, exampleServer, '--keys', file.path);
  const complaints = () => logged(gateway, 'the keys stay as they were');
  const broken = [
    `${bob.line}\nnonsense\n`,
    `${bob.line}\n${bob.line}\n`,
    `${bob.line}\nbob2 ${bob.line.split(' ').slice(1).join(' ')}\n`,
    `${bob.line} and more\n`,
    bob.line.replace('sha256:', 'sha256:0'),
    bob.line.replace(/-$/, 'tomorrow'),
    '\0\0\0',
  ];
  for (const [index, content] of broken.entries()) {
    file.write(content);
    await until(`it complains of ${JSON.stringify(content)}`, () => complaints().length > index);
    await assertComesIn(gateway.url, bearer(ada.secret));
    assertBad(await tryInitialize(gateway.url, bearer(bob.secret)));
  }
  file.put(bob);
  await until('the file is read again', () => logged(gateway, 'keys changed').length > 0);
  assert.equal(complaints().length, broken.length);
  assert.match(complaints()[0].why, /line 2 of /);
  for (const { level } of complaints()) assert.equal(level, 'error');
  await assertComesIn(gateway.url, bearer(bob.secret));
  assertBad(await tryInitialize(gateway.url, bearer(ada.secret)));
});

test('a gateway whose file of keys is broken or missing does not start', async () => {
  const ada = newKey('ada');
  const file = new KeyFile(ada);
  file.write(`${ada.line}\n\nnonsense\n`);
  for (const [path, why] of [[file.path, /line 3 of /], [`${file.path}-none`, /--keys: .*-none' is not a file/]]) {
    const { code, lines } = await failsToStart('--keys', path, '--', ...exampleServer);
    assert.ok(code > 0, lines.join('\n'));
    assert.equal(lines.length, 1, lines.join('\n'));
    assert.match(lines[0], why);
  }
});

test('a key that has expired is none', async (t) => {
  const inSeconds = (count) => new Date(Date.now() + count * 1_000).toISOString().replace(/\.\d+/, '');
  const keys = [
    newKey('past', '--expires', '2020-02-29'),
    newKey('soon'),
    newKey('far', '--expires', '2999-12-31'),
    newKey('today', '--expires', inSeconds(0).slice(0, 10)),
  ];
  const [past, soon, far, today] = keys.map(({ secret }) => bearer(secret));
  const file = new KeyFile(...keys);
  const gateway = await gatewayFor(t, exampleServer, '--keys', file.path);
  const session = await openSession(gateway.url, undefined, {}, soon);
  assertBad(await tryInitialize(gateway.url, past));
  await assertComesIn(gateway.url, far);
  await assertComesIn(gateway.url, today, 'a date is good to its end');
  // The expiry is written late, because a busy machine may need more time for the steps above.
  const end = inSeconds(5);
  const [expires] = newKey('ends', '--expires', end).line.split(' ').slice(-1);
  file.put(...keys.map((key) => (key.name === 'soon' ? { ...key, line: key.line.replace(/-$/, expires) } : key)));
  await until('the key expires', async () => (await session.ping()).status === 401);
  assert.ok(Date.now() >= Date.parse(end), 'not before its end');
  assertBad(await tryInitialize(gateway.url, soon));
});

test('keys have the scopes that their lines name', async (t) => {
  const keys = [
    newKey('none'),
    newKey('some', '--scope', 'read'),
    newKey('all', '--scope', 'read,write'),
    newKey('root', '--scope', 'admin'),
  ];
  const [none, some, all, root] = keys.map(({ secret }) => bearer(secret));
  const scopeIncludes = { admin: ['write'], write: ['read'] };
  const auth = { keys: new KeyFile(...keys).path, scopes: ['read', 'write'], scopeIncludes };
  const gateway = await gatewayWith(t, { mcpServers: SERVERS, gateway: { auth } });
  for (const headers of [none, some]) {
    const { scope } = assertRefused(await tryInitialize(gateway.url, headers), 403, 'insufficient_scope');
    assert.equal(scope, 'read write');
  }
  for (const headers of [all, root]) await assertComesIn(gateway.url, headers);
});

// -- allowed origins --------------------------------------------------------------------------------------------------

test('a gateway that is told nothing about it listens on this machine only', async (t) => {
  const gateway = await serveBy([PROGRAM, 'serve', '--port', '0', '--log-format', 'json', '--', ...exampleServer]);
  t.after(() => gateway.stop());
  assert.equal(new URL(gateway.url).hostname, '127.0.0.1');
  const elsewhere = Object.values(networkInterfaces()).flat().filter(({ internal }) => !internal);
  for (const { address, family } of [...elsewhere, { address: '127.0.0.2', family: 'IPv4' }])
    if (family === 'IPv4')
      await assert.rejects(tryInitialize(`http://${address}:${gateway.port}/mcp`), { code: 'ECONNREFUSED' });
});

test('a gateway that others can reach does not start without a word on who may come in', async () => {
  for (const host of ['0.0.0.0', '::']) {
    const { code, lines } = await failsToStart('--host', host, '--', ...exampleServer);
    assert.equal(code, 1, lines.join('\n'));
    assert.equal(lines.length, 1, lines.join('\n'));
    assert.match(lines[0], /--keys/);
    assert.match(lines[0], /--allow-anonymous/);
  }
});

test('a gateway that others can reach starts when all may come in', async (t) => {
  const gateway = await gatewayFor(t, exampleServer, '--host', '0.0.0.0', '--allow-anonymous');
  await assertComesIn(gateway.url, {});
  const auth = { allowAnonymous: true };
  const file = await gatewayWith(t, { mcpServers: SERVERS, gateway: { auth } }, '--host', '0.0.0.0');
  await assertComesIn(file.url, {});
});

test('a gateway that others can reach starts with keys', async (t) => {
  const ada = newKey('ada');
  const gateway = await gatewayFor(t, exampleServer, '--host', '0.0.0.0', '--keys', new KeyFile(ada).path);
  assertUnknown(await tryInitialize(gateway.url));
  await assertComesIn(gateway.url, bearer(ada.secret));
});

test('where all may come in, one who shows a bad key is refused all the same', async (t) => {
  const ada = newKey('ada');
  const gateway = await gatewayFor(t, exampleServer, '--allow-anonymous', '--keys', new KeyFile(ada).path);
  await assertComesIn(gateway.url, {});
  await assertComesIn(gateway.url, bearer(ada.secret));
  assertBad(await tryInitialize(gateway.url, bearer(WRONG)));
  assertRefused(await tryInitialize(gateway.url, { authorization: 'Bearer' }), 400, 'invalid_request');
});
