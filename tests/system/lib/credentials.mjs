// Credentials of clients, and the challenges for missing or invalid ones.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROGRAM } from './gateway.mjs';
import { scratch } from './scratch.mjs';
import { initializeRequest, post } from './session.mjs';

export const bearer = (secret) => ({ authorization: `Bearer ${secret}` });
export const apiKey = (secret) => ({ 'x-api-key': secret });

// A generated access key, and its line for the key file.
export function newKey(name, ...flags) {
  const printed = execFileSync(PROGRAM, ['key', 'new', name, ...flags], { encoding: 'utf8', stdio: 'pipe' });
  const [secret, line] = printed.split('\n');
  return { name, secret, line };
}

// A key file that a running gateway may read.
export class KeyFile {
  constructor(...keys) {
    this.path = join(scratch(), 'keys');
    this.put(...keys);
  }

  put(...keys) {
    this.write(keys.map(({ line }) => `${line}\n`).join(''));
  }

  // Replaces the file atomically.
  write(text) {
    writeFileSync(`${this.path}.next`, text);
    renameSync(`${this.path}.next`, this.path);
  }
}

// Sends `initialize`, and resolves with the complete answer.
export async function tryInitialize(url, headers = {}) {
  const reply = await post(url, initializeRequest(), headers);
  await reply.done;
  return reply;
}

export async function assertComesIn(url, headers, what = 'who has these') {
  const reply = await tryInitialize(url, headers);
  assert.equal(reply.status, 200, `${what}: ${reply.status} ${reply.received}`);
}

// The scheme and the parameters of WWW-Authenticate (RFC 9110, 11.6.1).
export function challengeOf(reply) {
  const text = reply.headers['www-authenticate'] ?? '';
  const [, scheme, rest] = /^([^ ]*) ?(.*)$/s.exec(text);
  const parameters = [...rest.matchAll(/(?:^|, )([a-z_]+)="((?:[^"\\]|\\.)*)"/g)];
  const said = Object.fromEntries(parameters.map(([, name, value]) => [name, value.replaceAll(/\\(.)/g, '$1')]));
  assert.equal(Object.keys(said).length, parameters.length, `nothing is said twice: ${text}`);
  return { scheme, ...said };
}

export function assertRefused(reply, status, error, what = 'whoever asked') {
  const told = `${what}: ${reply.status} ${reply.headers['www-authenticate']} ${reply.received}`;
  assert.equal(reply.status, status, told);
  const challenge = challengeOf(reply);
  assert.equal(challenge.scheme, 'Bearer', told);
  assert.equal(challenge.error, error, told);
  return challenge;
}

export const assertUnknown = (reply, what) => assertRefused(reply, 401, undefined, what);
export const assertBad = (reply, what) => assertRefused(reply, 401, 'invalid_token', what);
