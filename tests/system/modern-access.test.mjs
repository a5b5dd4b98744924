// Access control for 2026-07-28 clients: each request is checked, and hidden items do not exist.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { suite, test } from './lib/concurrently.mjs';
import { lasting } from './lib/cluster.mjs';
import { gatewayWith } from './lib/config.mjs';
import { assertBad, assertRefused as assertChallenged, assertUnknown, bearer } from './lib/credentials.mjs';
import { fixture } from './lib/gateway.mjs';
import { whole } from './lib/http.mjs';
import { ACKNOWLEDGED, accepted, answersTo, assertAsked, Caller, textOf } from './lib/modern.mjs';
import { startHandmade } from './lib/tokens.mjs';

const [command, ...args] = fixture('stdio');
const ASKS = 'test_input_required_result_elicitation';
const ACCESS = {
  tools: { 'add_*': { groups: ['staff'] }, test_image_content: { scopes: ['look'] }, [ASKS]: { scopes: ['ask'] } },
  prompts: { '*_with_*': { groups: ['staff'] } },
  resources: { 'test://static-*': { groups: ['staff'] } },
};
const SERVERS = {
  a: { command, args, prefix: 'a', access: ACCESS },
  b: { command, args, prefix: 'b', access: { groups: ['staff'] } },
};
const WAYS = {
  alone: { path: '/servers/a/mcp', named: (name) => name, at: (uri) => uri },
  merged: { path: '/mcp', named: (name) => `a__${name}`, at: (uri) => `troupe://a/${uri}` },
};

suite('a caller of 2026-07-28', { concurrency: 4 }, () => {
  let issuer;
  let gateway;
  const t = lasting();
  before(async () => {
    issuer = await startHandmade(t, 'ES256');
    const auth = { issuer: issuer.url, audience: 'troupe', groupsClaim: 'groups' };
    gateway = await gatewayWith(t, { mcpServers: SERVERS, gateway: { auth } });
  });
  after(() => t.end());

  const having = async (claims) => bearer(await issuer.token(claims));
  const callerAt = async (path, claims, can = {}) =>
    new Caller(gateway.at(path), { can, headers: await having({ sub: 'bob', ...claims }) });

  for (const [way, { path, named, at }] of Object.entries(WAYS)) {
    test(`is listed what he may use (${way})`, async () => {
      const [staff, guest] = await Promise.all([['staff'], []].map((groups) => callerAt(path, { groups })));
      for (const [method, kind, name, hidden] of [
        ['tools/list', 'tools', 'name', named('add_tool')],
        ['prompts/list', 'prompts', 'name', named('test_prompt_with_image')],
        ['resources/list', 'resources', 'uri', at('test://static-text')],
      ]) {
        const listTo = async (caller) => (await caller.ask(method)).result[kind].map((one) => one[name]);
        const [all, some] = [await listTo(staff), await listTo(guest)];
        assert.ok(all.includes(hidden), `${method} ${all}`);
        assert.ok(some.length > 0 && !some.includes(hidden), `${method} ${some}`);
        assert.ok(some.every((one) => !one.startsWith('b__')), 'a server that is hidden');
      }
    });

    test(`is told of what he may not use that it is not there (${way})`, async () => {
      const guest = await callerAt(path, {});
      const asks = (name, params) => guest.ask(name, params).then(({ error }) => error);
      for (const [method, name, none, params] of [
        ['tools/call', 'add_tool', 'no_tool', (one) => ({ name: named(one), arguments: {} })],
        ['prompts/get', 'test_prompt_with_image', 'no_prompt', (one) => ({ name: named(one) })],
        ['resources/read', 'test://static-text', 'test://no-resource', (one) => ({ uri: at(one) })],
      ]) {
        const [hidden, unknown] = [await asks(method, params(name)), await asks(method, params(none))];
        assert.equal(hidden?.code, -32602, method);
        assert.deepEqual(JSON.parse(JSON.stringify(hidden).replaceAll(name, none)), unknown, method);
      }
    });

    test(`does not listen to what he may not read (${way})`, async () => {
      const [staff, guest] = await Promise.all([['staff'], []].map((groups) => callerAt(path, { groups })));
      const uris = ['test://static-text', 'test://watched-resource'].map(at);
      const honouredFor = async (caller) => {
        const stream = await caller.listen({ resourceSubscriptions: uris });
        const [{ method, params }] = stream.messages;
        stream.destroy();
        assert.equal(method, ACKNOWLEDGED);
        return params.notifications.resourceSubscriptions.toSorted();
      };
      assert.deepEqual(await honouredFor(staff), uris);
      assert.deepEqual(await honouredFor(guest), uris.slice(1));
    });

    test(`is told which scopes a call takes, each time (${way})`, async () => {
      const call = async (scope) => (await callerAt(path, { scope })).beginCall(named('test_image_content'));
      for (const scope of [undefined, 'ask', 'Look']) {
        const reply = await call(scope);
        await reply.done;
        assert.equal(assertChallenged(reply, 403, 'insufficient_scope', scope).scope, 'look');
      }
      assert.equal((await (await call('look')).all()).at(-1).result.content[0].type, 'image');
      assert.equal((await call('')).status, 403, 'what he had a moment ago does not count');
    });

    test(`needs for a retry what the call needs (${way})`, async () => {
      const name = named(ASKS);
      const asking = await callerAt(path, { scope: 'ask' }, { elicitation: {} });
      const told = assertAsked(await asking.call(name), 'elicitation/create');
      const params = { name, arguments: {}, ...answersTo(told, () => accepted({ name: 'Bob' })) };
      const less = await callerAt(path, { scope: 'look' }, { elicitation: {} });
      const reply = await less.begin('tools/call', params);
      await reply.done;
      assertChallenged(reply, 403, 'insufficient_scope');
      assert.equal(textOf(await asking.ask('tools/call', params)), 'Hello, Bob!');
    });
  }

  test('does not find a server that he may not use: its path is like any other that is none', async () => {
    const path = '/servers/b/mcp';
    const [guest, staff] = [await callerAt(path, {}), await callerAt(path, { groups: ['staff'] })];
    const nowhere = new Caller(gateway.at('/servers/x/mcp'), guest);
    for (const method of ['tools/list', 'server/discover', 'no/such']) {
      const hidden = await whole(guest.begin(method, {}, {}, 1));
      assert.equal(hidden.status, 404);
      assert.deepEqual(hidden, await whole(nowhere.begin(method, {}, {}, 1)), method);
    }
    assert.ok((await staff.ask('tools/list')).result.tools.length > 0);
  });

  test('who is nobody, or was somebody, is refused each request: 401', async () => {
    const caller = await callerAt('/mcp', { groups: ['staff'] });
    assert.ok((await caller.ask('tools/list')).result);
    assertUnknown(await caller.as({ headers: {} }).begin('tools/list'));
    const expired = await having({ exp: Math.floor(Date.now() / 1_000) - 300 });
    assertBad(await caller.as({ headers: expired }).begin('tools/list'));
  });
});
