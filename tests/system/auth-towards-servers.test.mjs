// Caller attributes and tokens for servers, which never include the client's token.
import assert from 'node:assert/strict';
import { decodeJwt } from 'jose';
import { test } from './lib/concurrently.mjs';
import { at, startCluster } from './lib/cluster.mjs';
import { gatewayWith, reload } from './lib/config.mjs';
import { apiKey, bearer, KeyFile, newKey } from './lib/credentials.mjs';
import { fixture } from './lib/gateway.mjs';
import { MACHINE, startIssuer } from './lib/issuer.mjs';
import { startRecorder, startTokenEndpoint } from './lib/recorder.mjs';
import { initializeRequest, openSession, post, toolCall } from './lib/session.mjs';
import { startHandmade } from './lib/tokens.mjs';
import { until } from './lib/until.mjs';

const FAR = '/servers/far/mcp';
const BASIC = `Basic ${Buffer.from('troupe:the%20secret').toString('base64')}`;
const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';

const textOf = ({ result }) => result?.content[0].text;
const grantAt = (endpoint, more = {}) =>
  ({ grant: 'client_credentials', issuer: endpoint.url, clientId: 'troupe', clientSecret: 'the secret', ...more });
// A token that names its subject.
const forItsSubject = (endpoint) => ({ subject_token: token }) =>
  [200, endpoint.token(`for-${decodeJwt(token).sub}`)];
const exchangeAt = (endpoint, more = {}) => grantAt(endpoint, { grant: 'token_exchange', ...more });

// A gateway whose clients have tokens of an issuer, with a remote server that records its requests.
async function worldOf(t, server = {}, gateway = {}) {
  const [issuer, far] = await Promise.all([startHandmade(t, 'ES256'), startRecorder(t)]);
  const auth = { issuer: issuer.url, audience: 'troupe', groupsClaim: 'groups', ...gateway };
  const config = { mcpServers: { far: { url: far.url, ...server } }, gateway: { auth } };
  const made = await gatewayWith(t, config, '--debug-state');
  const as = async (claims = {}) => bearer(await issuer.token(claims));
  const open = async (claims, path = FAR) => openSession(made.at(path), undefined, {}, await as(claims));
  return { issuer, far, gateway: made, as, open };
}

// The error of a client that fails to begin a session.
async function refusalOf(gateway, headers, path = FAR) {
  const reply = await post(gateway.at(path), initializeRequest(), headers);
  const [answer] = await reply.all();
  assert.equal(answer?.error?.code, -32603, `${reply.status} ${reply.received}`);
  assert.equal(reply.headers['www-authenticate'], undefined);
  return answer.error.message;
}

const neverSaw = (far, ...secrets) => {
  for (const { rawHeaders } of far.requests)
    for (const secret of secrets) assert.ok(!rawHeaders.join('\n').includes(secret), `it saw ${secret}`);
};
const neverLogged = (gateway, ...secrets) => {
  for (const line of gateway.log) for (const secret of secrets) assert.ok(!line.includes(secret), line);
};

// -- notifications ----------------------------------------------------------------------------------------------------

test('a remote server is told of the caller what its headers say, and never what the client has shown', async (t) => {
  const headers = {
    'X-User': '${principal.subject}',
    'X-From': '${principal.issuer} ${principal.client}',
    'X-Mail': 'mail:${principal.email}',
    'X-Groups': '${principal.groups}',
    'X-Level': '${principal.level}',
    'X-Fixed': 'fixed',
  };
  const { issuer, far, gateway, as } = await worldOf(t, { headers });
  const token = await as({ email: 'ada@example.com', groups: ['staff', 'admins'], level: 3 });
  const more = { ...token, cookie: 'a=secret', 'x-user': 'mallory', forwarded: 'for=secret', 'x-level': '9' };
  const session = await openSession(gateway.at(FAR), undefined, {}, more);
  await session.call(1, 'echo');
  await session.delete();
  await until('the server is told that it is over', () => far.requests.some(({ verb }) => verb === 'DELETE'));
  assert.ok(far.requests.length >= 4);
  assert.deepEqual(far.told('x-user'), ['ada']);
  assert.deepEqual(far.told('x-from'), [`${issuer.url} desk`]);
  assert.deepEqual(far.told('x-mail'), ['mail:ada@example.com']);
  assert.deepEqual(far.told('x-groups'), ['staff,admins']);
  assert.deepEqual(far.told('x-level'), ['3']);
  assert.deepEqual(far.told('x-fixed'), ['fixed']);
  assert.deepEqual(far.told('authorization'), [undefined]);
  neverSaw(far, token.authorization.slice('Bearer '.length), 'secret', 'mallory');
});

test('who lacks what a server is to be told is refused, and so is who has it in another line', async (t) => {
  const { far, gateway, as } = await worldOf(t, { headers: { 'X-Mail': '${principal.email}' } });
  const why = (text) => `the caller's \`email\`, which the MCP server is to be told, ${text}`;
  const cases = {
    'is missing': [undefined, null, ''],
    'has line breaks or other control characters': [
      ...['a\r\nX-Admin: yes', 'a\nb', 'a\rb', 'a\0b', 'a\tb', 'a\u007f', 'a\u0085'],
    ],
    'begins or ends with a blank': [' a', 'a '],
    'is too long': ['a'.repeat(4_097)],
    'is no text, whole number or boolean': [['a'], { a: 1 }, 1.5],
    'has a comma, a semicolon or a quote, by which it would be more than one value of a header': ['a,b', 'a;b', 'a"b'],
  };
  for (const [text, values] of Object.entries(cases))
    for (const email of values) {
      const said = await refusalOf(gateway, await as({ email }));
      assert.ok(said.includes(why(text)), `${JSON.stringify(email)}: ${said}`);
    }
  assert.deepEqual(far.requests, []);
  await (await openSession(gateway.at(FAR), undefined, {}, await as({ email: 'a' }))).delete();
  assert.deepEqual(far.told('x-mail'), ['a']);
});

test('a program is told of the caller in its environment, each caller by a process of its own', async (t) => {
  const issuer = await startHandmade(t, 'ES256');
  const [command, ...args] = fixture('reload-server');
  for (const sharing of ['principal', 'session']) {
    const server = { command, args, sharing, env: { WHO: 'I am ${principal.subject}', MAIL: '${principal.email}' } };
    const auth = { issuer: issuer.url, audience: 'troupe' };
    const gateway = await gatewayWith(t, { mcpServers: { near: server }, gateway: { auth } });
    const as = async (claims) => bearer(await issuer.token(claims));
    const open = async (claims) => openSession(gateway.at('/servers/near/mcp'), undefined, {}, await as(claims));
    const told = async (session) => JSON.parse(textOf(await session.call(1, 'told')));
    const ada = await told(await open({ email: 'a@x' }));
    const eve = await told(await open({ sub: 'eve', email: 'e@x' }));
    const again = await told(await open({ email: 'a@x', jti: 'another', iat: 1 }));
    const moved = await told(await open({ email: 'ada@y' }));
    assert.deepEqual([ada.env.WHO, ada.env.MAIL], ['I am ada', 'a@x']);
    assert.deepEqual([eve.env.WHO, eve.env.MAIL], ['I am eve', 'e@x']);
    assert.deepEqual([moved.env.WHO, moved.env.MAIL], ['I am ada', 'ada@y']);
    assert.notEqual(ada.pid, eve.pid);
    assert.notEqual(ada.pid, moved.pid, 'what is told of a caller is a part of who it is');
    assert.equal(ada.pid === again.pid, sharing === 'principal');
    const said = await refusalOf(gateway, await as({ email: 'a\nLD_PRELOAD=x' }), '/servers/near/mcp');
    assert.match(said, /line breaks/);
    assert.ok(!JSON.stringify([ada.env, eve.env]).includes('eyJ'));
  }
});

// -- the gateway's own tokens -----------------------------------------------------------------------------------------

test('a remote server is shown a token that its authorization server has given the gateway', async (t) => {
  const [issuer, far] = await Promise.all([startIssuer(t), startRecorder(t)]);
  const client = { clientId: MACHINE.id, clientSecret: MACHINE.secret };
  const auth = { ...client, grant: 'client_credentials', issuer: issuer.url, scopes: ['read', 'write'] };
  const gateway = await gatewayWith(t, { mcpServers: { far: { url: `${far.url}?key=1`, auth } } });
  const session = await openSession(gateway.at(FAR));
  await session.call(1, 'echo');
  await session.delete();
  await until('the server is told that it is over', () => far.requests.some(({ verb }) => verb === 'DELETE'));
  const tokens = far.told('authorization');
  assert.equal(tokens.length, 1);
  const claims = decodeJwt(tokens[0].slice('Bearer '.length));
  assert.equal(claims.iss, issuer.url);
  assert.equal(claims.aud, far.url);
  assert.equal(claims.scope, 'read write');
  neverLogged(gateway, tokens[0].slice('Bearer '.length), MACHINE.secret);
});

test('the secret may be sent in the form, to a token endpoint that is configured', async (t) => {
  const [grants, far] = await Promise.all([startTokenEndpoint(t), startRecorder(t)]);
  const auth = {
    grant: 'client_credentials', tokenEndpoint: grants.endpoint, clientId: 'troupe', clientSecret: 'the secret',
    clientAuthentication: 'client_secret_post', resource: null, audience: 'far',
  };
  const gateway = await gatewayWith(t, { mcpServers: { far: { url: far.url, auth, sharing: 'shared' } } });
  const sessions = await Promise.all([openSession(gateway.at(FAR)), openSession(gateway.at(FAR))]);
  for (const session of sessions) assert.equal(textOf(await session.call(1, 'echo')), 'Bearer t1');
  const client = { client_id: 'troupe', client_secret: 'the secret', authorization: undefined };
  assert.deepEqual(grants.forms, [{ grant_type: 'client_credentials', audience: 'far', ...client }]);
});

test('one token is fetched for all who wait for it, and again shortly before it expires', async (t) => {
  const [grants, far] = await Promise.all([startTokenEndpoint(t), startRecorder(t)]);
  const gateway = await gatewayWith(t, { mcpServers: { far: { url: far.url, auth: grantAt(grants) } } });
  grants.isSlow = true;
  const opening = Array.from({ length: 10 }, () => openSession(gateway.at(FAR)));
  await until('the token is asked for', () => grants.held.length > 0);
  assert.deepEqual(far.requests, []);
  grants.release();
  const sessions = await Promise.all(opening);
  assert.equal(grants.forms.length, 1);
  assert.equal(grants.forms[0].authorization, BASIC);
  const calls = await Promise.all(sessions.map((session) => session.call(1, 'echo')));
  assert.deepEqual([...new Set(calls.map(textOf))], ['Bearer t1']);
  assert.equal(grants.forms.length, 1);
});

test('a token that expires is replaced before', async (t) => {
  const [grants, far] = await Promise.all([startTokenEndpoint(t), startRecorder(t)]);
  grants.life = 1;
  const gateway = await gatewayWith(t, { mcpServers: { far: { url: far.url, auth: grantAt(grants) } } });
  const session = await openSession(gateway.at(FAR));
  const first = textOf(await session.call(1, 'echo'));
  await until('another is used', async () => textOf(await session.call(2, 'echo')) !== first);
  assert.ok(grants.forms.length >= 2);
});

test('a token that the server refuses is replaced once, and then the client is told, but not with a 401', async (t) => {
  const [grants, far] = await Promise.all([startTokenEndpoint(t), startRecorder(t)]);
  const gateway = await gatewayWith(t, { mcpServers: { far: { url: far.url, auth: grantAt(grants) } } });
  const session = await openSession(gateway.at(FAR));
  assert.equal(textOf(await session.call(1, 'echo')), 'Bearer t1');
  far.accepts = ({ headers }) => headers.authorization !== 'Bearer t1';
  const calls = await Promise.all([2, 3, 4, 5].map((id) => session.call(id, 'echo')));
  assert.deepEqual([...new Set(calls.map(textOf))], ['Bearer t2']);
  assert.equal(grants.forms.length, 2);
  far.accepts = () => false;
  const before = far.requests.length;
  const reply = await session.post(toolCall(6, 'echo'));
  const [answer] = await reply.all();
  assert.equal(reply.status, 200);
  assert.equal(reply.headers['www-authenticate'], undefined);
  assert.equal(answer.error.code, -32603);
  assert.match(answer.error.message, /refused the gateway's credentials \(HTTP 401\)/);
  assert.ok(!reply.received.includes('the secret of the server') && !reply.received.includes('evil'));
  assert.ok(far.requests.length - before <= 2 && grants.forms.length <= 3, `${grants.forms.length} tokens`);
  neverLogged(gateway, 't1"', 'the secret of the server');
});

test('a token that is not granted is an error of the call, and not asked for with each', async (t) => {
  const [grants, far] = await Promise.all([startTokenEndpoint(t), startRecorder(t)]);
  grants.answer = () => [400, { error: 'invalid_client', error_description: 'the reason' }];
  const gateway = await gatewayWith(t, { mcpServers: { far: { url: far.url, auth: grantAt(grants) } } });
  const all = await Promise.all(Array.from({ length: 5 }, () => refusalOf(gateway, {})));
  const why = 'the authorization server gives none: it answers HTTP 400 (invalid_client)';
  for (const said of all) assert.equal(said, `No token for the remote MCP server: ${why}`);
  assert.ok(grants.forms.length < 5, `${grants.forms.length} times`);
  assert.deepEqual(far.requests, []);
});

test('a gateway that stops waits for no token, and leaves none behind', async (t) => {
  const [grants, far] = await Promise.all([startTokenEndpoint(t), startRecorder(t)]);
  grants.isSlow = true;
  const servers = { far: { url: far.url, auth: grantAt(grants) } };
  const gateway = await gatewayWith(t, { mcpServers: servers, gateway: { grace: 0 } });
  const asking = post(gateway.at(FAR), initializeRequest()).catch(() => undefined);
  await until('the token is asked for', () => grants.held.length > 0);
  await gateway.stop();
  await asking;
  assert.deepEqual(far.requests, []);
});

test('a token endpoint that metadata name is not asked when it is in a private place', async (t) => {
  const [grants, far] = await Promise.all([startTokenEndpoint(t), startRecorder(t)]);
  grants.endpoint = grants.endpoint.replace('127.0.0.1', 'localhost');
  const gateway = await gatewayWith(t, { mcpServers: { far: { url: far.url, auth: grantAt(grants) } } });
  const said = await refusalOf(gateway, {});
  assert.match(said, /gives none: .*address/);
  assert.deepEqual(grants.forms, []);
  assert.deepEqual(far.requests, []);
});

test('a token endpoint that metadata name is not asked when it is another service of this machine', async (t) => {
  const [grants, other, far] = await Promise.all([startTokenEndpoint(t), startTokenEndpoint(t), startRecorder(t)]);
  grants.endpoint = other.endpoint;
  const gateway = await gatewayWith(t, { mcpServers: { far: { url: far.url, auth: grantAt(grants) } } });
  const said = await refusalOf(gateway, {});
  assert.match(said, /gives none: .*address/);
  assert.deepEqual([grants.forms, other.forms, far.requests], [[], [], []]);
});

test('a server that is removed while its token is being fetched takes nobody else with it', async (t) => {
  const [grants, far, near] = await Promise.all([startTokenEndpoint(t), startRecorder(t), startRecorder(t)]);
  grants.isSlow = true;
  const servers = { far: { url: far.url, auth: grantAt(grants) }, near: { url: near.url } };
  const gateway = await gatewayWith(t, { mcpServers: servers });
  const asking = post(gateway.at(FAR), initializeRequest()).then(({ done }) => done);
  await until('the token is asked for', () => grants.held.length > 0);
  await reload(gateway, { mcpServers: { near: { url: near.url } } });
  grants.release();
  await asking;
  const session = await openSession(gateway.at('/servers/near/mcp'));
  assert.equal(textOf(await session.call(1, 'echo')), 'nobody');
});

// -- a token for each caller ------------------------------------------------------------------------------------------

test("a caller's token is exchanged for one that the server is for, and sent nowhere else", async (t) => {
  const grants = await startTokenEndpoint(t);
  grants.answer = forItsSubject(grants);
  const exchange = exchangeAt(grants, { scopes: ['read'] });
  const { far, gateway, as } = await worldOf(t, { auth: exchange, sharing: 'principal' });
  const [ada, eve] = [await as(), await as({ sub: 'eve' })];
  const sessions = [];
  for (const who of [ada, eve, ada]) sessions.push(await openSession(gateway.at(FAR), undefined, {}, who));
  const texts = [];
  for (const session of sessions) texts.push(textOf(await session.call(1, 'echo')));
  assert.deepEqual(texts, ['Bearer for-ada', 'Bearer for-eve', 'Bearer for-ada']);
  assert.deepEqual(far.told('authorization').toSorted(), ['Bearer for-ada', 'Bearer for-eve']);
  assert.equal(grants.forms.length, 2);
  assert.deepEqual(grants.forms[0], {
    grant_type: EXCHANGE, subject_token: ada.authorization.slice('Bearer '.length), subject_token_type: ACCESS_TOKEN,
    requested_token_type: ACCESS_TOKEN, scope: 'read', resource: far.url, authorization: BASIC,
  });
  const secrets = [ada, eve].map(({ authorization }) => authorization.slice('Bearer '.length));
  neverSaw(far, ...secrets);
  neverLogged(gateway, ...secrets, 'for-ada', 'for-eve');
  // Two callers share neither a session with the server nor a connection to it.
  for (const kind of [({ connection }) => connection, ({ headers }) => headers['mcp-session-id']]) {
    const users = new Map();
    for (const one of far.requests)
      users.set(kind(one), (users.get(kind(one)) ?? new Set()).add(one.headers.authorization));
    users.delete(undefined);
    for (const who of users.values()) assert.equal(who.size, 1);
  }
});

test('what a server answers to one caller is not told to another', async (t) => {
  const grants = await startTokenEndpoint(t);
  grants.answer = forItsSubject(grants);
  const { far, gateway, as } = await worldOf(t, { auth: exchangeAt(grants), eager: true });
  far.instructions = ({ headers }) => `instructions ${headers.authorization}`;
  for (const sub of ['ada', 'eve', 'bob']) {
    const reply = await post(gateway.url, initializeRequest(), await as({ sub }));
    await reply.done;
    assert.equal(reply.status, 200);
    assert.ok(reply.received.includes(`for-${sub}`), reply.received);
    for (const other of ['ada', 'eve', 'bob']) assert.equal(reply.received.includes(`for-${other}`), other === sub);
  }
});

test('the token of the last request is exchanged, once for all who wait', async (t) => {
  const grants = await startTokenEndpoint(t);
  grants.life = 8; // seconds: longer than a busy machine needs to begin the sessions
  const { gateway, as, open } = await worldOf(t, { auth: exchangeAt(grants) });
  grants.isSlow = true;
  const opening = Array.from({ length: 8 }, () => open());
  await until('a token is exchanged', () => grants.held.length > 0);
  grants.release();
  const [session] = await Promise.all(opening);
  assert.equal(grants.forms.length, 1);
  const later = session.as(await as({ jti: 'another' }));
  await until('another is exchanged', async () => {
    await later.call(1, 'echo');
    return grants.forms.length > 1;
  });
  const { jti } = decodeJwt(grants.forms.at(-1).subject_token);
  assert.equal(jti, 'another');
  assert.ok(gateway.children().length === 0);
});

test('a request gets nothing that was exchanged for a token of wider scopes, in the same session, too', async (t) => {
  const grants = await startTokenEndpoint(t);
  grants.answer = ({ subject_token: token }) => {
    const { scope, jti } = decodeJwt(token);
    const granted = [200, grants.token(`for-${scope.replace(' ', '-')}`)];
    return jti === 'revoked' ? [400, { error: 'invalid_grant' }] : granted;
  };
  const tries = [FAR, '/mcp'].flatMap((path) => ['session', 'principal'].map((sharing) => [path, sharing, false]));
  for (const [path, sharing, isModern] of [...tries, [FAR, 'session', true], [FAR, 'principal', true]]) {
    grants.forms = [];
    const { as, open, far } = await worldOf(t, { auth: exchangeAt(grants), sharing });
    far.isModern = isModern;
    const wide = await open({ scope: 'read write' }, path);
    const narrow = wide.as(await as({ scope: 'read' }));
    assert.equal(textOf(await wide.call(1, 'echo')), 'Bearer for-read-write');
    assert.equal(textOf(await narrow.call(2, 'echo')), 'Bearer for-read', `${path} ${sharing}`);
    const calls = (session, ...ids) => Promise.all(ids.map((id) => session.call(id, 'echo')));
    const [wides, narrows] = await Promise.all([calls(wide, 3, 4, 5), calls(narrow, 6, 7, 8)]);
    assert.deepEqual([...new Set(wides.map(textOf))], ['Bearer for-read-write']);
    assert.deepEqual([...new Set(narrows.map(textOf))], ['Bearer for-read']);
    const none = wide.as(await as({ scope: 'none', jti: 'revoked' }));
    assert.match((await none.call(9, 'echo')).error.message, /invalid_grant/);
    assert.equal(grants.forms.length, 3, 'each is exchanged once');
  }
});

test('who has a key has no token to exchange', async (t) => {
  const grants = await startTokenEndpoint(t);
  const key = newKey('ci');
  const { far, gateway } = await worldOf(t, { auth: exchangeAt(grants) }, { keys: new KeyFile(key).path });
  assert.match(await refusalOf(gateway, apiKey(key.secret)), /the caller came with a key/);
  assert.deepEqual([far.requests, grants.forms], [[], []]);
});

test('the token that is shown to one node is exchanged by the node that has the session', async (t) => {
  const [grants, issuer, far] = await Promise.all([startTokenEndpoint(t), startHandmade(t, 'ES256'), startRecorder(t)]);
  grants.life = 1;
  const servers = { far: { url: far.url, auth: exchangeAt(grants) } };
  const auth = { issuer: issuer.url, audience: 'troupe' };
  const cluster = await startCluster(t, { nodes: 2, config: { mcpServers: servers, gateway: { auth } } });
  const [home, other] = cluster.nodes;
  const as = async (jti) => bearer(await issuer.token({ jti }));
  const session = await openSession(home.at(FAR), undefined, {}, await as('first'));
  const there = at(other, session).as(await as('elsewhere'));
  const exchanged = () => grants.forms.map(({ subject_token: token }) => decodeJwt(token).jti);
  // A busy machine may need more time to begin the session than the first token is valid.
  await until('the other one is exchanged', async () => {
    assert.match(textOf(await there.call(1, 'echo')), /^Bearer t\d+$/);
    return exchanged().at(-1) === 'elsewhere';
  });
  assert.equal(exchanged()[0], 'first');
  for (const node of cluster.nodes) neverLogged(node, 'eyJ');
});
