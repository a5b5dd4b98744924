// Credentials that expire during use: streams are closed, and sessions remain for their owner's new credentials.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { suite, test } from './lib/concurrently.mjs';
import { at, lasting, startCluster } from './lib/cluster.mjs';
import { gatewayWith } from './lib/config.mjs';
import { assertBad, bearer } from './lib/credentials.mjs';
import { fixture } from './lib/gateway.mjs';
import { SLOWNESS } from './lib/processes.mjs';
import { initializeRequest, LATEST, openSession, toolCall } from './lib/session.mjs';
import { openEndpoint, SseSession } from './lib/sse.mjs';
import { DEBUG, debugState } from './lib/state.mjs';
import { seconds, startHandmade } from './lib/tokens.mjs';
import { until } from './lib/until.mjs';

// The clock skew: a token stays valid for this long after its expiry.
const LEEWAY = 60;
// A busy machine needs part of this time for the request before the expiry.
const SOON = 4 + 8 * SLOWNESS;
const LATE = 15_000 * SLOWNESS;

const [command, ...args] = fixture('hostile');
const SERVERS = { a: { command, args } };
const textOf = ({ result }) => result?.content[0].text;
const urisOn = (stream) => stream.messages.filter(({ params }) => params?.uri).map(({ params }) => params.uri);
const lastId = (stream) => stream.events.findLast(({ id }) => id !== undefined).id;

// A short-lived token, and its expiry in milliseconds.
async function shortLived(issuer, claims = {}) {
  const end = seconds() + SOON;
  return { credentials: bearer(await issuer.token({ exp: end - LEEWAY, ...claims })), end: end * 1_000 };
}

// A short-lived token of a caller whose session began with a longer one, because a busy machine may take long to begin
// one.
async function sessionOfShortLived(issuer, url, version = LATEST) {
  const begun = await openSession(url, version, {}, bearer(await issuer.token()));
  const { credentials, end } = await shortLived(issuer);
  return { begun, session: begun.as(credentials), end };
}

// Asserts that the stream ends soon after the expiry, and not before.
async function assertEndsAt(end, stream, isOver = () => stream.ended) {
  await until('it ends', isOver, end - Date.now() + LATE);
  assert.ok(Date.now() >= end - 20, `it ended ${end - Date.now()} ms too early`);
  assert.ok(stream.isWhole, 'it was not cut off');
}

// Asserts that every request is refused as expired.
async function assertOver(session) {
  await until('the token is over', async () => (await session.ping()).status === 401, LATE);
  for (const ask of ['ping', 'listen', 'delete']) assertBad(await session[ask](), ask);
}

suite('a token that expires', { concurrency: 8 }, () => {
  let issuer;
  let gateway;
  const t = lasting();
  before(async () => {
    issuer = await startHandmade(t, 'ES256');
    const auth = { issuer: issuer.url, audience: 'troupe' };
    gateway = await gatewayWith(t, { mcpServers: SERVERS, gateway: { auth } }, DEBUG);
  });
  after(() => t.end());

  test('takes the stream with it, and not the session', async () => {
    const { begun, session, end } = await sessionOfShortLived(issuer, gateway.url);
    const stream = await session.listen();
    const pid = textOf(await begun.call(1, 'pid'));
    assert.equal(stream.status, 200);
    await assertEndsAt(end, stream);
    await assertOver(session);
    const again = session.as(bearer(await issuer.token()));
    assert.equal(textOf(await again.call(2, 'pid')), pid, 'the same server');
    assert.equal((await again.delete()).status, 200);
  });

  test('loses nothing of what comes while its caller gets a fresh one', async () => {
    const { begun, session, end } = await sessionOfShortLived(issuer, gateway.url);
    const stream = await session.listen();
    await begun.call(1, 'flood_later', { kind: 'updated', count: (SOON + 1) * 10, every_ms: 100 });
    await assertEndsAt(end, stream);
    const again = session.as(bearer(await issuer.token()));
    const rest = await again.listen({ 'last-event-id': lastId(stream) });
    assert.equal(rest.status, 200);
    await until('all has come', () => urisOn(rest).includes(`test://resource/${(SOON + 1) * 10}`));
    const told = [...urisOn(stream), ...urisOn(rest)];
    assert.deepEqual(told, Array.from({ length: (SOON + 1) * 10 }, (_, n) => `test://resource/${n + 1}`));
    rest.destroy();
    assert.equal((await again.delete()).status, 200);
  });

  test('leaves alone the streams of others, and those of another token of its caller', async () => {
    const others = await openSession(gateway.url, undefined, {}, bearer(await issuer.token({ sub: 'bob' })));
    const begun = await openSession(gateway.url, undefined, {}, bearer(await issuer.token()));
    const [theirs, lasts] = [await others.listen(), await begun.listen()];
    const { credentials, end } = await shortLived(issuer);
    const ends = await begun.as(credentials).listen();
    await assertEndsAt(end, ends);
    assert.deepEqual([theirs.ended, lasts.ended], [false, false]);
    for (const one of [theirs, lasts]) one.destroy();
  });

  test('ends the stream of a call that can be resumed, and the answer is there with a fresh one', async () => {
    const { session, end } = await sessionOfShortLived(issuer, gateway.url);
    const count = (SOON + 2) * 10;
    const call = await session.post(toolCall(1, 'flood', { kind: 'progress', count, every_ms: 100 }, 'mine'));
    await assertEndsAt(end, call);
    const again = session.as(bearer(await issuer.token()));
    const rest = await again.listen({ 'last-event-id': lastId(call) });
    await until('the answer has come', () => rest.messages.some(({ id }) => id === 1));
    const notes = [call, rest].flatMap(({ messages }) => messages).filter(({ params }) => params);
    const steps = notes.map(({ params }) => params.progress);
    assert.deepEqual(steps, Array.from({ length: count }, (_, n) => n + 1));
  });

  test('lets a call of a client that cannot resume come to its end', async () => {
    const { session, end } = await sessionOfShortLived(issuer, gateway.url, '2025-03-26');
    const call = await session.post(toolCall(1, 'sleep', { ms: (SOON + 1) * 1_000 }));
    assert.equal(textOf((await call.all()).at(-1)), 'rested');
    assert.ok(Date.now() > end);
    await assertOver(session);
  });

  test('ends the stream of HTTP+SSE, and the session with it', async () => {
    const { credentials, end } = await shortLived(issuer, { sub: 'sse' });
    const session = await openEndpoint(gateway, credentials);
    const fresh = bearer(await issuer.token({ sub: 'sse' }));
    const { result } = await new SseSession(gateway, session.stream, session.endpoint, fresh).ask(initializeRequest());
    assert.ok(result);
    await assertEndsAt(end, session.stream);
    await until('the token is over', async () => (await session.ping()).status === 401, LATE);
    const isGone = async () => (await session.post({ jsonrpc: '2.0', id: 1, method: 'ping' }, fresh)).status === 404;
    await until('it is gone', isGone);
  });

  test('is not kept for longer by being used all the time', async () => {
    const { session, end } = await sessionOfShortLived(issuer, gateway.url);
    await until('it is refused', async () => (await session.ping()).status !== 200, end - Date.now() + LATE);
    assert.ok(Date.now() >= end - 20);
    assertBad(await session.ping());
  });

  test('is over to the second, also when it was looked at in the middle of one', async () => {
    const { session, end } = await sessionOfShortLived(issuer, gateway.url);
    await until('a second is half over', () => Date.now() % 1_000 > 500 && Date.now() % 1_000 < 700);
    assert.equal((await session.ping()).status, 200);
    await until('its time is over', () => Date.now() > end + 100);
    assertBad(await session.ping());
  });
});

test('a token that expires takes its stream with it also at another node than the session\'s', async (t) => {
  const issuer = await startHandmade(t, 'ES256');
  const auth = { issuer: issuer.url, audience: 'troupe' };
  const cluster = await startCluster(t, { nodes: 2, config: { mcpServers: SERVERS, gateway: { auth } } });
  const [one, two] = cluster.nodes;
  const { session, end } = await sessionOfShortLived(issuer, one.url);
  const there = at(two, session);
  const stream = await there.listen();
  assert.equal(stream.status, 200);
  await assertEndsAt(end, stream);
  for (const place of [session, there]) {
    await assertOver(place);
    assert.equal((await place.as(bearer(await issuer.token())).ping()).status, 200);
  }
  await until('nothing is relayed', async () => (await debugState(two)).cluster.relayed_elsewhere === 0);
});
