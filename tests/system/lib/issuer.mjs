// An OAuth authorization server in the test's process, by the package oidc-provider.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { exportJWK, generateKeyPair } from 'jose';
import Provider from 'oidc-provider';
import { freePort } from './ports.mjs';

const HOUR = 3_600;
const SCOPES = ['read', 'write', 'admin'];
const MOST_STEPS = 10;
// The redirect URI of browsers. The port is closed.
export const CALLBACK = 'http://127.0.0.1:9/callback';

// The clients of the issuer: a machine with a token of its own, one for users, and one for introspection.
export const MACHINE = { id: 'machine', secret: 'the secret of the machine' };
export const DESK = { id: 'desk', secret: 'the secret of the desk' };
export const GATEWAY = { id: 'gateway', secret: 'the secret of the gateway, which has: % and +' };

const CLIENTS = [
  {
    client_id: MACHINE.id,
    client_secret: MACHINE.secret,
    grant_types: ['client_credentials'],
    redirect_uris: [],
    response_types: [],
    scope: SCOPES.join(' '),
  },
  { client_id: DESK.id, client_secret: DESK.secret, redirect_uris: [CALLBACK], application_type: 'native' },
  {
    client_id: GATEWAY.id,
    client_secret: GATEWAY.secret,
    grant_types: [],
    redirect_uris: [],
    response_types: [],
  },
];

const formField = (text) => new URLSearchParams({ x: text }).toString().slice(2);
// RFC 6749, 2.3.1
const basic = ({ id, secret }) => ({
  authorization: `Basic ${Buffer.from(`${formField(id)}:${formField(secret)}`).toString('base64')}`,
});

let changes = 0;

async function newKeys() {
  const generation = (changes += 1);
  const one = async (alg) => {
    const { privateKey } = await generateKeyPair(alg, { extractable: true });
    return { ...(await exportJWK(privateKey)), alg, use: 'sig', kid: `${alg}-${generation}` };
  };
  return { keys: await Promise.all(['RS256', 'PS256', 'ES256', 'ES384'].map(one)) };
}

// A storage adapter for oidc-provider, which survives a change of the keys.
function memory() {
  const kept = new Map();
  return class {
    constructor(kind) {
      this.kind = kind;
    }

    async upsert(id, payload) {
      kept.set(`${this.kind} ${id}`, payload);
    }

    async find(id) {
      return kept.get(`${this.kind} ${id}`);
    }

    async findByUid(uid) {
      return [...kept.values()].find((payload) => payload.kind === this.kind && payload.uid === uid);
    }

    async findByUserCode() {}

    async consume(id) {
      kept.get(`${this.kind} ${id}`).consumed = Math.floor(Date.now() / 1_000);
    }

    async destroy(id) {
      kept.delete(`${this.kind} ${id}`);
    }

    async revokeByGrantId(grant) {
      for (const [key, { grantId }] of kept) if (grantId === grant) kept.delete(key);
    }
  };
}

export class Issuer {
  // The properties of the next tokens: algorithm or opaque, audience, and lifetime in seconds, which may be negative.
  algorithm = 'RS256';
  isOpaque = false;
  account = 'ada';
  expiresIn = undefined;
  #memory = memory();

  constructor(port) {
    this.port = port;
    this.url = `http://127.0.0.1:${port}`;
  }

  async start() {
    if (!this.provider) await this.changeKeys();
    this.server = createServer((request, response) => this.#answer(request, response));
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    return this;
  }

  async stop() {
    if (!this.server?.listening) return;
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  // Replaces the keys, so that all tokens of the old ones are invalid.
  async changeKeys() {
    this.provider = new Provider(this.url, { ...this.#configuration(), jwks: await newKeys() });
    this.provider.on('server_error', (_, error) => console.error(error));
  }

  #configuration() {
    const anyResource = (_, resource) => ({
      audience: resource,
      scope: SCOPES.join(' '),
      accessTokenFormat: this.isOpaque ? 'opaque' : 'jwt',
      jwt: { sign: { alg: this.algorithm } },
    });
    const dated = (_, token, { payload }) => {
      if (this.expiresIn !== undefined) payload.exp = Math.floor(Date.now() / 1_000) + this.expiresIn;
    };
    const lives = ['AccessToken', 'ClientCredentials', 'RefreshToken', 'IdToken', 'Grant', 'Session', 'Interaction'];
    return {
      adapter: this.#memory,
      clients: CLIENTS,
      clientBasedCORS: () => false,
      cookies: { keys: ['the secret of the cookies'] },
      features: {
        clientCredentials: { enabled: true },
        devInteractions: { enabled: false },
        introspection: { enabled: true, allowedPolicy: (_, client) => client.clientId === GATEWAY.id },
        registration: { enabled: true },
        resourceIndicators: { enabled: true, getResourceServerInfo: anyResource, useGrantedResource: () => true },
        revocation: { enabled: true, allowedPolicy: (_, client, token) => token.clientId === client.clientId },
      },
      findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
      formats: { customizers: { jwt: dated } },
      interactions: { url: (_, { uid }) => `/consent/${uid}` },
      issueRefreshToken: (_, client) => client.grantTypeAllowed('refresh_token'),
      renderError: (ctx, out) => (ctx.body = JSON.stringify(out)),
      // Clients may send the same refresh token twice at once.
      rotateRefreshToken: false,
      scopes: ['openid', 'offline_access', ...SCOPES],
      ttl: Object.fromEntries(lives.map((kind) => [kind, HOUR])),
    };
  }

  async #answer(request, response) {
    if (!request.url.startsWith('/consent/')) return this.provider.callback()(request, response);
    return this.#consent(request, response).catch((error) => response.destroy(error));
  }

  // Logs in every user as `account`, with full consent.
  async #consent(request, response) {
    const { params } = await this.provider.interactionDetails(request, response);
    const grant = new this.provider.Grant({ accountId: this.account, clientId: params.client_id });
    if (params.scope) grant.addOIDCScope(params.scope);
    for (const resource of [params.resource ?? []].flat()) grant.addResourceScope(resource, params.scope ?? '');
    const consent = { grantId: await grant.save() };
    await this.provider.interactionFinished(request, response, { login: { accountId: this.account }, consent });
  }

  // -- as clients speak to it

  async #ask(path, client, fields) {
    const body = new URLSearchParams(fields);
    const response = await fetch(this.url + path, { method: 'POST', headers: basic(client), body });
    const text = await response.text();
    assert.equal(response.status, 200, text);
    return text ? JSON.parse(text) : undefined;
  }

  // A token of the machine itself, for an audience that is a URI.
  async machineToken(resource, scope) {
    const grant = { grant_type: 'client_credentials', resource, ...(scope && { scope }) };
    return (await this.#ask('/token', MACHINE, grant)).access_token;
  }

  // A token for `account`, by the browser flow.
  async userToken(resource, scope = 'read') {
    const verifier = randomBytes(32).toString('base64url');
    const url = new URL('/auth', this.url);
    url.search = new URLSearchParams({
      client_id: DESK.id,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      redirect_uri: CALLBACK,
      resource,
      response_type: 'code',
      scope,
    });
    const code = (await browse(url)).get('code');
    const grant = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: CALLBACK, resource };
    return (await this.#ask('/token', DESK, grant)).access_token;
  }

  // Registers a new client.
  async register(metadata) {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${this.url}/reg`, { method: 'POST', headers, body: JSON.stringify(metadata) });
    assert.equal(response.status, 201);
    return response.json();
  }

  async revoke(token) {
    await this.#ask('/token/revocation', DESK, { token });
  }
}

// A browser that follows redirects up to the callback URL; resolves with the parameters of the callback.
export async function browse(from, callback = CALLBACK) {
  const cookies = new Map();
  let url = new URL(from);
  for (let step = 0; step < MOST_STEPS; ++step) {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
    const said = await response.text();
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]*)=([^;]*)/.exec(line);
      cookies.set(name, value);
    }
    const next = response.headers.get('location');
    assert.ok(next, `${url} leads on: ${response.status} ${said}`);
    url = new URL(next, url);
    if (url.href.startsWith(callback)) {
      assert.equal(url.searchParams.get('error'), null, url.href);
      return url.searchParams;
    }
  }
  throw new Error(`a browser is sent round in circles: ${url}`);
}

// An issuer that is not started yet, with a known URL.
export async function issuerFor(t) {
  const issuer = new Issuer(await freePort());
  t.after(() => issuer.stop());
  return issuer;
}

export const startIssuer = async (t) => (await issuerFor(t)).start();
