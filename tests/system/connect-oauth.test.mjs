// `troupe connect` with servers that require a login.
import assert from 'node:assert/strict';
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { remoteFor } from './fixture/remote-script.mjs';
import { test } from './lib/concurrently.mjs';
import { pipedTo } from './lib/connected.mjs';
import { gatewayWith } from './lib/config.mjs';
import { exampleServer, runProgram } from './lib/gateway.mjs';
import { browse, DESK, startIssuer } from './lib/issuer.mjs';
import { modernRequest } from './lib/modern.mjs';
import { freePort } from './lib/ports.mjs';
import { scratch } from './lib/scratch.mjs';
import { until } from './lib/until.mjs';

const METADATA = '/.well-known/oauth-protected-resource';
const PLACE = /^ {2}(http\S+)$/m;
const JSON_TYPE = { 'content-type': 'application/json' };
const INITIALIZE = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
const claims = (token) => JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString());

// A remote server that requires a token of the issuer for its resource. `scopes` are the required ones.
async function lockedServer(t, issuer, { about = {}, scopes = ['read'] } = {}) {
  const remote = await remoteFor(t);
  remote.revoked = new Set();
  remote.scopes = scopes;
  const refuse = (exchange, status, error = '') => {
    const where = `resource_metadata="${new URL(METADATA, remote.url)}/mcp"`;
    const wanted = `scope="${remote.scopes.join(' ')}"`;
    exchange.status(status, { 'www-authenticate': `Bearer ${error}${where}, ${wanted}` });
  };
  remote.on.any = (exchange) => {
    if (exchange.path === `${METADATA}/mcp`) {
      const document = { resource: remote.url, authorization_servers: [issuer.url], ...about };
      return exchange.status(200, JSON_TYPE, JSON.stringify(document));
    }
    const token = /^Bearer (.*)$/.exec(exchange.headers.authorization)?.[1];
    if (!token || remote.revoked.has(token)) return refuse(exchange, 401);
    const { aud, iss, scope } = claims(token);
    if (aud !== remote.url || iss !== issuer.url) return refuse(exchange, 401);
    const granted = scope.split(' ');
    if (!remote.scopes.every((one) => granted.includes(one)))
      return refuse(exchange, 403, 'error="insufficient_scope", ');
    return remote.pass(exchange);
  };
  return remote;
}

// A gateway that requires tokens of the issuer.
async function gatewayBehind(t, issuer) {
  const [command, ...args] = exampleServer;
  const port = await freePort();
  const auth = { issuer: issuer.url, url: `http://127.0.0.1:${port}`, scopes: ['read'] };
  return gatewayWith(t, { mcpServers: { a: { command, args } }, gateway: { auth } }, '--port', String(port));
}

// Each test has its own folder for logins, and no browser by default.
const homeFor = () => ({ XDG_STATE_HOME: scratch(), BROWSER: '/bin/false' });
const folderIn = ({ XDG_STATE_HOME: home }) => join(home, 'troupe', 'logins');
function keptIn(home) {
  const folder = folderIn(home);
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
  return names.map((name) => join(folder, name));
}
const read = (path) => JSON.parse(readFileSync(path, 'utf8'));

const placeOf = async (piped) => new URL(await until('it says where to log in', () => PLACE.exec(piped.log)?.[1]));

// The page that the browser shows after its return.
async function comeBack(place, query) {
  const url = new URL(place.searchParams.get('redirect_uri'));
  url.search = new URLSearchParams(query);
  const response = await fetch(url);
  return { status: response.status, text: await response.text() };
}

// Logs in as a user with full consent.
async function logIn(place) {
  const { status, text } = await comeBack(place, await browse(place, place.searchParams.get('redirect_uri')));
  assert.equal(status, 200);
  assert.match(text, /may be closed/);
}

const connected = async (t, url, home, flags = []) => {
  const piped = pipedTo(t, url, flags, home);
  const begun = piped.initialize();
  return { piped, begun };
};

const loggedIn = async (t, issuer, remote, home, flags) => {
  const { piped, begun } = await connected(t, remote.url, home, flags);
  const place = await placeOf(piped);
  await logIn(place);
  await begun;
  return { piped, place };
};

async function assertWorks(piped, id = 'works') {
  const { result, error } = await piped.ask(id, 'tools/call', { name: 'echo', arguments: { message: 'hi' } });
  assert.equal(result?.content[0].text, 'hi', JSON.stringify(error));
}

// -- the login ------------------------------------------------------------------------------------------------------------

test('logs in in the browser, and keeps the login for the user alone', async (t) => {
  const issuer = await startIssuer(t);
  const remote = await lockedServer(t, issuer);
  const home = homeFor();
  const { piped, place } = await loggedIn(t, issuer, remote, home, ['--log-level', 'debug']);
  await assertWorks(piped);
  assert.equal(place.origin, issuer.url);
  assert.equal(place.searchParams.get('code_challenge_method'), 'S256');
  assert.equal(place.searchParams.get('resource'), remote.url);
  assert.match(place.searchParams.get('scope'), /^read/);
  assert.match(place.searchParams.get('redirect_uri'), /^http:\/\/127\.0\.0\.1:\d+\/callback$/);
  const [file, ...others] = keptIn(home);
  assert.equal(others.length, 0);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal(statSync(folderIn(home)).mode & 0o777, 0o700);
  const { access_token: token, refresh_token: refresh } = read(file);
  assert.ok(!piped.log.includes(token) && !piped.log.includes(refresh));
  assert.equal(await piped.end(), 0);
  assert.equal(remote.sessions.size, 0);

  const again = await connected(t, remote.url, home);
  await again.begun;
  await assertWorks(again.piped);
  assert.doesNotMatch(again.piped.log, PLACE);
});

test('opens the browser that BROWSER names', async (t) => {
  const issuer = await startIssuer(t);
  const remote = await lockedServer(t, issuer);
  const folder = scratch();
  const browser = join(folder, 'browser');
  writeFileSync(browser, `#!/bin/sh\necho not for the client\nprintf '%s' "$1" > ${folder}/opened.part && mv ${folder}/opened.part ${folder}/opened\n`);
  chmodSync(browser, 0o755);
  const { piped, begun } = await connected(t, remote.url, { ...homeFor(), BROWSER: browser });
  await until('the browser is opened', () => existsSync(join(folder, 'opened')));
  await logIn(new URL(readFileSync(join(folder, 'opened'), 'utf8')));
  await begun;
  await assertWorks(piped);
});

test('is the client that --client-id and --client-secret-file say', async (t) => {
  const issuer = await startIssuer(t);
  const remote = await lockedServer(t, issuer);
  const secret = join(scratch(), 'secret');
  writeFileSync(secret, `${DESK.secret}\n`);
  const flags = ['--client-id', DESK.id, '--client-secret-file', secret, '--no-browser'];
  const { piped, place } = await loggedIn(t, issuer, remote, homeFor(), [...flags, '--issuer', `${issuer.url}/`]);
  assert.equal(place.searchParams.get('client_id'), DESK.id);
  await assertWorks(piped);
  for (const [more, why] of [[[], /name it with --issuer/], [['--issuer', 'https://other.example.com'], /another issuer/]]) {
    const refused = pipedTo(t, remote.url, [...flags, ...more], homeFor());
    assert.match((await refused.ask(1, 'initialize', INITIALIZE)).error.message, why);
    assert.doesNotMatch(refused.log, PLACE);
  }
});

test('refreshes a token that the server does not take any more, and asks nobody', async (t) => {
  const issuer = await startIssuer(t);
  const remote = await lockedServer(t, issuer);
  const home = homeFor();
  const { piped } = await loggedIn(t, issuer, remote, home);
  const [file] = keptIn(home);
  const first = read(file).access_token;
  remote.revoked.add(first);
  await assertWorks(piped);
  const second = read(file).access_token;
  assert.notEqual(second, first);
  await piped.end();
  writeFileSync(file, JSON.stringify({ ...read(file), expires: 1 }));
  const later = await connected(t, remote.url, home);
  await later.begun;
  await assertWorks(later.piped);
  assert.notEqual(read(file).access_token, second);
  assert.ok(read(file).expires > Date.now() / 1_000);
  assert.doesNotMatch(later.piped.log, PLACE);
});

test('looks for a server that is away again and again, also after a login', async (t) => {
  const issuer = await startIssuer(t);
  const remote = await lockedServer(t, issuer);
  const { piped } = await loggedIn(t, issuer, remote, homeFor());
  await assertWorks(piped);
  remote.on.initialize = (exchange) => exchange.status(503);
  remote.sessions.clear();
  assert.match((await piped.ask('lost', 'tools/list')).error.message, /(MCP|remote) server/);
  const known = remote.named('initialize').length;
  await until('it is looked for', () => remote.named('initialize').length >= known + 2);
  delete remote.on.initialize;
  await until('it is there again', () => remote.sessions.size);
  await assertWorks(piped, 'again');
});

test('asks for a scope that a call needs besides', async (t) => {
  const issuer = await startIssuer(t);
  const remote = await lockedServer(t, issuer);
  const { piped } = await loggedIn(t, issuer, remote, homeFor());
  const loggedInAt = Date.now();
  piped.log = '';
  remote.scopes = ['read', 'write'];
  const call = assertWorks(piped);
  const place = await placeOf(piped);
  await until('the page of the first login would be gone', () => Date.now() > loggedInAt + 2_500);
  assert.deepEqual(place.searchParams.get('scope').split(' ').filter((one) => one !== 'offline_access'), ['read', 'write']);
  await logIn(place);
  await call;
});

test('asks once though two programs want the same', async (t) => {
  const issuer = await startIssuer(t);
  const remote = await lockedServer(t, issuer);
  const home = homeFor();
  const both = await Promise.all([connected(t, remote.url, home), connected(t, remote.url, home)]);
  const asking = await until('one of them asks', () => both.find(({ piped }) => PLACE.test(piped.log)));
  await logIn(await placeOf(asking.piped));
  await Promise.all(both.map(({ begun }) => begun));
  await Promise.all(both.map(({ piped }) => assertWorks(piped)));
  assert.equal(both.filter(({ piped }) => PLACE.test(piped.log)).length, 1);
  assert.equal(keptIn(home).length, 1);
});

for (const [path, name] of [['/mcp', 'Streamable HTTP'], ['/sse', 'HTTP+SSE']])
  test(`logs in at a gateway with an issuer (${name})`, async (t) => {
    const issuer = await startIssuer(t);
    const gateway = await gatewayBehind(t, issuer);
    const home = homeFor();
    const { piped, begun } = await connected(t, gateway.at(path), home);
    await logIn(await placeOf(piped));
    await begun;
    await assertWorks(piped);
    assert.equal(await piped.end(), 0);
  });

test('logs in for a client of 2026-07-28', async (t) => {
  const issuer = await startIssuer(t);
  const gateway = await gatewayBehind(t, issuer);
  const piped = pipedTo(t, gateway.at('/mcp'), [], homeFor());
  piped.send(modernRequest(1, 'tools/call', { name: 'echo', arguments: { message: 'hi' } }));
  await logIn(await placeOf(piped));
  assert.equal((await piped.answer(1)).result.content[0].text, 'hi');
});

test('ends though nobody has logged in', async (t) => {
  const remote = await lockedServer(t, await startIssuer(t));
  const piped = pipedTo(t, remote.url, [], homeFor());
  piped.send({ id: 1, method: 'initialize', params: INITIALIZE });
  await placeOf(piped);
  assert.equal(await piped.end(), 0);
  assert.match((await piped.answer(1)).error.message, /the client has ended/);
});

test('ends while browsers come back', async (t) => {
  const remote = await lockedServer(t, await startIssuer(t));
  const piped = pipedTo(t, remote.url, [], homeFor());
  piped.send({ id: 1, method: 'initialize', params: INITIALIZE });
  const place = await placeOf(piped);
  const browsers = Array.from({ length: 40 }, () => comeBack(place, { code: 'c', state: 'wrong' }));
  await Promise.any(browsers);
  assert.equal(await piped.end(), 0);
  for (const { status, value } of await Promise.allSettled(browsers))
    if (status === 'fulfilled') assert.equal(value.status, 400);
});

// -- refusals ---------------------------------------------------------------------------------------------------------------

test('does not take what comes back from another login, and tells when the user refuses', async (t) => {
  const issuer = await startIssuer(t);
  const remote = await lockedServer(t, issuer);
  const home = homeFor();
  const piped = pipedTo(t, remote.url, [], home);
  piped.send({ id: 1, method: 'initialize', params: INITIALIZE });
  const place = await placeOf(piped);
  const iss = issuer.url;
  assert.equal((await comeBack(place, { code: 'c', state: 'wrong', iss })).status, 400);
  assert.equal((await comeBack(place, { code: 'c', iss })).status, 400);
  const state = place.searchParams.get('state');
  assert.equal((await comeBack(place, { error: 'access_denied', state, iss })).status, 200);
  const { error } = await piped.answer(1);
  assert.match(error.message, /the login was refused \(access_denied\)/);
  const again = await piped.ask(2, 'initialize', INITIALIZE);
  assert.match(again.error.message, /access_denied|not there/);
  assert.equal(piped.log.split('log in at the server').length, 2, 'the user is asked once');
  assert.deepEqual(keptIn(home), []);
});

test('does not ask again and again for a server that refuses every token', async (t) => {
  const issuer = await startIssuer(t);
  const remote = await lockedServer(t, issuer);
  const piped = pipedTo(t, remote.url, [], homeFor());
  remote.revoked.has = () => true;
  piped.send({ id: 1, method: 'initialize', params: INITIALIZE });
  await logIn(await placeOf(piped));
  assert.match((await piped.answer(1)).error.message, /HTTP 401/);
  for (const id of [2, 3]) assert.ok((await piped.ask(id, 'initialize', INITIALIZE)).error);
  assert.equal(piped.log.split('log in at the server').length, 2, 'the user is asked once');
});

test('does not send a code to an authorization server that another answered for', async (t) => {
  const issuer = await startIssuer(t);
  const remote = await lockedServer(t, issuer);
  for (const [iss, why] of [['https://evil.example.com', /another authorization server/], [undefined, /without the issuer/]]) {
    const piped = pipedTo(t, remote.url, [], homeFor());
    piped.send({ id: 1, method: 'initialize', params: INITIALIZE });
    const place = await placeOf(piped);
    await comeBack(place, { code: 'c', state: place.searchParams.get('state'), ...(iss && { iss }) });
    assert.match((await piped.answer(1)).error.message, why);
  }
});

for (const [what, about, why] of [
  ['is about another server', { resource: 'https://other.example.com/mcp' }, /about another resource/],
  ['names an authorization server that is not https', { authorization_servers: ['http://far.example.com'] }, /not https/],
  ['leads into a private network', { authorization_servers: ['https://10.255.255.1'] }, /its address is not public/],
  ['names none', { authorization_servers: [] }, /names no authorization server/],
])
  test(`does not log in where the document about the server ${what}`, async (t) => {
    const remote = await lockedServer(t, await startIssuer(t), { about });
    const piped = pipedTo(t, remote.url, [], homeFor());
      assert.match((await piped.ask(1, 'initialize', INITIALIZE)).error.message, why);
    assert.doesNotMatch(piped.log, PLACE);
  });

test('does not log in when it was given credentials', async (t) => {
  const remote = await lockedServer(t, await startIssuer(t));
  const piped = pipedTo(t, remote.url, ['--header', 'Authorization: Bearer x.e30.x'], homeFor());
  assert.match((await piped.ask(1, 'initialize', INITIALIZE)).error.message, /HTTP 401/);
  assert.doesNotMatch(piped.log, PLACE);
});

test('forgets a login with --logout', async (t) => {
  const issuer = await startIssuer(t);
  const remote = await lockedServer(t, issuer);
  const home = homeFor();
  const { piped } = await loggedIn(t, issuer, remote, home);
  await piped.end();
  assert.equal(keptIn(home).length, 1);
  const before = process.env.XDG_STATE_HOME;
  process.env.XDG_STATE_HOME = home.XDG_STATE_HOME;
  const child = runProgram('connect', '--logout', remote.url);
  if (before === undefined) delete process.env.XDG_STATE_HOME;
  child.stdout.resume();
  assert.equal(await new Promise((resolve) => child.once('exit', resolve)), 0);
  assert.deepEqual(keptIn(home), []);
});
