// A hostile client: disconnects at the worst moments and sends invalid bytes.
import assert from 'node:assert/strict';
import { rawConnection } from './http.mjs';
import { initializeRequest, openSession, postBytes, toolCall } from './session.mjs';
import { until } from './until.mjs';

export const ENDINGS = {
  reset: (socket) => socket.resetAndDestroy(),
  close: (socket) => socket.destroy(),
  'half-close': (socket) => socket.end(),
};

export const getBytes = (url, headers = {}) => {
  const { host, pathname, search } = new URL(url);
  const fields = { host, accept: 'text/event-stream', ...headers };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return `GET ${pathname}${search} HTTP/1.1\r\n${lines.join('')}\r\n`;
};

const has = (connection, text) => until(`"${text}" arrives`, () => connection.received.includes(text));
const cutAt = (bytes, part) => bytes.slice(0, Math.floor(bytes.length * part));
const headerOf = (bytes) => bytes.slice(0, bytes.indexOf('\r\n\r\n') + 4);

const callBytes = (session, ...call) => postBytes(session.url, toolCall(...call), session.headers);

// Reads a few bytes, then stops reading.
export function lazyConnection(port, bytes) {
  const connection = rawConnection(port, bytes);
  connection.socket.once('data', () => connection.socket.pause());
  return connection;
}

// Opens a stream and reads nothing after its first bytes. A client that reads more before it stops makes the kernel
// enlarge its receive buffer, up to 32 MB, and then the gateway has nothing left that waits.
export async function unreadStream(port, bytes) {
  const connection = lazyConnection(port, bytes);
  await until('the stream begins', () => connection.received.includes('text/event-stream'));
  return connection;
}

// The states in which a client can disconnect. Each function resolves with the connection to end. The server is the
// fixture `hostile`.
export const STATES = {
  'right after it connected': async (gateway) => {
    const connection = rawConnection(gateway.port);
    await until('it is connected', () => !connection.socket.connecting);
    return connection;
  },
  'in the middle of a header': async (gateway) =>
    rawConnection(gateway.port, cutAt(headerOf(postBytes(gateway.url, initializeRequest())), 0.5)),
  'after the header': async (gateway) =>
    rawConnection(gateway.port, headerOf(postBytes(gateway.url, initializeRequest()))),
  'in the middle of a body': async (gateway, session, chance) => {
    const bytes = callBytes(session, 1, 'echo', { message: 'x'.repeat(chance.between(100, 100_000)) });
    const head = headerOf(bytes).length;
    return rawConnection(gateway.port, bytes.slice(0, chance.between(head, bytes.length - 1)));
  },
  'in the middle of a chunked body': async (gateway, session) => {
    const whole = callBytes(session, 1, 'echo', { message: 'x' });
    const head = headerOf(whole).replace(/content-length: \d+/, 'transfer-encoding: chunked');
    return rawConnection(gateway.port, `${head}100\r\n{"jsonrpc"`);
  },
  'before initialize is answered': async (gateway) =>
    rawConnection(gateway.port, postBytes(gateway.url, initializeRequest())),
  'in the middle of two pipelined requests': async (gateway, session) => {
    const bytes = callBytes(session, 1, 'sleep', { ms: 50 }) + callBytes(session, 2, 'echo', { message: 'x' });
    return rawConnection(gateway.port, cutAt(bytes, 0.8));
  },
  'before its call is answered': async (gateway, session) => {
    const connection = rawConnection(gateway.port, callBytes(session, 1, 'sleep', { ms: 100 }));
    await until('the request is sent', () => connection.socket.writableLength === 0);
    return connection;
  },
  'in the middle of a large answer': async (gateway, session) => {
    const connection = lazyConnection(gateway.port, callBytes(session, 1, 'big', { bytes: 2_000_000 }));
    await has(connection, '200 OK');
    return connection;
  },
  'in the middle of the stream of a call': async (gateway, session) => {
    const flood = { kind: 'progress', count: 20, every_ms: 10 };
    const connection = rawConnection(gateway.port, callBytes(session, 1, 'flood', flood, 'mine'));
    await has(connection, 'notifications/progress');
    return connection;
  },
  'in the middle of a large event': async (gateway, session) => {
    const flood = { kind: 'progress', count: 2, bytes: 1_000_000 };
    const connection = lazyConnection(gateway.port, callBytes(session, 1, 'flood', flood, 'mine'));
    await has(connection, 'text/event-stream');
    return connection;
  },
  'while it is asked': async (gateway, session) => {
    const connection = rawConnection(gateway.port, callBytes(session, 1, 'ask', { method: 'elicitation/create' }));
    await has(connection, 'elicitation/create');
    return connection;
  },
  'while it listens': async (gateway, session) => {
    const connection = rawConnection(gateway.port, getBytes(session.url, session.headers));
    await has(connection, 'text/event-stream');
    return connection;
  },
  'before its GET is answered': async (gateway, session) =>
    rawConnection(gateway.port, getBytes(session.url, session.headers)),
  'before it hears where to POST over SSE': async (gateway) =>
    rawConnection(gateway.port, getBytes(gateway.at('/sse'))),
  'once it heard where to POST over SSE': async (gateway) => {
    const connection = rawConnection(gateway.port, getBytes(gateway.at('/sse')));
    await has(connection, 'event: endpoint');
    return connection;
  },
  'before initialize is answered over SSE': async (gateway) => {
    const connection = rawConnection(gateway.port, getBytes(gateway.at('/sse')));
    await has(connection, 'event: endpoint');
    const [, path] = /data: ?(\S+)/.exec(connection.received);
    const posting = rawConnection(gateway.port, postBytes(gateway.at(path), initializeRequest()));
    await has(posting, '202');
    posting.socket.destroy();
    return connection;
  },
};

const NEED_CAPABILITIES = { elicitation: {} };

// Enters the state and disconnects. The session of the state expires or is deleted.
export async function leave(gateway, state, ending, chance, { abandon = false } = {}) {
  const session = STATES[state].length > 1 ? await openSession(gateway.url, undefined, NEED_CAPABILITIES) : undefined;
  const connection = await STATES[state](gateway, session, chance);
  ENDINGS[ending](connection.socket);
  if (session && !abandon) await (await session.delete()).done;
  if (ending !== 'half-close') return;
  connection.socket.resume();
  await until('the gateway hangs up too', () => connection.closed);
}

// Writes a byte at intervals until the peer disconnects; resolves with the connection.
export async function dribble(port, bytes, first, every = 100) {
  const connection = rawConnection(port, bytes.slice(0, first));
  let next = first;
  const drops = setInterval(() => {
    if (next < bytes.length && connection.socket.writable) connection.socket.write(bytes[next++]);
  }, every);
  connection.socket.on('close', () => clearInterval(drops));
  return connection;
}

// Asserts that another client is served promptly. On a busy machine a session may take some seconds to begin.
export async function assertServes(gateway, within = 20_000) {
  const began = Date.now();
  const session = await openSession(gateway.url);
  assert.equal((await session.ping()).status, 200);
  assert.equal((await session.delete()).status, 200);
  assert.ok(Date.now() - began < within, `it took ${Date.now() - began} ms`);
}

// Invalid or oversized HTTP, with the first line of the expected answer. Without one, no answer is expected.
export function malformed(url, chance) {
  const { host } = new URL(url);
  const head = `POST /mcp HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\naccept: */*\r\n`;
  return {
    'bytes without any sense': [chance.bytes(500).toString('latin1') + '\r\n\r\n', /^$|HTTP\/1\.1 4/],
    'a TLS greeting': ['\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n', /^$|HTTP\/1\.1 4/],
    'the preface of HTTP/2': ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', /^$|HTTP\/1\.\d [45]/],
    'a header without an end': [`${head}x-long: ${'x'.repeat(200_000)}`, /^$|HTTP\/1\.1 (400|431)/],
    'ten thousand headers': [`${head}${'x: y\r\n'.repeat(20_000)}\r\n`, /^$|HTTP\/1\.1 (400|431)/],
    'two lengths': [`${head}content-length: 5\r\ncontent-length: 6\r\n\r\nhello`, /HTTP\/1\.1 400/],
    'a length and chunks': [
      `${head}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
      /HTTP\/1\.1 400/,
    ],
    'a negative length': [`${head}content-length: -1\r\n\r\n`, /HTTP\/1\.1 400/],
    'an immense length': [`${head}content-length: 99999999999999\r\n\r\n`, /HTTP\/1\.1 (400|413)/],
    'a length beyond all numbers': [`${head}content-length: 99999999999999999999999\r\n\r\n`, /HTTP\/1\.1 (400|413)/],
    'a chunk without a number': [`${head}transfer-encoding: chunked\r\n\r\nzz\r\n`, /HTTP\/1\.1 400/],
    'an immense chunk': [`${head}transfer-encoding: chunked\r\n\r\nffffffffffffffff\r\n`, /HTTP\/1\.1 (400|413)/],
    'a folded header': [`${head}x: y\r\n z\r\ncontent-length: 2\r\n\r\n{}`, /HTTP\/1\.1 400/],
    'a method nobody knows': [`BREW /mcp HTTP/1.1\r\nhost: ${host}\r\n\r\n`, /HTTP\/1\.1 (400|405|501)/],
    'no host': ['GET /mcp HTTP/1.1\r\n\r\n', /HTTP\/1\.1 (400|403)/],
    'a path with control characters': [`GET /m\x01cp HTTP/1.1\r\nhost: ${host}\r\n\r\n`, /HTTP\/1\.1 40[04]/],
  };
}
