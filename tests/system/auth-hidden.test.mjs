// A server that a caller may not use is visible neither at its own path nor on the merged endpoint.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { suite, test } from './lib/concurrently.mjs';
import { connect } from './lib/client.mjs';
import { lasting } from './lib/cluster.mjs';
import { gatewayWith, reload } from './lib/config.mjs';
import { bearer, KeyFile, newKey } from './lib/credentials.mjs';
import { fixture } from './lib/gateway.mjs';
import { request, whole } from './lib/http.mjs';
import { Caller } from './lib/modern.mjs';
import { forged, rpc, textOf } from './lib/ownership.mjs';
import { scratch } from './lib/scratch.mjs';
import { initializeRequest, openSession, post, POST_HEADERS, Session, toolCall } from './lib/session.mjs';
import { openSseSession } from './lib/sse.mjs';
import { DEBUG, debugState } from './lib/state.mjs';
import { encoded, startHandmade } from './lib/tokens.mjs';
import { until } from './lib/until.mjs';

const keys = ['ada', 'bob'].map((name) => newKey(name));
const [ada, bob] = keys.map(({ secret }) => bearer(secret));
const authOf = () => ({ keys: new KeyFile(...keys).path });
const entry = ([command, ...args], more = {}) => ({ command, args, ...more });
const paged = (label, more = {}, options = {}) =>
  entry(fixture('merged', JSON.stringify({ label, items: 5, page: 2, ...options })), more);
const ONLY_ADA = { access: { names: ['ada'] } };
// The most exposed configuration: all callers share the process.
const OURS = { sharing: 'shared' };
const SERVERS = {
  open: paged('open', OURS),
  secret: entry(fixture('stdio'), { ...OURS, ...ONLY_ADA }),
  pages: paged('pages', { ...OURS, ...ONLY_ADA }, { instructions: 'There is a secret.' }),
  plain: entry(fixture('reload-server', 'extra'), OURS),
};
const HIDDEN = ['secret', 'pages'];

const asked = async (session, method, params = {}, id = 1) =>
  (await (await session.post(rpc(method, params, id))).all()).at(-1);
const LISTS = {
  'tools/list': ['tools', 'name'],
  'prompts/list': ['prompts', 'name'],
  'resources/list': ['resources', 'uri'],
  'resources/templates/list': ['resourceTemplates', 'uriTemplate'],
};
// All pages of a list.
async function listed(session, method) {
  const [items, key] = LISTS[method];
  const all = [];
  for (let cursor; ; ) {
    const { result } = await asked(session, method, { cursor });
    all.push(...result[items].map((one) => one[key]));
    if (!(cursor = result.nextCursor)) return all;
  }
}
const changesOn = (stream) => stream.messages.filter(({ method }) => method?.endsWith('list_changed'));

// Resolves when the client has received this message, and so everything before it.
async function fence(session, stream, word) {
  const isIt = ({ params }) => params?.data === 'announced';
  // Counted before the call, because effects of the call may arrive with its answer.
  const before = stream.messages.filter(isIt).length;
  await session.call(word, 'plain__announce');
  await until(`${word} comes`, () => stream.messages.filter(isIt).length > before);
}

suite('a server that is hidden from a caller', { concurrency: 4 }, () => {
  let gateway;
  const t = lasting();
  before(async () => {
    gateway = await gatewayWith(t, { mcpServers: SERVERS, gateway: { auth: authOf(), listPatience: '60s' } }, DEBUG);
    // The capabilities of all servers become known to the gateway by this session.
    const { client } = await connect(t, gateway.url, {}, () => {}, ada);
    await client.listTools();
  });
  after(() => t.end());

  const open = (who, path = '/mcp', version = undefined) => openSession(gateway.at(path), version, {}, who);

  test('is in no list of his, page by page, and is in all of those who may use it', async () => {
    const [hers, his] = [await open(ada), await open(bob)];
    for (const method of Object.keys(LISTS)) {
      const [all, some] = await Promise.all([listed(hers, method), listed(his, method)]);
      const starts = HIDDEN.flatMap((name) => [`${name}__`, `troupe://${name}/`]);
      const isHidden = (one) => starts.some((start) => one.startsWith(start));
      for (const name of HIDDEN) assert.ok(all.some((one) => one.includes(name)), `${method}: ${all}`);
      assert.deepEqual(some, all.filter((one) => !isHidden(one)), method);
    }
  });

  test('is not told of when he begins: neither what it can, nor what it is good for', async (t) => {
    const [hers, his] = await Promise.all([ada, bob].map((who) => connect(t, gateway.url, {}, () => {}, who)));
    assert.match(hers.client.getInstructions(), /There is a secret/);
    assert.doesNotMatch(his.client.getInstructions() ?? '', /secret|pages/);
    assert.ok(hers.client.getServerCapabilities().completions);
    // No other server has completions.
    assert.equal(his.client.getServerCapabilities().completions, undefined);
  });

  test('answers as one that is not there, whatever of it is named', async () => {
    const session = await open(bob);
    const requests = (name) => [
      ['tools/call', { name: `${name}__test_simple_text`, arguments: {} }],
      ['tools/call', { name: `${name}__tool-1`, arguments: {} }],
      ['tools/call', { name: `${name}__`, arguments: {} }],
      ['prompts/get', { name: `${name}__test_simple_prompt` }],
      ['resources/read', { uri: `troupe://${name}/test://static-text` }],
      ['resources/read', { uri: `ui://${name}/x` }],
      ['resources/subscribe', { uri: `troupe://${name}/test://watched-resource` }],
      ['resources/unsubscribe', { uri: `troupe://${name}/test://watched-resource` }],
      ['completion/complete', {
        ref: { type: 'ref/prompt', name: `${name}__test_prompt_with_arguments` },
        argument: { name: 'arg1', value: 'p' },
      }],
      ['completion/complete', {
        ref: { type: 'ref/resource', uri: `troupe://${name}/test://template/{id}/data` },
        argument: { name: 'id', value: '1' },
      }],
    ];
    const told = async (name) => {
      const answers = [];
      for (const [method, params] of requests(name))
        answers.push(JSON.stringify(await asked(session, method, params)).replaceAll(name, '…'));
      return answers;
    };
    const nobody = await told('nobody');
    for (const answer of nobody) assert.ok(JSON.parse(answer).error, answer);
    for (const name of HIDDEN) assert.deepEqual(await told(name), nobody);
  });

  test('gives each caller cursors of its own, where its process is everybody\'s too', async () => {
    const path = '/servers/open/mcp';
    const modern = (who) => new Caller(gateway.at(path), { headers: who });
    const [hers, his, again] = [await open(ada, path), await open(bob, path), await open(ada, path, '2025-03-26')];
    for (const method of Object.keys(LISTS)) {
      assert.equal((await listed(hers, method)).length, 5, method);
      const { nextCursor: cursor } = (await asked(hers, method)).result;
      assert.equal((await asked(again, method, { cursor })).result[LISTS[method][0]].length, 2, method);
      assert.equal((await modern(ada).ask(method, { cursor })).result[LISTS[method][0]].length, 2, method);
      for (const bad of [cursor, forged(cursor), '"2" of é,/']) {
        assert.equal((await asked(his, method, { cursor: bad })).error.message, 'Invalid cursor', method);
        assert.equal((await modern(bob).ask(method, { cursor: bad })).error.message, 'Invalid cursor', method);
      }
    }
  });

  test('is not used for him', async (t) => {
    const own = { ...paged('own', ONLY_ADA) };
    const servers = { own, other: paged('other') };
    const gateway = await gatewayWith(t, { mcpServers: servers, gateway: { auth: authOf() } }, DEBUG);
    const session = await openSession(gateway.url, undefined, {}, bob);
    for (const method of Object.keys(LISTS)) await listed(session, method);
    await asked(session, 'logging/setLevel', { level: 'debug' });
    await session.call(1, 'own__tool-1');
    const { upstreams } = await debugState(gateway);
    assert.deepEqual([...new Set(upstreams.map(({ server }) => server))], ['other']);
  });

  // Requests to the paths of a server.
  const text = 'text/event-stream';
  const asks = { origin: 'http://localhost', 'access-control-request-method': 'POST' };
  const REQUESTS = {
    'the beginning of a session': (at, who) => post(at('mcp'), initializeRequest(), who),
    'the beginning of one of 2025-03-26': (at, who) => post(at('mcp'), initializeRequest('2025-03-26'), who),
    'a beginning that is malformed': (at, who) => post(at('mcp'), { jsonrpc: '2.0', id: 1, method: 'initialize' }, who),
    'nonsense': (at, who) => post(at('mcp'), '{', who),
    'nothing': (at, who) => post(at('mcp'), '', who),
    'a request without a session': (at, who) => post(at('mcp'), rpc('ping'), who),
    'a request of no session': (at, who) => new Session(at('mcp'), 'f'.repeat(32), '2025-11-25', who).ping(),
    'a stream without a session': (at, who) => request(at('mcp'), { headers: { accept: text, ...who } }),
    'a stream of no session': (at, who) => new Session(at('mcp'), 'f'.repeat(32), '2025-11-25', who).listen(),
    'an end without a session': (at, who) => request(at('mcp'), { method: 'DELETE', headers: who }),
    'the end of no session': (at, who) => new Session(at('mcp'), 'f'.repeat(32), '2025-11-25', who).delete(),
    'another method': (at, who) => request(at('mcp'), { method: 'PUT', headers: who }),
    'a head': (at, who) => request(at('mcp'), { method: 'HEAD', headers: who }),
    'no type': (at, who) => request(at('mcp'), { method: 'POST', headers: { accept: POST_HEADERS.accept, ...who } }),
    'no accept': (at, who) => post(at('mcp'), initializeRequest(), { ...who, accept: 'image/png' }),
    'a version that is none': (at, who) =>
      post(at('mcp'), rpc('ping'), { ...who, 'mcp-protocol-version': '1999-01-01' }),
    'a page of this machine': (at, who) =>
      request(at('mcp'), { method: 'OPTIONS', headers: { ...asks, ...who } }),
    'a stream of HTTP+SSE': (at, who) => request(at('sse'), { headers: { accept: text, ...who } }),
    'a POST to HTTP+SSE': (at, who) => post(at('sse'), initializeRequest(), who),
    'messages of no session': (at, who) => post(at(`messages?sessionId=${'f'.repeat(32)}`), rpc('ping'), who),
    'messages without a session': (at, who) => post(at('messages'), rpc('ping'), who),
    'its document': (at, who) =>
      request(at('mcp').replace('/servers/', '/.well-known/oauth-protected-resource/servers/'), { headers: who }),
  };
  for (const [what, send] of Object.entries(REQUESTS))
    test(`has paths that are as those of no server: ${what}`, async () => {
      const told = async (name) => {
        const answer = await whole(send((rest) => gateway.at(`/servers/${name}/${rest}`), bob));
        return JSON.parse(JSON.stringify(answer).replaceAll(name, '…'));
      };
      assert.deepEqual(await told('secret'), await told('nobody'));
    });

  test('has no path at which a session of another is told from one that never was', async () => {
    const hers = await open(ada, '/servers/secret/mcp');
    for (const ask of ['ping', 'listen', 'delete']) {
      const at = (name, id) => new Session(gateway.at(`/servers/${name}/mcp`), id, hers.version, bob)[ask]();
      assert.deepEqual(await whole(at('secret', hers.id)), await whole(at('secret', forged(hers.id))), ask);
    }
    assert.equal((await hers.ping()).status, 200);
  });

  test('says nothing to him when its lists change, or when it logs', async () => {
    const [hers, his] = [await open(ada), await open(bob)];
    const [herStream, hisStream] = [await hers.listen(), await his.listen()];
    await hers.call(1, 'secret__add_tool', { name: `added-${Date.now()}` });
    await until('she is told', () => changesOn(herStream).length > 0);
    await hers.call(2, 'secret__announce');
    await until('she is told again', () => changesOn(herStream).length > 1);
    await hers.call(3, 'secret__test_tool_with_logging');
    await fence(his, hisStream, 'a word for him');
    assert.deepEqual(changesOn(hisStream), []);
    assert.ok(!/Tool execution/.test(hisStream.received), hisStream.received);
    for (const stream of [herStream, hisStream]) stream.destroy();
  });

  test('is not reached by a cursor that leads there', async () => {
    const [hers, his] = [await open(ada), await open(bob)];
    const { nextCursor } = (await asked(hers, 'tools/list')).result;
    assert.ok(JSON.stringify(await asked(hers, 'tools/list', { cursor: nextCursor })).includes('pages__'));
    // Cursors as the caller might have obtained them.
    const places = ['"2" of é,/', '0', ''].map((place) => JSON.stringify(place));
    const numbers = Array.from({ length: 10 }, (_, number) => number);
    const made = numbers.flatMap((number) => places.map((place) => encoded([[number, place]])));
    for (const cursor of [nextCursor, ...made])
      assert.doesNotMatch(JSON.stringify(await asked(his, 'tools/list', { cursor })), /pages__|secret__/, cursor);
  });

  test('is hidden over HTTP+SSE as well', async () => {
    const session = await openSseSession(gateway, undefined, {}, bob);
    const { result } = await session.ask(rpc('tools/list', {}, 'list'));
    assert.ok(result.tools.every(({ name }) => !HIDDEN.includes(name.split('__')[0])));
    assert.equal((await session.call(2, 'secret__test_simple_text')).error.code, -32602);
    session.close();
  });

  test('is served in a batch to nobody but who may use it', async () => {
    const batch = (name) => [toolCall(1, 'plain__extra'), toolCall(2, `${name}__test_simple_text`)];
    const told = async (session, name) => {
      const messages = await (await session.post(batch(name))).all();
      // Notifications may come on the same stream.
      return messages.filter(({ method }) => method === undefined).toSorted((a, b) => a.id - b.id);
    };
    const [hers, his] = [await open(ada, '/mcp', '2025-03-26'), await open(bob, '/mcp', '2025-03-26')];
    assert.match(textOf((await told(hers, 'secret'))[1]), /simple text/);
    const [extra, refused] = await told(his, 'secret');
    assert.equal(textOf(extra), 'extra');
    assert.equal(refused.error.code, -32602);
  });
});

// A gateway with a changing configuration file, and the notifications of both streams.
async function changing(t, servers) {
  const auth = authOf();
  const plain = entry(fixture('reload-server'));
  const config = (more) => ({ mcpServers: { plain, other: plain, ...servers, ...more }, gateway: { auth } });
  const gateway = await gatewayWith(t, config({}));
  const [hers, his] = await Promise.all([ada, bob].map((who) => openSession(gateway.url, undefined, {}, who)));
  const [herStream, hisStream] = [await hers.listen(), await his.listen()];
  for (const session of [hers, his]) await listed(session, 'tools/list');
  return { hers, his, herStream, hisStream, change: (more) => reload(gateway, config(more)) };
}

test('a hidden server that is added, changed or removed is no news for whom it is hidden from', async (t) => {
  const { his, herStream, hisStream, change } = await changing(t, { before: paged('before', ONLY_ADA) });
  const steps = {
    added: { hidden: entry(fixture('reload-server', 'one'), ONLY_ADA) },
    changed: { hidden: entry(fixture('reload-server', 'two'), ONLY_ADA) },
    removed: {},
  };
  for (const [step, servers] of Object.entries(steps)) {
    const before = changesOn(herStream).length;
    await change(servers);
    await until(`she is told that it was ${step}`, () => changesOn(herStream).length > before);
    await fence(his, hisStream, step);
    assert.deepEqual(changesOn(hisStream), [], step);
    assert.deepEqual((await listed(his, 'tools/list')).filter((name) => name.startsWith('hidden')), []);
  }
});

test('the first server with rules is news for who may use it, and for no others', async (t) => {
  const { his, herStream, hisStream, change } = await changing(t, {});
  await change({ hidden: entry(fixture('reload-server', 'one'), ONLY_ADA) });
  await fence(his, hisStream, 'a word for him');
  assert.deepEqual(changesOn(hisStream), []);
  await until('she is told', () => changesOn(herStream).length > 0);
});

test('rules that the file has anew hold for the sessions that there are', async (t) => {
  const server = (access) => ({ two: paged('two', { ...OURS, ...access }), one: paged('one', OURS) });
  const auth = authOf();
  const config = (access) => ({ mcpServers: server(access), gateway: { auth } });
  const gateway = await gatewayWith(t, config({}));
  const session = await openSession(gateway.url, undefined, {}, bob);
  const alone = await openSession(gateway.at('/servers/two/mcp'), undefined, {}, bob);
  assert.ok((await listed(session, 'tools/list')).includes('two__tool-1'));
  assert.ok((await alone.call(1, 'tool-1')).result);
  await reload(gateway, config(ONLY_ADA));
  const isHidden = async () => !(await listed(session, 'tools/list')).includes('two__tool-1');
  await until('it is hidden', isHidden);
  assert.equal((await session.call(1, 'two__tool-1')).error.code, -32602);
  await until('its own path is closed to him', async () => (await alone.ping()).status === 404);
  await reload(gateway, config({}));
  await until('it is there again', async () => !(await isHidden()));
});

// -- callers ---------------------------------------------------------------------------------------------------------

// Requests in a caller's session with different tokens, while the server is silent.
async function answersToLess(t, message) {
  const issuer = await startHandmade(t, 'ES256');
  const slow = join(scratch(), 'slow');
  const access = { tools: { 'tool-1': { groups: ['staff'] } } };
  const mcpServers = { slow: paged('slow', { ...OURS, access }, { after: slow, page: 9 }), one: paged('one', OURS) };
  const auth = { issuer: issuer.url, audience: 'troupe', groupsClaim: 'groups' };
  const gateway = await gatewayWith(t, { mcpServers, gateway: { auth, listPatience: '60s', instructionsPatience: 0 } });
  const [more, less] = await Promise.all(
    [['staff'], []].map(async (groups) => bearer(await issuer.token({ groups }))),
  );
  const session = await openSession(gateway.url, undefined, {}, less);
  const asking = session.post(message);
  // The message has arrived when these calls are answered.
  for (let id = 0; id < 3; ++id) assert.equal((await session.as(more).ping(`ping-${id}`)).status, 200);
  writeFileSync(slow, '');
  const answer = (await (await asking).all()).at(-1);
  assert.ok((await session.as(more).call(3, 'slow__tool-1')).result, 'she may');
  return answer;
}

test('a list is for who asked, not for who came since in the same session', async (t) => {
  const { result } = await answersToLess(t, rpc('tools/list'));
  const names = result.tools.map(({ name }) => name);
  assert.ok(names.includes('slow__tool-2'), names.join());
  assert.ok(!names.includes('slow__tool-1'), names.join());
});

test('a call is of who asked, not of who came since in the same session', async (t) => {
  const answer = await answersToLess(t, toolCall(2, 'slow__tool-1'));
  assert.equal(answer.error?.code, -32602, JSON.stringify(answer));
});
