// Handmade tokens, and an issuer that only serves its keys.
import { constants, createHmac, KeyObject, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { CompactSign, exportJWK, exportSPKI, generateKeyPair } from 'jose';

const LIFE = 300;

// The current time in the unit of tokens.
export const seconds = () => Math.floor(Date.now() / 1_000);
export const encoded = (what) =>
  Buffer.from(typeof what === 'string' || Buffer.isBuffer(what) ? what : JSON.stringify(what)).toString('base64url');

export async function newSigner(alg, kid) {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { alg, kid, privateKey, publicKey, jwk: { ...(await exportJWK(publicKey)), kid } };
}

export const pemOf = ({ publicKey }) => exportSPKI(publicKey);

// Signs by RFC 7515. The payload is any text.
export const signed = ({ alg, kid, privateKey }, payload, header = {}) =>
  new CompactSign(Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload)))
    .setProtectedHeader({ alg, typ: 'at+jwt', kid, ...header })
    .sign(privateKey);

function signature(alg, { privateKey }, text) {
  const hash = `sha${alg.slice(2)}`;
  const key = KeyObject.from(privateKey);
  if (alg.startsWith('ES')) return sign(hash, text, { key, dsaEncoding: 'ieee-p1363' });
  if (alg.startsWith('RS')) return sign(hash, text, key);
  const { RSA_PKCS1_PSS_PADDING: padding, RSA_PSS_SALTLEN_DIGEST: saltLength } = constants;
  return sign(hash, text, { key, padding, saltLength });
}

// Signs with any header, which no library would accept.
export function forcedly(signer, header, payload) {
  const text = `${encoded(header)}.${encoded(payload)}`;
  return `${text}.${encoded(signature(signer.alg, signer, Buffer.from(text)))}`;
}

// Signs with a shared secret.
export function withSecret(secret, header, payload) {
  const text = `${encoded({ alg: 'HS256', typ: 'at+jwt', ...header })}.${encoded(payload)}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}

export class HandmadeIssuer {
  // The paths that were requested.
  asked = [];
  #signers = new Map();

  async start(port = 0) {
    this.server = createServer((request, response) => this.#answer(request, response));
    this.server.listen(port, '127.0.0.1');
    await once(this.server, 'listening');
    this.url ??= `http://127.0.0.1:${this.server.address().port}`;
    return this;
  }

  async stop() {
    if (!this.server?.listening) return;
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  // `told` are the members of the key's JWK besides the key itself.
  async add(alg, kid = alg, told = {}) {
    const signer = await newSigner(alg, kid);
    Object.assign(signer.jwk, told);
    this.#signers.set(kid, signer);
    return signer;
  }

  signer(kid) {
    return this.#signers.get(kid);
  }

  #answer({ url }, response) {
    this.asked.push(url);
    const documents = {
      '/.well-known/oauth-authorization-server': { issuer: this.url, jwks_uri: `${this.url}/jwks` },
      '/jwks': { keys: [...this.#signers.values()].map(({ jwk }) => jwk) },
    };
    if (!documents[url]) return response.writeHead(404).end();
    return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(documents[url]));
  }

  // The claims of a test user with these changes; `undefined` removes a claim.
  claims(change = {}) {
    const now = seconds();
    const usual = { iss: this.url, sub: 'ada', client_id: 'desk', aud: 'troupe', iat: now, exp: now + LIFE };
    return { ...usual, ...change };
  }

  // A valid token, unless the changes make it invalid.
  token(change = {}, kid = this.#signers.keys().next().value, header = {}) {
    return signed(this.signer(kid), this.claims(change), header);
  }
}

// The issuer lives as long as the test or suite.
export async function startHandmade(t, ...algorithms) {
  const issuer = await new HandmadeIssuer().start();
  t.after(() => issuer.stop());
  for (const alg of algorithms) await issuer.add(alg);
  return issuer;
}
