// Items that a server offers to some callers only do not exist for others.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { remoteFor } from './fixture/remote-script.mjs';
import { suite, test } from './lib/concurrently.mjs';
import { connect } from './lib/client.mjs';
import { lasting } from './lib/cluster.mjs';
import { gatewayWith } from './lib/config.mjs';
import { bearer, KeyFile, newKey } from './lib/credentials.mjs';
import { fixture } from './lib/gateway.mjs';
import { rpc, textOf } from './lib/ownership.mjs';
import { openSession, toolCall } from './lib/session.mjs';
import { openSseSession } from './lib/sse.mjs';
import { startHandmade } from './lib/tokens.mjs';
import { until } from './lib/until.mjs';

const [command, ...args] = fixture('stdio');
const ACCESS = {
  tools: {
    'add_*': { names: ['ada'] },
    'test_*_content': { groups: ['staff', 'others'] },
    '*audio*': { names: ['ada', 'cleo'], groups: ['deaf'] },
    never: { names: ['nobody at all'] },
  },
  prompts: { 'test_prompt_with_*': { groups: ['staff'] }, '*image': { names: ['ada'] } },
  resources: { 'test://static-*': { names: ['ada', 'key-of-ada'] }, 'test://template/*': { groups: ['staff'] } },
};
// A single process for all callers, so that only the gateway can make a difference.
const SERVERS = { a: { command, args, sharing: 'shared', prefix: 'a', access: ACCESS } };
// The paths of a session, and the names of items there.
const WAYS = {
  alone: { path: '/servers/a/mcp', named: (name) => name, at: (uri) => uri },
  merged: { path: '/mcp', named: (name) => `a__${name}`, at: (uri) => `troupe://a/${uri}` },
};

const keys = [newKey('key-of-ada'), newKey('cleo')];
const [keyOfAda, keyOfCleo] = keys.map(({ secret }) => bearer(secret));
const HIDDEN_TOOLS = ['add_tool', 'test_image_content', 'test_audio_content'];
const HIDDEN_PROMPTS = ['test_prompt_with_arguments', 'test_prompt_with_embedded_resource', 'test_prompt_with_image'];
const HIDDEN_URIS = ['test://static-text', 'test://static-binary', 'test://template/1/data'];
const TEMPLATE = 'test://template/{id}/data';
const WATCHED = 'test://watched-resource';

const asked = async (session, method, params, id = 1) =>
  (await (await session.post(rpc(method, params, id))).all()).at(-1);

suite('a server that has things for some callers only', { concurrency: 4 }, () => {
  let issuer;
  let gateway;
  // All items without restrictions.
  let all;
  const who = {};
  const t = lasting();
  before(async () => {
    issuer = await startHandmade(t, 'ES256');
    const auth = { issuer: issuer.url, audience: 'troupe', groupsClaim: 'groups', keys: new KeyFile(...keys).path };
    gateway = await gatewayWith(t, { mcpServers: SERVERS, gateway: { auth } });
    const open = await gatewayWith(t, { mcpServers: { a: { command, args } } });
    all = await offeredTo(t, open.url, {}, WAYS.alone);
    const by = async (claims) => bearer(await issuer.token(claims));
    who.ada = await by({ groups: ['staff', 'more'] });
    who.bob = await by({ sub: 'bob', groups: ['guests'] });
    who.dan = await by({ sub: 'dan', groups: 'others' });
    who.fay = await by({ sub: 'fay', groups: ['deaf', 'others'] });
    who.eve = await by({ sub: 'Ada', groups: ['Staff', 'staff ', 'sta*', '*', 'add_*'] });
    who.keyOfAda = keyOfAda;
    who.keyOfCleo = keyOfCleo;
  });
  after(() => t.end());

  async function offeredTo(t, url, credentials, { named, at }) {
    const { client } = await connect(t, url, {}, () => {}, credentials);
    const [{ tools }, { prompts }, { resources }, { resourceTemplates }] = await Promise.all([
      client.listTools(), client.listPrompts(), client.listResources(), client.listResourceTemplates(),
    ]);
    return {
      tools: tools.map(({ name }) => name.slice(named('').length)),
      prompts: prompts.map(({ name }) => name.slice(named('').length)),
      resources: resources.map(({ uri }) => uri.slice(at('').length)),
      templates: resourceTemplates.map(({ uriTemplate }) => uriTemplate.slice(at('').length)),
    };
  }

  const without = (...hidden) => {
    const rest = ([kind, names]) => [kind, names.filter((name) => !hidden.includes(name))];
    return Object.fromEntries(Object.entries(all).map(rest));
  };
  const open = (credentials, path = WAYS.alone.path, version = undefined) =>
    openSession(gateway.at(path), version, {}, credentials);

  for (const [name, way] of Object.entries(WAYS))
    test(`lists to each what he may use, to all at the same time (${name})`, async (t) => {
      const others = [...HIDDEN_PROMPTS, TEMPLATE, 'test://static-text', 'test://static-binary'];
      const expected = {
        ada: without(),
        bob: without(...HIDDEN_TOOLS, ...others),
        // If two rules match, both have to allow the item.
        dan: without('add_tool', 'test_audio_content', ...others),
        fay: without('add_tool', ...others),
        // Names and groups are compared exactly, without patterns.
        eve: without(...HIDDEN_TOOLS, ...others),
        keyOfAda: without(...HIDDEN_TOOLS, ...HIDDEN_PROMPTS, TEMPLATE),
        keyOfCleo: without(...HIDDEN_TOOLS, ...others),
      };
      const callers = Object.keys(expected).flatMap((caller) => [caller, caller]);
      const offered = await Promise.all(callers.map((one) => offeredTo(t, gateway.at(way.path), who[one], way)));
      for (const [index, caller] of callers.entries()) assert.deepEqual(offered[index], expected[caller], caller);
    });

  test('takes a claim with several groups as an array, and as one group when it is a text', async () => {
    const list = async (groups) => {
      const session = await open(bearer(await issuer.token({ sub: 'fay', groups })));
      return (await asked(session, 'tools/list')).result.tools.map(({ name }) => name);
    };
    const image = 'test_image_content';
    for (const groups of [['x', 'staff'], 'staff', 'others']) assert.ok((await list(groups)).includes(image), groups);
    for (const groups of [[], '', null, 5, {}, { staff: true }, [['staff']], undefined])
      assert.ok(!(await list(groups)).includes(image), JSON.stringify(groups));
  });

  // A request for each name, and the names that are hidden from bob.
  const KINDS = {
    'a tool': ['tools/call', HIDDEN_TOOLS, 'no_such_tool', (name, { named }) => ({ name: named(name), arguments: {} })],
    'a prompt': ['prompts/get', HIDDEN_PROMPTS, 'no_such_prompt', (name, { named }) => ({ name: named(name) })],
    'a resource': ['resources/read', HIDDEN_URIS, 'test://no-such', (uri, { at }) => ({ uri: at(uri) })],
    'a subscription': ['resources/subscribe', HIDDEN_URIS, 'test://no-such', (uri, { at }) => ({ uri: at(uri) })],
    'the end of a subscription':
      ['resources/unsubscribe', HIDDEN_URIS, 'test://no-such', (uri, { at }) => ({ uri: at(uri) })],
    'a completion of a prompt': [
      'completion/complete', HIDDEN_PROMPTS, 'no_such_prompt',
      (name, { named }) => ({ ref: { type: 'ref/prompt', name: named(name) }, argument: { name: 'arg1', value: 'p' } }),
    ],
    'a completion of a template': [
      'completion/complete', [TEMPLATE], 'test://no-such/{id}',
      (uri, { at }) => ({ ref: { type: 'ref/resource', uri: at(uri) }, argument: { name: 'id', value: '1' } }),
    ],
  };

  for (const [kind, [method, hidden, unknown, params]] of Object.entries(KINDS)) {
    for (const [name, way] of Object.entries(WAYS))
      test(`answers for ${kind} that is hidden exactly as for one that is not there (${name})`, async () => {
        const session = await open(who.bob, way.path);
        const told = async (one) =>
          JSON.parse(JSON.stringify(await asked(session, method, params(one, way))).replaceAll(one, '…'));
        const nothing = await told(unknown);
        for (const one of hidden) assert.deepEqual(await told(one), nothing, one);
      });

    test(`does not do ${kind} for whom it is hidden, and does it for others`, async () => {
      for (const way of Object.values(WAYS)) {
        const [his, hers] = [await open(who.bob, way.path), await open(who.ada, way.path)];
        const nothing = await asked(his, method, params(unknown, way));
        for (const one of hidden) {
          const refused = await asked(his, method, params(one, way));
          // Some servers accept subscriptions to resources that do not exist.
          assert.deepEqual([refused.error?.code, refused.result], [nothing.error?.code, nothing.result], one);
          if (one === 'add_tool') continue;
          const served = await asked(hers, method, params(one, way));
          assert.ok(served.result, `${one}: ${JSON.stringify(served)}`);
        }
      }
    });
  }

  test('does nothing of a call of what is hidden', async () => {
    const [his, hers] = [await open(who.bob), await open(who.ada)];
    const name = 'added-by-bob';
    for (const session of [his, await open(who.bob, '/mcp')])
      for (const called of ['add_tool', 'a__add_tool'])
        assert.ok((await (await session.post(toolCall(1, called, { name }))).all()).at(-1).error);
    const { result } = await asked(hers, 'tools/list');
    assert.ok(result.tools.every((tool) => tool.name !== name));
  });

  test('looks at each name of a request that has two', async () => {
    const session = await open(who.bob);
    const call = '"method":"tools/call"';
    const [hidden, shown] = ['"name":"add_tool","arguments":{"name":"twice"}', '"name":"test_simple_text"'];
    const messages = [
      `${call},"params":{${hidden},${shown}}`,
      `${call},"params":{${shown},${hidden}}`,
      `${call},"params":{${hidden.replace('name', 'n\\u0061me')}}`,
      `${call},"params":{${hidden.replace('add_', '\\u0061dd_')}}`,
      `"method":"tools/c\\u0061ll","params":{${hidden}}`,
      `${call},"params":{${shown}},"params":{${hidden}}`,
      `${call},"params":{${hidden}},"params":{${shown}}`,
      `"method":"ping",${call},"params":{${hidden}}`,
    ];
    for (const body of messages.map((message) => `{"jsonrpc":"2.0","id":1,${message}}`)) {
      const reply = await session.post(body);
      await reply.done;
      // A POST of several requests may serve the one that is not hidden.
      assert.doesNotMatch(reply.received, /Added/, body);
    }
    const { result } = await asked(await open(who.ada), 'tools/list');
    assert.ok(result.tools.every(({ name }) => name !== 'twice'));
  });

  // A server that ignores the case of member names would find a call there.
  test('lets nothing through in which a server may find a call', async () => {
    const session = await open(who.bob);
    const call = '"Method":"tools/call","ID":9,"Params":{"name":"add_tool","arguments":{"name":"spelt"}}';
    const parts = ['"method":"notifications/x"', '"id":7,"result":{}', '"id":8,"error":{"code":1,"message":""}'];
    for (const body of parts.map((part) => `{"jsonrpc":"2.0",${part},${call}}`))
      for (const at of ['/mcp', WAYS.alone.path]) {
        const reply = await (at === '/mcp' ? await open(who.bob, at) : session).post(body);
        await reply.done;
        assert.deepEqual([reply.status, /Method/.test(reply.received)], [400, true], body);
      }
  });

  test('tells of changes of a resource only whom it is not hidden from', async () => {
    const [his, hers] = [await open(who.bob), await open(who.ada)];
    const [hisStream, herStream] = [await his.listen(), await hers.listen()];
    const told = (stream) => stream.messages.filter(({ params }) => params?.uri).map(({ params }) => params.uri);
    for (const uri of ['test://static-text', WATCHED]) {
      await asked(his, 'resources/subscribe', { uri });
      assert.deepEqual((await asked(hers, 'resources/subscribe', { uri })).result, {});
      assert.equal(textOf(await hers.call(uri, 'touch', { uri })), 'Told');
    }
    await until('both are told', () => [hisStream, herStream].every((stream) => told(stream).includes(WATCHED)));
    assert.deepEqual([told(hisStream), told(herStream)], [[WATCHED], ['test://static-text', WATCHED]]);
    for (const stream of [hisStream, herStream]) stream.destroy();
  });

  test('serves in a batch what may be used, and knows nothing of the rest', async () => {
    const session = await open(who.bob, WAYS.alone.path, '2025-03-26');
    const batch = [toolCall(1, 'test_simple_text'), toolCall(2, 'add_tool', { name: 'batched' }), rpc('ping', {}, 3)];
    const answers = new Map((await (await session.post(batch)).all()).map((answer) => [answer.id, answer]));
    assert.match(textOf(answers.get(1)), /simple text/);
    assert.equal(answers.get(2).error.code, -32602);
    assert.deepEqual(answers.get(3).result, {});
    assert.equal(answers.size, 3);
  });

  test('hides the same from who comes over HTTP+SSE', async () => {
    const session = await openSseSession(gateway, undefined, {}, who.bob);
    const { result } = await session.ask(rpc('tools/list', {}, 'list'));
    assert.deepEqual(result.tools.map(({ name }) => name.slice('a__'.length)), without(...HIDDEN_TOOLS).tools);
    assert.equal((await session.call(2, 'a__add_tool', { name: 'sse' })).error.code, -32602);
    session.close();
  });

  test('is seen in a session as the credentials of each request allow', async () => {
    const session = await open(who.ada);
    const stream = await session.listen();
    const names = async (one) => (await asked(one, 'tools/list')).result.tools.map(({ name }) => name);
    const lesser = session.as(bearer(await issuer.token({ groups: ['guests'] })));
    for (let time = 0; time < 3; ++time) {
      assert.ok((await names(session)).includes('test_image_content'));
      assert.ok(!(await names(lesser)).includes('test_image_content'));
      assert.equal((await lesser.call(1, 'test_image_content')).error.code, -32602);
      assert.equal((await session.call(1, 'test_image_content')).result.content[0].type, 'image');
    }
    assert.ok(!stream.ended);
    stream.destroy();
  });
});

test('what a server says while it looks for a name tells nothing of what is hidden', async (t) => {
  const remote = await remoteFor(t, {
    on: {
      'tools/call': (exchange) => {
        const { name, _meta: meta } = exchange.message.params;
        const error = { code: -32602, message: `Unknown tool: ${name}` };
        const progress = { progressToken: meta.progressToken, progress: 1, message: `looking for ${name}` };
        exchange.stream();
        exchange.event({ method: 'notifications/progress', params: progress });
        exchange.event({ method: 'notifications/message', params: { level: 'info', data: `there is no ${name}` } });
        exchange.event({ id: exchange.id, error }).response.end();
      },
    },
  });
  const access = { tools: { 'secret*': { names: ['key-of-ada'] } } };
  const auth = { keys: new KeyFile(...keys).path };
  const gateway = await gatewayWith(t, { mcpServers: { r: { url: remote.url, access } }, gateway: { auth } });
  const session = await openSession(gateway.at('/servers/r/mcp'), undefined, {}, keyOfCleo);
  const told = async (name) =>
    JSON.stringify(await (await session.post(toolCall(1, name, {}, 'token'))).all()).replaceAll(name, '…');
  assert.equal(await told('secret'), await told('nobody'));
});
