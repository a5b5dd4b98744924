// Certificates for clients and for the gateway, made by the openssl program. And requests through any agent: with a
// certificate, or over a unix socket.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { join } from 'node:path';
import { request } from './http.mjs';
import { scratch } from './scratch.mjs';
import { initializeRequest, LATEST, POST_HEADERS, toolCall } from './session.mjs';

const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
const openssl = (...args) => execFileSync('openssl', args, { stdio: 'pipe' });

export class Authority {
  constructor(name) {
    this.folder = scratch();
    this.file = join(this.folder, 'ca.pem');
    this.key = join(this.folder, 'ca.key');
    openssl('req', '-x509', ...KEY, '-keyout', this.key, '-out', this.file, '-days', '2', '-subj', `/CN=${name}`);
    this.pem = readFileSync(this.file);
  }

  // Issues a certificate with an alternative name, such as `DNS:localhost`. It replaces an earlier one of that name.
  issue(name, alternative = undefined, days = 2) {
    const [certificate, key] = ['pem', 'key'].map((kind) => join(this.folder, `${name}.${kind}`));
    const what = ['-addext', 'basicConstraints=critical,CA:FALSE', '-subj', `/CN=${name}`, '-days', String(days)];
    if (alternative) what.push('-addext', `subjectAltName=${alternative}`);
    const made = ['-keyout', `${key}.next`, '-out', `${certificate}.next`];
    openssl('req', '-x509', '-CA', this.file, '-CAkey', this.key, ...KEY, ...made, ...what);
    for (const file of [key, certificate]) renameSync(`${file}.next`, file);
    return { certificate, key };
  }

  // Writes the revocation list, with one more certificate if given. It is valid for that many seconds.
  revoke(one = undefined, seconds = 86_400) {
    const [config, index, list] = ['ca.cnf', 'index.txt', 'crl.pem'].map((name) => join(this.folder, name));
    const entry = `[a]\ndatabase=${index}\ndefault_md=sha256\ndefault_crl_days=1\n`;
    if (!one) writeFileSync(index, '');
    writeFileSync(config, `[ca]\ndefault_ca=a\n${entry}`);
    const by = ['ca', '-config', config, '-keyfile', this.key, '-cert', this.file];
    if (one) openssl(...by, '-revoke', one.certificate);
    openssl(...by, '-gencrl', '-crlsec', String(seconds), '-out', `${list}.next`);
    renameSync(`${list}.next`, list);
    return list;
  }
}

// An agent with or without a client certificate. It uses one connection if it keeps connections.
export const agentWith = (authority, { certificate, key } = {}, keepAlive = false) =>
  new https.Agent({
    ca: authority.pem,
    ...(certificate && { cert: readFileSync(certificate), key: readFileSync(key) }),
    keepAlive,
    maxSockets: keepAlive ? 1 : Infinity,
  });

export const agentOf = (socketPath) => new http.Agent({ socketPath });

// A client that uses an agent and these header fields.
export class Caller {
  constructor(url, agent, headers = {}) {
    Object.assign(this, { url, agent, headers });
  }

  async request(method, headers = {}, body = undefined, url = this.url) {
    return request(url, { method, headers: { ...this.headers, ...headers }, body, agent: this.agent });
  }

  async post(message, headers = {}) {
    const reply = await this.request('POST', { ...POST_HEADERS, ...headers }, JSON.stringify(message));
    if (!reply.isStream) await reply.done;
    return reply;
  }

  tryInitialize(headers = {}) {
    return this.post(initializeRequest(), headers);
  }

  async get(path, headers = {}) {
    const reply = await this.request('GET', headers, undefined, new URL(path, this.url).href);
    await reply.done;
    return reply;
  }

  // Begins a session, and resolves with its id.
  async begin() {
    const reply = await this.tryInitialize();
    assert.equal(reply.status, 200, reply.received);
    const { 'mcp-session-id': id } = reply.headers;
    const { status } = await this.post({ jsonrpc: '2.0', method: 'notifications/initialized' }, within(id));
    assert.equal(status, 202);
    return id;
  }

  ping(id) {
    return this.post({ jsonrpc: '2.0', id: 'ping', method: 'ping' }, within(id));
  }

  async call(id, name, args) {
    const reply = await this.post(toolCall(1, name, args), within(id));
    const { result, error } = (await reply.all()).at(-1) ?? {};
    return { status: reply.status, text: result?.content[0].text, error, headers: reply.headers };
  }

  listen(id) {
    return this.request('GET', { accept: 'text/event-stream', ...within(id) });
  }

  async end(id) {
    const reply = await this.request('DELETE', within(id));
    await reply.done;
    return reply;
  }
}

const within = (id) => ({ 'mcp-session-id': id, 'mcp-protocol-version': LATEST });
