// The cost of authentication: calls without credentials, with a key, and with a known token.
import { execFileSync } from 'node:child_process';
import { createSign, generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { serving } from '../../system/lib/gateway.mjs';
import { options } from './options.mjs';
import { inTurn, ratios } from './pairs.mjs';
import { atLeast, atMost, row } from './report.mjs';
import { among, Troupe } from './sides.mjs';

const AUDIENCE = 'https://gateway.example.com';
const encoded = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');

// The parts of an authorization server that a gateway queries.
async function startIssuer() {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'k', alg: 'RS256', use: 'sig' };
  const server = createServer((request, response) => {
    const issuer = `http://127.0.0.1:${server.address().port}`;
    const isKeys = request.url === '/keys';
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify(isKeys ? { keys: [jwk] } : { issuer, jwks_uri: `${issuer}/keys` }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${server.address().port}`;
  const exp = Math.floor(Date.now() / 1000) + 3600;
  const signed = `${encoded({ alg: 'RS256', kid: 'k' })}.${encoded({ iss: url, sub: 'ann', aud: AUDIENCE, exp })}`;
  const token = `${signed}.${createSign('RSA-SHA256').update(signed).sign(privateKey, 'base64url')}`;
  return { url, token, stop: () => server.close() };
}

function makeKey(file) {
  const [program] = serving();
  const words = execFileSync(program, ['key', 'new', 'ann']).toString();
  writeFileSync(file, `${/^ann sha256:.*$/m.exec(words)[0]}\n`);
  return /^troupe_\S+$/m.exec(words)[0];
}

export async function credentials() {
  const issuer = await startIssuer();
  const place = await mkdtemp(`${tmpdir()}/troupe-bench-`);
  const keys = `${place}/keys`;
  const key = makeKey(keys);
  // Callers with credentials have limits everywhere. Local callers without credentials have none.
  const limits = { perAddress: { requestsPerSecond: 0, calls: 0 } };
  const auth = { keys, issuer: issuer.url, audience: AUDIENCE };
  try {
    await among([Troupe.start('shared'), Troupe.startWith({ auth, limits }, 'shared')], async (open, closed) => {
      const sessions = Math.min(16, options.many);
      const results = await inTurn(options.pairs, {
        none: () => open.load('calls', { sessions }),
        key: () => closed.load('calls', { sessions, bearer: key }),
        token: () => closed.load('calls', { sessions, bearer: issuer.token }),
      });
      const what = `calls, shared, ${sessions} sessions`;
      row(`${what}, nobody is asked who he is`, 'Troupe', results.none);
      for (const kind of ['key', 'token']) {
        row(`the same, with a ${kind}`, 'Troupe (ratio to no credentials)', results[kind], ratios(results[kind], results.none));
        const cpu = ratios(results[kind], results.none, 'cpuPerCall');
        atMost(`a call with a ${kind}, CPU against one without`, cpu, 1.05, 1.1);
        atLeast(`a call with a ${kind}, throughput against one without`, ratios(results[kind], results.none), 0.95, 0.9);
      }
    });
  } finally {
    issuer.stop();
    await rm(place, { recursive: true });
  }
}
