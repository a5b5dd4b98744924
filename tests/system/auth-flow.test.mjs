// The official clients discover where to get a token, and get one.
import assert from 'node:assert/strict';
import * as v2 from '@modelcontextprotocol/client';
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { test } from './lib/concurrently.mjs';
import { Client, ResourceUpdatedNotificationSchema, StreamableHTTPClientTransport } from './lib/client.mjs';
import { gatewayWith } from './lib/config.mjs';
import { fixture } from './lib/gateway.mjs';
import { browse, CALLBACK, startIssuer } from './lib/issuer.mjs';
import { freePort } from './lib/ports.mjs';
import { SLOWNESS } from './lib/processes.mjs';
import { DEBUG, debugState } from './lib/state.mjs';
import { until } from './lib/until.mjs';

// A token is valid for a minute after its expiry. The rest is for a busy machine, which has to begin a session
// meanwhile.
const NEARLY_OVER = -60 + 5 + 3 * SLOWNESS;
const WELL_KNOWN = '/.well-known/oauth-protected-resource';

const [command, ...args] = fixture('stdio');
const [hostile, ...hostileArgs] = fixture('hostile');
const SERVERS = { a: { command, args }, h: { command: hostile, args: hostileArgs } };
const textOf = ({ content }) => content.map(({ text }) => text).join('\n');

const V1 = {
  UnauthorizedError,
  transport: (url, options) => new StreamableHTTPClientTransport(url, options),
  client: () => new Client({ name: 'system-test', version: '1' }),
  finish: (transport, said) => transport.finishAuth(said.get('code')),
  watch: (client, heard) => client.setNotificationHandler(ResourceUpdatedNotificationSchema, heard),
};
const V2 = {
  UnauthorizedError: v2.UnauthorizedError,
  transport: (url, options) => new v2.StreamableHTTPClientTransport(url, options),
  client: () => new v2.Client({ name: 'system-test-v2', version: '1' }),
  finish: (transport, said) => transport.finishAuth(said),
  watch: (client, heard) => client.setNotificationHandler('notifications/resources/updated', heard),
};
const V1_SSE = { ...V1, transport: (url, options) => new SSEClientTransport(url, options) };

// A client's storage for its registration and tokens.
class Memory {
  redirectUrl = CALLBACK;
  clientMetadata = {
    client_name: 'system-test',
    application_type: 'native',
    redirect_uris: [CALLBACK],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    // The scope that a client requests by default.
    scope: 'read',
    token_endpoint_auth_method: 'none',
  };

  clientInformation() {
    return this.information;
  }

  saveClientInformation(information) {
    this.information = information;
  }

  tokens() {
    return this.held;
  }

  saveTokens(tokens) {
    this.held = tokens;
  }

  redirectToAuthorization(url) {
    this.sentTo = url;
  }

  saveCodeVerifier(verifier) {
    this.verifier = verifier;
  }

  codeVerifier() {
    return this.verifier;
  }

  saveDiscoveryState(state) {
    this.discovered = state;
  }

  discoveryState() {
    return this.discovered;
  }
}

// Records the client's requests and answers: method, place and status.
function recorder(exchanges) {
  return async (url, init) => {
    const response = await fetch(url, init);
    const { origin, pathname } = new URL(url);
    exchanges.push({ origin, step: `${init?.method ?? 'GET'} ${pathname} ${response.status}`, init });
    return response;
  };
}

const claimsOf = (token) => JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString());

// The requested scopes, without those that clients add for a longer lifetime.
const scopesOf = ({ sentTo }) =>
  sentTo.searchParams.get('scope').split(' ').filter((scope) => scope !== 'offline_access').toSorted();

// A gateway that knows its URL before it starts.
async function gatewayBehind(t, issuer, auth = {}) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const config = { mcpServers: SERVERS, gateway: { auth: { issuer: issuer.url, url, ...auth } } };
  return gatewayWith(t, config, '--port', String(port), DEBUG);
}

// Connects as a user does: is refused, gets a token in a browser, and connects again.
async function connected(t, sdk, url, memory = new Memory()) {
  const exchanges = [];
  const options = { authProvider: memory, fetch: recorder(exchanges) };
  const first = sdk.transport(new URL(url), options);
  await assert.rejects(sdk.client().connect(first), sdk.UnauthorizedError);
  await sdk.finish(first, await browse(memory.sentTo));
  await first.close();
  const transport = sdk.transport(new URL(url), options);
  const client = sdk.client();
  await client.connect(transport);
  t.after(() => client.close());
  return { client, transport, memory, exchanges };
}

for (const [name, sdk] of Object.entries({ 'of version 1': V1, 'of version 2': V2 })) {
  test(`the official client ${name} is refused, gets a token and is served`, async (t) => {
    const issuer = await startIssuer(t);
    const gateway = await gatewayBehind(t, issuer, { scopes: ['read'] });
    const url = gateway.at('/servers/a/mcp');
    const { client, memory, exchanges } = await connected(t, sdk, url);
    const { tools } = await client.listTools();
    assert.ok(tools.length > 0);
    assert.match(textOf(await client.callTool({ name: 'test_simple_text', arguments: {} })), /simple text/);

    const order = [
      'POST /servers/a/mcp 401',
      `GET ${WELL_KNOWN}/servers/a/mcp 200`,
      'GET /.well-known/oauth-authorization-server 200',
      'POST /reg 201',
      'POST /token 200',
      'POST /servers/a/mcp 200',
    ];
    const steps = exchanges.map(({ step }) => step);
    const places = order.map((step) => steps.indexOf(step));
    assert.ok(places.every((place, index) => place > (places[index - 1] ?? -1)), steps.join('\n'));
    assert.equal(steps.filter((step) => step.endsWith(' 401')).length, 1, steps.join('\n'));

    const asked = memory.sentTo.searchParams;
    assert.equal(asked.get('code_challenge_method'), 'S256');
    assert.equal(asked.get('resource'), url);
    assert.deepEqual(scopesOf(memory), ['read']);
    const secret = memory.held.access_token;
    const { jti, iat, exp, ...claims } = claimsOf(secret);
    const { client_id: id } = memory.information;
    assert.deepEqual(claims, { iss: issuer.url, aud: url, sub: 'ada', scope: 'read', client_id: id });
    for (const { init } of exchanges.filter(({ origin }) => origin === issuer.url))
      assert.ok(!JSON.stringify([...new Headers(init?.headers)]).includes(secret), 'the issuer is told no token');
  });

  test(`the official client ${name} gets a fresh token, and keeps its session`, async (t) => {
    const issuer = await startIssuer(t);
    issuer.expiresIn = NEARLY_OVER;
    const gateway = await gatewayBehind(t, issuer);
    const { client, transport, memory, exchanges } = await connected(t, sdk, gateway.at('/servers/h/mcp'));
    const pid = textOf(await client.callTool({ name: 'pid', arguments: {} }));
    const { sessionId } = transport;
    const old = memory.held;
    assert.ok(old.refresh_token);
    issuer.expiresIn = undefined;
    await until('it has a fresh token', async () => {
      assert.equal(textOf(await client.callTool({ name: 'pid', arguments: {} })), pid, 'the same server');
      return memory.held.access_token !== old.access_token;
    });
    assert.equal(transport.sessionId, sessionId);
    const steps = exchanges.map(({ step }) => step);
    assert.ok(steps.filter((step) => step.endsWith('/servers/h/mcp 401')).length > 1, 'it was refused once more');
    assert.equal(steps.filter((step) => step === 'POST /reg 201').length, 1, steps.join('\n'));
    const { sessions } = await debugState(gateway);
    assert.equal(sessions, 1);
    // By then the client listens again, or polls.
    const changes = [];
    sdk.watch(client, () => changes.push('updated'));
    await client.callTool({ name: 'flood_later', arguments: { kind: 'updated', count: 1, after_ms: 1_500 } });
    await until('what is on the stream', () => changes.length === 1);
  });

  test(`the official client ${name} gets a token with more scopes when it needs them`, async (t) => {
    const issuer = await startIssuer(t);
    const gateway = await gatewayBehind(t, issuer, { scopes: ['read', 'write'] });
    const memory = new Memory();
    const url = gateway.at('/servers/a/mcp');
    const known = await issuer.register({ ...memory.clientMetadata, scope: undefined });
    memory.information = { ...known, issuer: issuer.url };
    memory.held = { access_token: await issuer.userToken(url, 'read'), token_type: 'Bearer', issuer: issuer.url };
    const { client, exchanges } = await connected(t, sdk, url, memory);
    assert.ok(exchanges.some(({ step }) => step === 'POST /servers/a/mcp 403'));
    assert.deepEqual(scopesOf(memory), ['read', 'write']);
    assert.match(textOf(await client.callTool({ name: 'test_simple_text', arguments: {} })), /simple text/);
  });
}

test('the official client over HTTP+SSE is refused, gets a token and is served', async (t) => {
  const issuer = await startIssuer(t);
  const gateway = await gatewayBehind(t, issuer);
  const { client, memory } = await connected(t, V1_SSE, gateway.at('/servers/a/sse'));
  assert.equal(claimsOf(memory.held.access_token).aud, gateway.at('/servers/a/sse'));
  assert.match(textOf(await client.callTool({ name: 'test_simple_text', arguments: {} })), /simple text/);
});

test('an official client gets its token by itself, where the gateway\'s URL is only what it is called', async (t) => {
  const issuer = await startIssuer(t);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/mcp`;
  const auth = { issuer: issuer.url, audience: url };
  const gateway = await gatewayWith(t, { mcpServers: { a: SERVERS.a }, gateway: { auth } }, '--port', String(port));
  assert.equal(gateway.url, url);
  const { client } = await connected(t, V1, url);
  assert.ok((await client.listTools()).tools.length > 0);
});
