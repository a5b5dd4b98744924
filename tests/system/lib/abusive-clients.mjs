// Abusive unauthenticated clients that use up all resources of a gateway continuously. They run in a worker thread, so
// that the measured clients do not wait for them. The gateway serves the fixture `hostile` at `/servers/mine/mcp`, for
// each session, and at `/servers/ours/mcp`, shared, and trusts this machine as a proxy.
import { setTimeout as pause } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { dribble, ENDINGS, getBytes, lazyConnection, leave, malformed, STATES } from './hostile-client.mjs';
import { rawConnection, request } from './http.mjs';
import { random } from './random.mjs';
import { initializeRequest, LATEST, post, POST_HEADERS, postBytes, Session, toolCall } from './session.mjs';

const { port, tooLong } = workerData;
const chance = random();
const url = `http://127.0.0.1:${port}/servers/mine/mcp`;
const shared = `http://127.0.0.1:${port}/servers/ours/mcp`;
const at = (path) => new URL(path, url).href;
const gateway = { url, port, at };

// The source address, as a proxy reports it. Most abusers share one address.
const from = (address) => ({ 'x-forwarded-for': address });
const FLOODER = from('203.0.113.1');
const anybody = () => from(`203.0.113.${chance.between(2, 250)}`);
const over = async (asking) => (await asking).done;

async function sessionOf(place, headers) {
  const reply = await post(place, initializeRequest(), headers);
  await reply.done;
  return reply.status === 200 ? new Session(place, reply.headers['mcp-session-id'], LATEST) : undefined;
}

const held = [];
// Keeps at most this many connections open, and closes the oldest.
function hold(connection, most) {
  held.push(connection);
  if (held.length > most) held.shift().socket.destroy();
}

const HABITS = {
  'connects and says nothing': () => hold(rawConnection(port), 400),
  'says one byte now and then': async () => hold(await dribble(port, getBytes(url), 1), 400),
  'asks for much and reads nothing': async () => {
    const headers = anybody();
    const session = await sessionOf(url, headers);
    if (!session) return;
    const call = toolCall(1, 'big', { bytes: tooLong * 0.8 });
    hold(lazyConnection(port, postBytes(url, call, { ...session.headers, ...headers })), 400);
  },
  'begins sessions and forgets them': () => sessionOf(url, FLOODER),
  'introduces itself at length': () => {
    const hello = initializeRequest();
    hello.params.clientInfo.title = 'x'.repeat(500_000);
    return over(post(url, hello, anybody()));
  },
  'does not introduce itself': () => over(post(url, { jsonrpc: '2.0', id: 1, method: 'initialize' }, FLOODER)),
  'asks without a session': () => over(post(url, toolCall(1, 'echo'), { ...FLOODER, 'mcp-session-id': 'none' })),
  'is the page of another site': () =>
    over(request(at('/servers/mine/sse'), { headers: { ...FLOODER, 'sec-fetch-site': 'cross-site' } })),
  'speaks no HTTP': async () => {
    const [bytes] = chance.pick(Object.values(malformed(url, chance)));
    hold(rawConnection(port, bytes), 400);
  },
  'lets a request be smuggled': () => {
    const head = `POST /mcp HTTP/1.0\r\nhost: 127.0.0.1:${port}\r\ntransfer-encoding: gzip, chunked\r\n\r\n`;
    hold(rawConnection(port, head), 400);
  },
  'leaves in the worst moment': () => {
    const state = chance.pick(Object.keys(STATES));
    return leave(gateway, state, chance.pick(['reset', 'close']), chance);
  },
  'listens and is gone': async () => {
    const headers = anybody();
    const session = await sessionOf(url, headers);
    if (!session) return;
    const stream = await session.listen(headers);
    stream.destroy();
    await over(session.delete());
  },
  'makes a shared server say too much': async () => {
    const headers = anybody();
    const session = await sessionOf(shared, headers);
    if (!session) return;
    await over(session.post(toolCall(1, 'big', { bytes: tooLong }), headers));
    await over(session.delete());
  },
  'asks a shared server, and cancels': async () => {
    const headers = anybody();
    const session = await sessionOf(shared, headers);
    if (!session) return;
    const asking = session.post(toolCall(1, 'sleep', { ms: 1000 }), headers);
    await over(session.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }, headers));
    (await asking).destroy();
    await over(session.delete());
  },
};

// Operations that cost a server more than all work of the gateway.
const COSTLY = new Set([
  'asks for much and reads nothing',
  'begins sessions and forgets them',
  'leaves in the worst moment',
  'listens and is gone',
  'makes a shared server say too much',
]);
const done = Object.fromEntries(Object.keys(HABITS).map((habit) => [habit, 0]));
let stopped = false;

// Failures of an abuser do not matter to the test.
async function live(habit) {
  while (!stopped) {
    await Promise.race([Promise.resolve().then(HABITS[habit]).catch(() => {}), pause(5_000)]);
    done[habit] += 1;
    await pause(COSTLY.has(habit) ? 1_000 : 50);
  }
}

const lives = Object.keys(HABITS).map(live);
parentPort.once('message', async () => {
  stopped = true;
  held.forEach((connection) => connection.socket.destroy());
  // Every kind of abuse counts, so each must have run once. On a busy machine that may still be pending.
  await Promise.all(lives);
  parentPort.postMessage(done);
  setTimeout(() => process.exit(0), 100);
});
