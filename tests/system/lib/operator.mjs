// The operators' API of a gateway.
import assert from 'node:assert/strict';
import { request, whole } from './http.mjs';

// The API with a token. The gateway generates the token unless one is given.
export const CLOSED_PORT = ['--admin-listen', '127.0.0.1:0'];
export const ANY_PORT = [...CLOSED_PORT, '--admin-open'];

export const logged = ({ log }, msg) =>
  log.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line)).filter((line) => line.msg === msg);

// The address is read from the gateway's log.
export function adminOf(gateway, headers = {}, agent = false) {
  const [{ url }] = logged(gateway, 'listening for operators');
  const base = agent ? 'http://localhost' : url;
  const begin = (path, options = {}) =>
    request(base + path, { agent, ...options, headers: { ...headers, ...options.headers } });
  const ask = (...asked) => whole(begin(...asked));
  const status = async (...asked) => (await ask(...asked)).status;
  // Resolves with the body of a successful answer.
  const api = async (path, method = 'GET', body = undefined) => {
    const answer = await ask(`/api/${path}`, { method, body: body && JSON.stringify(body) });
    assert.equal(answer.status, 200, `${method} ${path}: ${answer.body}`);
    assert.equal(answer.headers['content-type'], 'application/json');
    return JSON.parse(answer.body);
  };
  // Resolves with the status and the reason of a refusal.
  const refusal = async (path, method = 'GET', body = undefined) => {
    const answer = await ask(`/api/${path}`, { method, body: body && JSON.stringify(body) });
    return `${answer.status} ${JSON.parse(answer.body).error}`;
  };
  return { url, begin, ask, status, api, refusal };
}
