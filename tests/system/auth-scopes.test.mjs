// Scopes: a caller without enough of them learns all that it needs, and nothing is executed.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { suite, test } from './lib/concurrently.mjs';
import { at, lasting, startCluster } from './lib/cluster.mjs';
import { gatewayWith } from './lib/config.mjs';
import { apiKey, assertRefused, bearer, KeyFile, tryInitialize, newKey } from './lib/credentials.mjs';
import { fixture } from './lib/gateway.mjs';
import { rpc, textOf } from './lib/ownership.mjs';
import { openSession, toolCall } from './lib/session.mjs';
import { openStream } from './lib/sse.mjs';
import { startHandmade } from './lib/tokens.mjs';
import { until } from './lib/until.mjs';

const WELL_KNOWN = '/.well-known/oauth-protected-resource';
const [command, ...args] = fixture('stdio');
const ACCESS = {
  scopes: ['use'],
  tools: {
    'test_image_*': { scopes: ['look', 'use'] },
    '*_content': { scopes: ['read'] },
    add_tool: { scopes: ['change'], names: ['ada'] },
  },
  prompts: { '*_with_*': { scopes: ['prompt'] } },
  resources: { 'test://static-*': { scopes: ['fetch'] }, 'test://template/*': { scopes: ['fetch', 'make'] } },
};
// A single process for all callers, so that effects are visible to the others.
const SERVERS = {
  a: { command, args, sharing: 'shared', prefix: 'a', access: ACCESS },
  b: { command, args, sharing: 'shared' },
};
const INCLUDES = { admin: ['read', 'look'], root: ['admin', 'change'] };
const ALONE = '/servers/a/mcp';
const IMAGE = ['look', 'read', 'use'];

const scopesOf = ({ scope }) => scope.split(' ').toSorted();
const finished = async (asked) => {
  const reply = await asked;
  if (reply.isStream) reply.destroy();
  await reply.done;
  return reply;
};
const answerTo = async (asked) => (await (await asked).all()).at(-1);
const toolsOf = async (session) => {
  const { result } = await answerTo(session.post(rpc('tools/list')));
  return result.tools.map(({ name }) => name);
};
const openAs = (gateway, who) => openSession(gateway.at(ALONE), undefined, {}, who);
const image = (id) => toolCall(id, 'test_image_content');
const adding = (id, name) => toolCall(id, 'add_tool', { name });

// Asserts that a request was refused for missing scopes, and that these are all the scopes it needs.
async function assertLacks(gateway, path, asked, scopes, what) {
  const challenge = assertRefused(await finished(asked), 403, 'insufficient_scope', what);
  assert.deepEqual(scopesOf(challenge), scopes.toSorted(), what);
  assert.equal(challenge.resource_metadata, gateway.at(WELL_KNOWN + path), what);
}

suite('a server whose use takes scopes', { concurrency: 4 }, () => {
  let issuer;
  let gateway;
  const t = lasting();
  before(async () => {
    issuer = await startHandmade(t, 'ES256');
    const auth = { issuer: issuer.url, audience: 'troupe', scopeIncludes: INCLUDES };
    gateway = await gatewayWith(t, { mcpServers: SERVERS, gateway: { auth } });
  });
  after(() => t.end());

  const having = async (scope, claims = {}) => bearer(await issuer.token({ scope, ...claims }));
  const open = async (scope, path = ALONE, version = undefined, claims = {}) =>
    openSession(gateway.at(path), version, {}, await having(scope, claims));

  test('begins no session with who lacks the server\'s, at its own paths', async () => {
    for (const scope of [undefined, '', 'read look change', 'Use', 'users', 'root']) {
      await assertLacks(gateway, ALONE, tryInitialize(gateway.at(ALONE), await having(scope)), ['use'], scope);
      const stream = finished(openStream({ at: () => gateway.at('/servers/a/sse') }, await having(scope)));
      await assertLacks(gateway, '/servers/a/sse', stream, ['use'], scope);
    }
    assert.equal((await finished(tryInitialize(gateway.at(ALONE), await having('use')))).status, 200);
  });

  test('names all that a call takes, the server\'s and the tool\'s, also those that its caller has', async () => {
    const session = await open('use read');
    const calls = {
      'a tool': [image(1), IMAGE],
      'a prompt': [rpc('prompts/get', { name: 'test_prompt_with_image' }), ['prompt', 'use']],
      'a resource': [rpc('resources/read', { uri: 'test://static-text' }), ['fetch', 'use']],
      'one of a template': [rpc('resources/read', { uri: 'test://template/1/data' }), ['fetch', 'make', 'use']],
      'a subscription': [rpc('resources/subscribe', { uri: 'test://static-text' }), ['fetch', 'use']],
      'a completion': [
        rpc('completion/complete', {
          ref: { type: 'ref/prompt', name: 'test_prompt_with_arguments' }, argument: { name: 'arg1', value: 'p' },
        }),
        ['prompt', 'use'],
      ],
    };
    for (const [what, [message, needed]] of Object.entries(calls)) {
      await assertLacks(gateway, ALONE, session.post(message), needed, what);
      for (const lacking of needed) {
        const scope = needed.filter((one) => one !== lacking).join(' ');
        const lesser = session.as(await having(scope));
        await assertLacks(gateway, ALONE, lesser.post(message), needed, `${what} with ${scope}`);
      }
      const answer = await answerTo(session.as(await having(`x ${needed.join(' ')}`)).post(message));
      assert.ok(answer.result, `${what}: ${JSON.stringify(answer)}`);
    }
  });

  test('names those of a resource whose URI has no mark, as its server is the only one without a prefix', async (t) => {
    const servers = { a: { ...SERVERS.a, prefix: '' }, b: SERVERS.b };
    const auth = { issuer: issuer.url, audience: 'troupe' };
    const other = await gatewayWith(t, { mcpServers: servers, gateway: { auth } });
    const merged = await openSession(other.at('/mcp'), undefined, {}, await having('use'));
    for (const uri of ['test://static-text', 'troupe://a/test://static-text'])
      await assertLacks(other, '/mcp', merged.post(rpc('resources/read', { uri })), ['fetch', 'use'], uri);
    assert.equal((await answerTo(merged.post(rpc('resources/read', { uri: 'test://none' })))).error.code, -32002);
  });

  test('names the same among those that are merged', async () => {
    const session = await open('use');
    const merged = await open('use', '/mcp');
    for (const [one, path, prefix, uri] of [[session, ALONE, '', ''], [merged, '/mcp', 'a__', 'troupe://a/']]) {
      await assertLacks(gateway, path, one.post(toolCall(1, `${prefix}test_image_content`)), IMAGE);
      const prompt = rpc('prompts/get', { name: `${prefix}test_prompt_with_image` });
      await assertLacks(gateway, path, one.post(prompt), ['prompt', 'use']);
      const reading = rpc('resources/read', { uri: `${uri}test://static-text` });
      await assertLacks(gateway, path, one.post(reading), ['fetch', 'use']);
    }
    assert.match(textOf(await merged.call(1, 'b__test_simple_text')), /simple text/, 'another server takes none');
    const none = await open(undefined, '/mcp');
    assert.deepEqual((await toolsOf(none)).filter((name) => name.startsWith('a__')), []);
    assert.match(textOf(await none.call(1, 'b__test_simple_text')), /simple text/);
    await assertLacks(gateway, '/mcp', none.post(toolCall(1, 'a__test_simple_text')), ['use'], 'the server\'s');
    await assertLacks(gateway, '/mcp', none.post(toolCall(1, 'a__test_image_content')), IMAGE, 'both');
  });

  test('lists what the scopes suffice for', async () => {
    const session = await open('use');
    assert.deepEqual((await toolsOf(session)).filter((name) => /_content$|add_tool/.test(name)), []);
    const reading = await toolsOf(session.as(await having('use read')));
    assert.ok(reading.includes('test_audio_content') && !reading.includes('test_image_content'));
    assert.ok((await toolsOf(session.as(await having('use admin')))).includes('test_image_content'));
  });

  test('takes scopes that include others', async () => {
    const session = await open('use');
    for (const scope of ['use admin', 'root use', 'look use read']) {
      const { result } = await answerTo(session.as(await having(scope)).post(image(1)));
      assert.equal(result.content[0].type, 'image', scope);
    }
    await assertLacks(gateway, ALONE, session.as(await having('root')).post(image(1)), IMAGE, 'not the server\'s');
  });

  test('says nothing of scopes for what is hidden: it is not there', async () => {
    const session = await open('use', ALONE, undefined, { sub: 'bob' });
    const answer = await answerTo(session.post(adding(1, 'hidden')));
    assert.equal(answer.error.code, -32602, JSON.stringify(answer));
    const hers = await open('use');
    await assertLacks(gateway, ALONE, hers.post(adding(1, 'hers')), ['change', 'use'], 'hers');
  });

  test('does nothing of a batch of which one call lacks a scope, and names what all take', async () => {
    const session = await open('use read', ALONE, '2025-03-26');
    const reading = rpc('resources/read', { uri: 'test://static-text' }, 4);
    const batch = [adding(1, 'batched'), image(2), rpc('ping', {}, 3), reading];
    await assertLacks(gateway, ALONE, session.post(batch), ['change', 'fetch', ...IMAGE], 'all');
    await assertLacks(gateway, ALONE, session.post([image(1), rpc('ping', {}, 2)]), IMAGE, 'one');
    const more = session.as(await having('use root'));
    assert.ok(!(await toolsOf(more)).includes('batched'), 'nothing was done');
    const answers = await (await more.post([image(1), rpc('ping', {}, 2)])).all();
    assert.deepEqual(answers.map(({ id, result }) => [id, Boolean(result)]).toSorted(), [[1, true], [2, true]]);
  });

  test('closes nothing else of the session', async () => {
    const session = await open('use');
    const stream = await session.listen();
    await assertLacks(gateway, ALONE, session.post(image(1)), IMAGE);
    assert.equal((await session.ping()).status, 200);
    assert.match(textOf(await session.call(2, 'test_simple_text')), /simple text/);
    assert.ok(!stream.ended);
    assert.equal((await session.delete()).status, 200);
  });

  // A caller that knows the session and the server may have lost the scope since.
  test('is not used any more by who has lost the server\'s scope', async () => {
    const session = await open('use');
    const lesser = session.as(await having('read'));
    await assertLacks(gateway, ALONE, lesser.post(toolCall(1, 'test_simple_text')), ['use'], 'a call');
    assert.deepEqual((await answerTo(lesser.post(rpc('tools/list')))).result?.tools ?? [], []);
    assert.match(textOf(await session.call(2, 'test_simple_text')), /simple text/);
  });
});

test('what a call takes besides is what the gateway takes', async (t) => {
  const issuer = await startHandmade(t, 'ES256');
  const auth = { issuer: issuer.url, audience: 'troupe', scopes: ['enter'] };
  const gateway = await gatewayWith(t, { mcpServers: SERVERS, gateway: { auth } });
  const having = async (scope) => bearer(await issuer.token({ scope }));
  // A token with exactly these scopes is sufficient.
  await assertLacks(gateway, ALONE, tryInitialize(gateway.at(ALONE), await having('enter')), ['enter', 'use'], 'a session');
  const session = await openSession(gateway.at(ALONE), undefined, {}, await having('enter use'));
  await assertLacks(gateway, ALONE, session.post(image(1)), ['enter', ...IMAGE], 'a call');
});

// -- keys ------------------------------------------------------------------------------------------------------------

const withScopes = (key, scopes) => ({ ...key, line: key.line.replace(/ \S+ -$/, ` ${scopes} -`) });

test('a key whose scope is taken out of the file is refused at its next call', async (t) => {
  const [ada, bob] = ['ada', 'bob'].map((name) => newKey(name, '--scope', 'use,read,look'));
  const file = new KeyFile(ada, bob);
  const gateway = await gatewayWith(t, { mcpServers: SERVERS, gateway: { auth: { keys: file.path } } });
  const shown = [bearer(ada.secret), apiKey(ada.secret), bearer(bob.secret)];
  const sessions = await Promise.all(shown.map((who) => openAs(gateway, who)));
  const stream = await sessions[2].listen();
  for (const session of sessions) assert.ok((await answerTo(session.post(image(1)))).result);
  file.put(withScopes(ada, 'use,read'), bob);
  const isRefused = async (session) => (await finished(session.post(image(2)))).status === 403;
  await until('it is refused', () => isRefused(sessions[0]));
  for (const session of sessions.slice(0, 2)) {
    const challenge = assertRefused(await finished(session.post(image(3))), 403, 'insufficient_scope');
    assert.deepEqual(scopesOf(challenge), IMAGE);
    assert.ok(!(await toolsOf(session)).includes('test_image_content'));
    assert.ok((await answerTo(session.post(toolCall(4, 'test_audio_content')))).result, 'the rest is served');
  }
  assert.ok((await answerTo(sessions[2].post(image(3)))).result, 'another key is as it was');
  assert.ok(!stream.ended, 'and so is its stream');
  file.put(ada, bob);
  await until('it is served again', async () => !(await isRefused(sessions[0])));
});

test('a scope that is lacked is told at each node of a cluster', async (t) => {
  const keys = [newKey('ada', '--scope', 'use'), newKey('bob', '--scope', 'use,read,look')];
  const [ada, bob] = keys.map(({ secret }) => bearer(secret));
  const auth = { keys: new KeyFile(...keys).path };
  const { nodes } = await startCluster(t, { config: { mcpServers: SERVERS, gateway: { auth } } });
  const [hers, his] = await Promise.all([ada, bob].map((who) => openAs(nodes[0], who)));
  for (const node of nodes) {
    const refused = await finished(at(node, hers).post(image(1)));
    const challenge = assertRefused(refused, 403, 'insufficient_scope', node.name);
    assert.deepEqual(scopesOf(challenge), IMAGE, node.name);
    assert.ok(!(await toolsOf(at(node, hers))).includes('test_image_content'), node.name);
    assert.ok((await answerTo(at(node, his).post(image(1)))).result, node.name);
    assert.ok((await toolsOf(at(node, his))).includes('test_image_content'), node.name);
  }
});
