// The operators' console as the program serves it.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from './lib/concurrently.mjs';
import { POLICY } from './lib/console-mock.mjs';
import { bearer } from './lib/credentials.mjs';
import { exampleServer, gatewayFor } from './lib/gateway.mjs';
import { adminOf, CLOSED_PORT } from './lib/operator.mjs';
import { scratch } from './lib/scratch.mjs';

const FILES = fileURLToPath(new URL('../../deploy/console/', import.meta.url));
const TOKEN = '0123456789abcdef';
const LED = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

async function gatewayWithToken(t) {
  const path = join(scratch(), 'token');
  writeFileSync(path, `${TOKEN}\n`);
  return adminOf(await gatewayFor(t, exampleServer, ...CLOSED_PORT, '--admin-token-file', path)).ask;
}

test('each file is what it was when the program was built, and asks for no token', async (t) => {
  const ask = await gatewayWithToken(t);
  for (const name of readdirSync(FILES)) {
    const { status, headers, body } = await ask(name === 'index.html' ? '/' : `/console/${name}`);
    assert.equal(status, 200, name);
    assert.ok(body === readFileSync(FILES + name, 'utf8'), `${name} is another`);
    assert.match(headers['content-type'], /^text\/(html|css|javascript); charset=utf-8$/);
    assert.equal(headers['content-security-policy'], POLICY);
    assert.equal(headers['cache-control'], 'no-cache');
  }
  assert.equal((await ask('/api/state')).status, 401);
});

test('a browser keeps a file as long as it is the same', async (t) => {
  const ask = await gatewayWithToken(t);
  const { etag, 'content-length': length } = (await ask('/')).headers;
  const again = await ask('/', { headers: { 'if-none-match': etag } });
  assert.deepEqual([again.status, again.body, again.headers.etag], [304, '', etag]);
  assert.equal(again.headers['content-length'], undefined);
  const head = await ask('/', { method: 'HEAD' });
  assert.deepEqual([head.status, head.body, head.headers['content-length']], [200, '', length]);
});

test('a link of another site leads to the page, and to nothing else', async (t) => {
  const ask = await gatewayWithToken(t);
  assert.equal((await ask('/', { headers: LED })).status, 200);
  for (const path of ['/api/state', '/metrics', '/console'])
    assert.equal((await ask(path, { headers: { ...LED, ...bearer(TOKEN) } })).status, 403, path);
  assert.equal((await ask('/', { headers: { ...LED, 'sec-fetch-dest': 'iframe' } })).status, 403);
  assert.equal((await ask('/', { headers: { host: 'evil.example' } })).status, 403);
});
