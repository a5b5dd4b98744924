// Clients with TLS, client certificates, and a unix socket.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before } from 'node:test';
import tls from 'node:tls';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { suite, test } from './lib/concurrently.mjs';
import { agentOf, agentWith, Authority, Caller } from './lib/certified.mjs';
import { lasting } from './lib/cluster.mjs';
import { gatewayWith } from './lib/config.mjs';
import { apiKey, assertBad, assertUnknown, bearer, KeyFile, newKey } from './lib/credentials.mjs';
import { exampleServer, gatewayFor, PROGRAM, runProgram, serveBy } from './lib/gateway.mjs';
import { rawConnection, request } from './lib/http.mjs';
import { freePorts } from './lib/ports.mjs';
import { scratch } from './lib/scratch.mjs';
import { startHandmade } from './lib/tokens.mjs';
import { until } from './lib/until.mjs';

const MCP = '/mcp';
const WELL_KNOWN = '/.well-known/oauth-protected-resource/mcp';
const [command, ...args] = exampleServer;
const SERVERS = { a: { command, args } };
const ada = newKey('ada');
const keys = () => new KeyFile(ada).path;

const authority = new Authority('the authority');
const others = new Authority('another authority');
const own = authority.issue('gateway', 'DNS:localhost,IP:127.0.0.1');
const TLS = ['--tls-cert', own.certificate, '--tls-key', own.key];
const CLIENT_CA = ['--tls-client-ca', authority.file];
const plainly = agentWith(authority);
const logged = (gateway, text) => gateway.log.filter((line) => line.includes(text));
function serialShownBy({ port }) {
  return new Promise((resolve, reject) => {
    const socket = tls.connect({ port, host: '127.0.0.1', ca: authority.pem });
    socket.on('error', reject);
    socket.on('secureConnect', () => {
      resolve(socket.getPeerCertificate().serialNumber);
      socket.destroy();
    });
  });
}

const failsInTls = (asked) => assert.rejects(asked, ({ code }) => /SSL|ECONNRESET|EPIPE/.test(code));

// -- TLS --------------------------------------------------------------------------------------------------------------

test('the official client comes by TLS', async (t) => {
  const gateway = await gatewayFor(t, exampleServer, ...TLS, '--keys', keys());
  assert.ok(gateway.url.startsWith('https://'), gateway.url);
  const client = fileURLToPath(new URL('fixture/secure-client.mjs', import.meta.url));
  const run = (env) =>
    promisify(execFile)(process.execPath, [client, gateway.url, ada.secret], { env: { ...process.env, ...env } });
  const { stdout } = await run({ NODE_EXTRA_CA_CERTS: authority.file });
  assert.equal(stdout, '42\n');
  await assert.rejects(run({}), /unable to verify|self-signed|UNABLE_TO/i, 'an authority that nobody knows');
});

test('keys are asked for in TLS as elsewhere, and sessions go on over any connection', async (t) => {
  const gateway = await gatewayFor(t, exampleServer, ...TLS, '--keys', keys());
  assertUnknown(await new Caller(gateway.url, plainly).tryInitialize());
  const caller = new Caller(gateway.url, plainly, bearer(ada.secret));
  const id = await caller.begin();
  const stream = await caller.listen(id);
  assert.equal(stream.status, 200);
  for (const a of [1, 2, 3]) assert.equal((await caller.call(id, 'add', { a, b: 1 })).text, `${a + 1}`);
  assert.equal((await caller.end(id)).status, 200);
  await stream.done;
  assert.equal((await caller.ping(id)).status, 404);
});

test('TLS is 1.2 or 1.3', async (t) => {
  const gateway = await gatewayFor(t, exampleServer, ...TLS);
  for (const [version, expected] of [['TLSv1.3', 'TLSv1.3'], ['TLSv1.2', 'TLSv1.2'], ['TLSv1.1', undefined]]) {
    const place = { port: gateway.port, host: '127.0.0.1', ca: authority.pem };
    const old = version === 'TLSv1.1' ? { ciphers: 'DEFAULT@SECLEVEL=0' } : {};
    const socket = tls.connect({ ...place, minVersion: version, maxVersion: version, ...old });
    t.after(() => socket.destroy());
    const spoken = await new Promise((resolve) => {
      socket.on('secureConnect', () => resolve(socket.getProtocol()));
      socket.on('error', () => resolve(undefined));
    });
    assert.equal(spoken, expected, version);
  }
});

test('who speaks no TLS is turned away, and nobody else notices', async (t) => {
  const gateway = await gatewayFor(t, exampleServer, ...TLS);
  const caller = new Caller(gateway.url, plainly);
  const id = await caller.begin();
  const stream = await caller.listen(id);
  const plain = gateway.url.replace('https:', 'http:');
  await assert.rejects(request(plain), ({ code }) => /ECONNRESET|HPE_INVALID/.test(code));
  const records = ['\x16\x03\x01\xff\xff', '\x16\x03\x01\0\x05hello'];
  const nonsense = [...records, 'GET / HTTP/1.1\r\n\r\n', '\0'.repeat(100), 'x'.repeat(70_000)];
  // A client that sends nothing is disconnected after some seconds.
  const silent = rawConnection(gateway.port);
  const connections = nonsense.map((bytes) => rawConnection(gateway.port, bytes));
  for (const one of connections) one.socket.on('close', () => (one.wasFirst = !silent.closed));
  t.after(() => [silent, ...connections].forEach(({ socket }) => socket.destroy()));
  for (const [index, one] of connections.entries()) {
    if (index === 0) one.socket.end(); // the gateway waits for the rest of the record
    await until(`it is closed after ${JSON.stringify(nonsense[index].slice(0, 20))}`, () => one.closed);
    assert.ok(one.wasFirst, 'as soon as it has said that');
    assert.doesNotMatch(one.received, /HTTP\/1\.1 200/);
  }
  assert.equal((await caller.call(id, 'add', { a: 1, b: 1 })).text, '2');
  assert.ok(!stream.ended && !gateway.hasExited, gateway.told('it goes on'));
  stream.destroy();
});

test('files that are renewed are shown to new connections, while old ones go on', async (t) => {
  const renew = () => authority.issue('renewed', 'DNS:localhost,IP:127.0.0.1');
  const mine = renew();
  const gateway = await gatewayFor(t, exampleServer, '--tls-cert', mine.certificate, '--tls-key', mine.key);
  const old = new Caller(gateway.url, agentWith(authority, {}, true));
  t.after(() => old.agent.destroy());
  const id = await old.begin();
  const { socket } = await old.ping(id);
  const first = socket.getPeerCertificate().serialNumber;
  const fresh = new Caller(gateway.url, plainly);
  const stream = await fresh.listen(id);
  assert.equal(await serialShownBy(gateway), first);
  renew();
  await until('new connections are shown the new one', async () => (await serialShownBy(gateway)) !== first);
  assert.equal((await fresh.ping(id)).status, 200);
  const again = await old.ping(id);
  assert.equal(again.status, 200);
  assert.equal(again.socket, socket, 'the old connection goes on');
  assert.ok(!stream.ended, 'so does the stream');
  stream.destroy();
  await until('the log says so', () => logged(gateway, 'certificate changed').length === 1);
});

test('files that cannot be used change nothing, and the log says why', async (t) => {
  const mine = authority.issue('spoiled', 'DNS:localhost,IP:127.0.0.1');
  const gateway = await gatewayFor(t, exampleServer, '--tls-cert', mine.certificate, '--tls-key', mine.key);
  const caller = new Caller(gateway.url, plainly);
  assert.equal((await caller.tryInitialize()).status, 200);
  const { certificate } = authority.issue('of-another-key', 'DNS:localhost,IP:127.0.0.1');
  renameSync(certificate, mine.certificate);
  await until('the log says why', async () => {
    assert.equal((await caller.tryInitialize()).status, 200);
    return logged(gateway, 'the certificate stays as it was').length > 0;
  });
  assert.match(logged(gateway, 'the certificate stays as it was')[0], /is not that of the certificate/);
});

test('a gateway whose certificate cannot be used does not start', async () => {
  const { key } = authority.issue('other-key');
  const started = (...flags) =>
    new Promise((resolve) => {
      const child = runProgram('serve', '--port', '0', ...flags, '--', ...exampleServer);
      let said = '';
      child.stderr.setEncoding('utf8').on('data', (text) => (said += text));
      child.once('close', (code) => resolve({ code, said }));
    });
  for (const flags of [['--tls-cert', own.certificate, '--tls-key', key], ['--tls-cert', own.certificate]]) {
    const { code, said } = await started(...flags);
    assert.ok(code > 0, said);
    assert.equal(said.trim().split('\n').length, 1, said);
  }
});

test('in TLS the URLs that clients are told say so', async (t) => {
  const issuer = await startHandmade(t, 'ES256');
  const config = { mcpServers: SERVERS, gateway: { auth: { issuer: issuer.url, audience: 'troupe' } } };
  const gateway = await gatewayWith(t, config, ...TLS);
  const reply = await new Caller(gateway.url, plainly).get(WELL_KNOWN);
  assert.equal(JSON.parse(reply.received).resource, gateway.url);
});

// -- certificates -----------------------------------------------------------------------------------------------------

suite('a gateway that asks for certificates', { concurrency: 4 }, () => {
  const t = lasting();
  const access = { tools: { add: { scopes: ['write'] }, slow: { names: ['ada@example.com'] } } };
  const people = {
    ada: authority.issue('ada', 'email:ada@example.com'),
    bob: authority.issue('bob', 'email:bob@example.com'),
    machine: authority.issue('machine', 'DNS:machine.example.com'),
    plain: authority.issue('plain.example.com'),
    eve: authority.issue('eve', 'email:eve@elsewhere.example'),
    // Certificates whose valid name is in a field that does not count.
    sly: authority.issue('ada@example.com', 'email:sly@elsewhere.example'),
  };
  const who = {};
  let gateway;
  before(async () => {
    const auth = {
      certificates: { '*@example.com': [], '*.example.com': 'read', 'bob@*.com': ['write'], 'plain*': ['write'] },
    };
    const files = { cert: own.certificate, key: own.key, clientCa: authority.file };
    const config = { mcpServers: { a: { command, args, access } }, gateway: { tls: files, auth } };
    gateway = await gatewayWith(t, config);
    for (const [name, its] of Object.entries(people)) who[name] = new Caller(gateway.url, agentWith(authority, its));
  });
  after(() => t.end());

  test('lets in whose name fits a pattern', async () => {
    for (const name of ['ada', 'bob', 'machine', 'plain']) {
      const reply = await who[name].tryInitialize();
      assert.equal(reply.status, 200, `${name}: ${reply.received}`);
    }
    for (const name of ['eve', 'sly']) assertBad(await who[name].tryInitialize(), name);
  });

  test('lets nobody through the handshake without a good one', async () => {
    for (const agent of [plainly, agentWith(authority, others.issue('ada', 'email:ada@example.com'))]) {
      const stranger = new Caller(gateway.url, agent);
      await failsInTls(stranger.tryInitialize());
      await failsInTls(stranger.get('/readyz'));
    }
    assert.equal((await who.eve.get('/readyz')).status, 200, 'it asks nobody who he is');
  });

  test('keeps the sessions of two apart: 404, as one that never was', async () => {
    const id = await who.ada.begin();
    const stream = await who.ada.listen(id);
    const forged = 'f'.repeat(id.length);
    const asked = (name, one) => [who[name].ping(one), who[name].listen(one), who[name].end(one)];
    for (const name of ['bob', 'machine']) {
      const replies = await Promise.all([...asked(name, id), ...asked(name, forged)]);
      await Promise.all(replies.map(({ done }) => done));
      for (const { status } of replies) assert.equal(status, 404, name);
      const bodies = replies.map(({ received }) => received);
      assert.deepEqual(bodies.slice(0, 3), bodies.slice(3), name);
    }
    const again = new Caller(gateway.url, agentWith(authority, authority.issue('ada-again', 'email:ada@example.com')));
    assert.equal((await again.ping(id)).status, 200, 'another certificate by the same name is hers');
    assert.ok(!stream.ended);
    assert.equal((await who.ada.end(id)).status, 200);
    await stream.done;
  });

  test('gives the scopes of all patterns that fit, and names for rules', async () => {
    const added = async (name) => {
      const id = await who[name].begin();
      return who[name].call(id, 'add', { a: 1, b: 2 });
    };
    for (const name of ['bob', 'plain']) assert.equal((await added(name)).text, '3', name);
    for (const name of ['ada', 'machine']) {
      const { status, headers } = await added(name);
      assert.equal(status, 403, name);
      assert.match(headers['www-authenticate'], /error="insufficient_scope", scope="write"/);
    }
    const slow = async (name) => who[name].call(await who[name].begin(), 'slow', { steps: 1, delay_ms: 0 });
    assert.ok((await slow('ada')).text);
    assert.equal((await slow('bob')).error.code, -32602);
  });
});

test('where keys let others in, too, clients may be without a certificate, but not with a bad one', async (t) => {
  const gateway = await gatewayFor(t, exampleServer, ...TLS, ...CLIENT_CA, '--keys', keys());
  const nobody = new Caller(gateway.url, plainly);
  assert.equal((await nobody.get('/readyz')).status, 200);
  assertUnknown(await nobody.tryInitialize());
  assert.equal((await new Caller(gateway.url, plainly, apiKey(ada.secret)).tryInitialize()).status, 200);
  const certified = agentWith(authority, authority.issue('carl', 'email:carl@example.com'));
  const carl = new Caller(gateway.url, certified);
  const id = await carl.begin();
  // An access key takes precedence over the certificate, so this is a different caller.
  const both = new Caller(gateway.url, certified, apiKey(ada.secret));
  assert.equal((await both.ping(id)).status, 404);
  assert.equal((await new Caller(gateway.url, certified, apiKey('none')).tryInitialize()).status, 401);
  assert.equal((await carl.ping(id)).status, 200);
  await failsInTls(new Caller(gateway.url, agentWith(authority, others.issue('x')), apiKey(ada.secret)).tryInitialize());
});

test('authorities of clients are read again: connections and streams of an earlier one end', async (t) => {
  const file = join(scratch(), 'clients.pem');
  copyFileSync(authority.file, file);
  const gateway = await gatewayFor(t, exampleServer, ...TLS, '--tls-client-ca', file);
  const certificate = authority.issue('early', 'email:early@example.com');
  const kept = new Caller(gateway.url, agentWith(authority, certificate, true));
  t.after(() => kept.agent.destroy());
  const id = await kept.begin();
  const early = new Caller(gateway.url, agentWith(authority, certificate));
  assert.equal((await early.ping(id)).status, 200);
  const stream = await early.listen(id);
  copyFileSync(others.file, `${file}.next`);
  renameSync(`${file}.next`, file);
  await until('the stream is cut off, though nobody connects', () => stream.ended);
  const late = new Caller(gateway.url, agentWith(authority, others.issue('late', 'email:late@example.com')));
  const comesIn = () => late.tryInitialize().then(({ status }) => status === 200, () => false);
  await until('those of the other one come in', comesIn);
  for (const one of [early, kept]) await failsInTls(one.ping(id));
  assert.equal((await late.ping(id)).status, 404);
});

test('a certificate that is revoked is worth nothing any more, on connections that are there either', async (t) => {
  const mine = new Authority('one that revokes');
  const [lost, good] = ['lost', 'good'].map((name) => mine.issue(name, `email:${name}@example.com`));
  const flags = ['--tls-client-ca', mine.file, '--tls-client-crl', mine.revoke()];
  const gateway = await gatewayFor(t, exampleServer, ...TLS, ...flags);
  const kept = [lost, good].map((one) => new Caller(gateway.url, agentWith(authority, one, true)));
  t.after(() => kept.forEach(({ agent }) => agent.destroy()));
  const ids = await Promise.all(kept.map((one) => one.begin()));
  const streams = await Promise.all([lost, good].map((one, i) =>
    new Caller(gateway.url, agentWith(authority, one)).listen(ids[i])));
  mine.revoke(lost);
  await until('its stream ends', () => streams[0].ended);
  await failsInTls(kept[0].ping(ids[0]));
  assert.ok(!streams[1].ended);
  assert.equal((await kept[1].ping(ids[1])).status, 200);
  streams[1].destroy();
});

test('a list of revoked certificates is told of that has expired, or cannot be read', async (t) => {
  const mine = new Authority('one whose list ends');
  const list = mine.revoke(undefined, 1);
  const gateway = await gatewayFor(t, exampleServer, ...TLS, '--tls-client-ca', mine.file, '--tls-client-crl', list);
  const told = (text) => gateway.log.filter((line) => line.includes(text));
  const expired = await until('it has expired', () => told('a list of revoked certificates has expired')[0]);
  assert.equal(JSON.parse(expired).file, list);
  await failsInTls(new Caller(gateway.url, agentWith(authority, mine.issue('good'))).tryInitialize());
  writeFileSync(list, 'no list');
  const unread = await until('it cannot be read', () => told('the certificate stays as it was')[0]);
  assert.match(JSON.parse(unread).why, /cannot use the list of revoked certificates in '/);
  mine.revoke();
  await until('there is a new one', () => told('"certificate changed"')[0]);
  await new Caller(gateway.url, agentWith(authority, mine.issue('good'))).begin();
  assert.equal(told('a list of revoked certificates has expired').length, 1);
});

test('what an authority of clients vouches for comes in by itself, beyond this machine too', async (t) => {
  const gateway = await gatewayFor(t, exampleServer, '--host', '0.0.0.0', ...TLS, ...CLIENT_CA);
  const url = `https://127.0.0.1:${gateway.port}${MCP}`;
  const dora = new Caller(url, agentWith(authority, authority.issue('dora')));
  assert.equal((await dora.call(await dora.begin(), 'add', { a: 1, b: 2 })).text, '3');
  await failsInTls(new Caller(url, plainly).tryInitialize());
});

test('a session belongs to its certificate at every node of a cluster', async (t) => {
  const [key, ...ports] = [join(scratch(), 'key'), ...(await freePorts(2))];
  writeFileSync(key, 'a secret of enough bytes');
  const places = ports.map((port) => `127.0.0.1:${port}`);
  const nodes = await Promise.all(
    places.map((place, index) => {
      const joined = ['--join', places.join(','), '--cluster-key', key, '--heartbeat', '10'];
      const cluster = ['--node', `n${index}`, '--cluster-listen', place, ...joined];
      return gatewayFor(t, exampleServer, ...TLS, ...CLIENT_CA, ...cluster);
    }),
  );
  const agents = ['ada', 'bob'].map((name) => agentWith(authority, authority.issue(`${name}-of-nodes`)));
  const [[adaHere, bobHere], [adaThere, bobThere]] = nodes.map(({ url }) => agents.map((one) => new Caller(url, one)));
  await until('the nodes know each other', async () => (await adaThere.get('/readyz')).status === 200);
  const id = await adaHere.begin();
  await until('the other node passes her on', async () => (await adaThere.ping(id)).status === 200);
  assert.equal((await adaThere.call(id, 'add', { a: 1, b: 2 })).text, '3');
  for (const bob of [bobHere, bobThere]) {
    const [foreign, unknown] = [await bob.ping(id), await bob.ping('f'.repeat(id.length))];
    assert.equal(foreign.status, 404);
    assert.equal(foreign.received, unknown.received);
  }
  assert.equal((await adaThere.end(id)).status, 200);
});

// -- unix sockets -----------------------------------------------------------------------------------------------------

test('a session works through a unix socket, which is its user\'s alone', async (t) => {
  const path = join(scratch(), 'troupe.sock');
  const started = () => {
    const listen = ['--log-format', 'json', '--listen', `unix:${path}`];
    return serveBy([PROGRAM, 'serve', ...listen, '--', ...exampleServer]);
  };
  let gateway = await started();
  t.after(() => gateway.stop());
  assert.ok(statSync(path).isSocket());
  assert.equal(statSync(path).mode & 0o777, 0o600);
  for (const host of ['localhost', 'gateway.example.com', 'evil.example:1']) {
    const caller = new Caller(`http://localhost${MCP}`, agentOf(path), { host });
    const id = await caller.begin();
    const stream = await caller.listen(id);
    assert.equal((await caller.call(id, 'add', { a: 2, b: 40 })).text, '42', host);
    assert.equal((await caller.end(id)).status, 200);
    await stream.done;
  }
  const page = new Caller(`http://localhost${MCP}`, agentOf(path), { origin: 'https://evil.example' });
  assert.equal((await page.tryInitialize()).status, 403);

  await assert.rejects(started(), /ended with 1/, 'somebody listens there');
  assert.equal((await new Caller(`http://localhost${MCP}`, agentOf(path)).tryInitialize()).status, 200);
  await gateway.stop();
  assert.ok(!existsSync(path), 'it is gone');

  gateway = await started();
  await gateway.signal('SIGKILL');
  assert.ok(existsSync(path), 'nobody has taken it away');
  gateway = await started();
  assert.equal((await new Caller(`http://localhost${MCP}`, agentOf(path)).tryInitialize()).status, 200);
});
