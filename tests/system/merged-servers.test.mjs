// Names, filters, pages and silent servers on the merged endpoint.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  PromptListChangedNotificationSchema,
  ResourceListChangedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { test } from './lib/concurrently.mjs';
import { connect } from './lib/client.mjs';
import { gatewayWith } from './lib/config.mjs';
import { everything, fixture } from './lib/gateway.mjs';
import { initializeRequest, LATEST, openSession, post, toolCall } from './lib/session.mjs';
import { DEBUG, debugState } from './lib/state.mjs';
import { until } from './lib/until.mjs';

const stage = mkdtempSync(join(tmpdir(), 'troupe-merged-'));
process.on('exit', () => rmSync(stage, { recursive: true, force: true }));
let files = 0;
const newFile = () => join(stage, `file-${++files}`);

// Longer than the time limit of any test.
const FOR_EVER = '5m';
// For lists that have to be complete at once. A busy machine takes long to start a server.
const PATIENT = { listPatience: '60s' };
const LONG = 'a-tool-with-a-name-that-is-much-longer-than-what-clients-of-today-take';

const entry = ([command, ...args], more = {}) => ({ command, args, ...more });
const made = (options, more = {}) => entry(fixture('merged', JSON.stringify(options)), more);
const dead = entry(['/no/such/command']);
const hanging = made({ label: 'hanging', after: '/no/such/file' });

const textOf = (result) => result.content.map(({ text }) => text).join('\n');
const call = (client, name, args = {}, options = undefined) =>
  client.callTool({ name, arguments: args }, undefined, options);
const told = async (client, name) => JSON.parse(textOf(await call(client, name)));
const namesOf = async (client) => (await client.listTools()).tools.map(({ name }) => name);
const promptsOf = async (client) => (await client.listPrompts()).prompts.map(({ name }) => name);
const resourcesOf = async (client) => (await client.listResources()).resources.map(({ name }) => name);
// A list omits servers that are too slow, which on a busy machine may be any.
const untilListed = (client, listed, ...names) =>
  until(`the list is ${names}`, async () => (await listed(client)).join() === names.join());
const numbered = (count, make) => Array.from({ length: count }, (_, index) => make(index + 1));

function count(client, schema) {
  const seen = [];
  client.setNotificationHandler(schema, () => {
    seen.push(schema);
  });
  return seen;
}

// -- pages -------------------------------------------------------------------------

const LISTS = {
  tools: ['listTools', 'name', (server, n) => `${server}__tool-${n}`],
  prompts: ['listPrompts', 'name', (server, n) => `${server}__prompt-${n}`],
  resources: ['listResources', 'uri', (server, n) => `troupe://${server}/test://resource/${n}`],
  resourceTemplates: ['listResourceTemplates', 'uriTemplate', (s, n) => `troupe://${s}/test://template/${n}/{id}`],
};

test('lists in pages are complete, whatever the pages of each server are', async (t) => {
  const sizes = { seven: [7, 3], four: [4, 2], one: [1, 5], ten: [10, 1] };
  const mcpServers = Object.fromEntries(
    Object.entries(sizes).map(([label, [items, page]]) => [label, made({ label, items, page })]),
  );
  const gateway = await gatewayWith(t, { mcpServers, gateway: { listPatience: '60s' } });
  const { client } = await connect(t, gateway.url);
  for (const [member, [method, key, shown]] of Object.entries(LISTS)) {
    const seen = [];
    let cursor;
    do {
      const page = await client[method]({ cursor });
      seen.push(...page[member].map((item) => item[key]));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    const expected = Object.entries(sizes).flatMap(([server, [items]]) => numbered(items, (n) => shown(server, n)));
    assert.deepEqual(seen.toSorted(), expected.toSorted(), member);
  }
  assert.equal((await told(client, 'seven__tool-7')).label, 'seven');
  for (const cursor of ['nonsense', '', '!', 'bnVsbA', 'W'])
    await assert.rejects(client.listTools({ cursor }), { code: -32602 }, cursor);
});

// -- names -------------------------------------------------------------------------

test('names of more than 64 characters are cut, unlike each other, and callable by who never listed them', async (t) => {
  const names = ['one', 'two'].map((end) => `${LONG}-${end}`);
  const gateway = await gatewayWith(t, {
    mcpServers: { a: made({ label: 'a', names, page: 1 }), b: made({ label: 'b', names }) },
    gateway: PATIENT,
  });
  const { client } = await connect(t, gateway.url);
  const shown = [];
  for (let cursor; ;) {
    const page = await client.listTools({ cursor });
    shown.push(...page.tools.map(({ name }) => name).filter((name) => name.includes('a-tool')));
    if (!(cursor = page.nextCursor)) break;
  }
  assert.equal(new Set(shown).size, 4);
  for (const name of shown) assert.match(name, /^[ab]__a-tool[a-z-]*_[0-9a-f]{8}$/);
  assert.deepEqual(
    shown.map(({ length }) => length),
    [64, 64, 64, 64],
  );
  const { client: stranger } = await connect(t, gateway.url);
  const meant = async (from) =>
    (await Promise.all(shown.map((name) => told(from, name)))).map(({ label, name }) => `${label} ${name}`).toSorted();
  const expected = ['a', 'b'].flatMap((label) => names.map((name) => `${label} ${name}`));
  assert.deepEqual(await meant(client), expected);
  assert.deepEqual(await meant(stranger), expected);
  const unlike = `${shown[0].slice(0, -8)}00000000`;
  await assert.rejects(call(stranger, unlike), { code: -32602 });
});

test('a server without a prefix keeps its names, and another has the prefix that it was given', async (t) => {
  const mcpServers = {
    plain: made({ label: 'plain' }, { prefix: '' }),
    named: made({ label: 'named' }, { prefix: 'my' }),
  };
  const gateway = await gatewayWith(t, { mcpServers, gateway: PATIENT });
  const { client } = await connect(t, gateway.url);
  assert.deepEqual(await namesOf(client), ['tool-1', 'my__tool-1']);
  assert.equal((await told(client, 'tool-1')).label, 'plain');
  assert.equal((await told(client, 'my__tool-1')).label, 'named');
  const { resources } = await client.listResources();
  assert.deepEqual(
    resources.map(({ uri }) => uri),
    ['test://resource/1', 'troupe://named/test://resource/1'],
  );
  await assert.rejects(told(client, 'named__tool-1'), { code: -32602 });
});

test('a server may have any name: prefixes, URIs and paths have it in writing that is allowed there', async (t) => {
  const mcpServers = { 'größe (1) %41': made({ label: 'odd' }), other: made({ label: 'other' }) };
  const gateway = await gatewayWith(t, { mcpServers, gateway: PATIENT });
  const { client } = await connect(t, gateway.url);
  const [name] = await namesOf(client);
  assert.match(name, /^[A-Za-z0-9_-]+__tool-1$/);
  assert.equal((await told(client, name)).label, 'odd');
  const [{ uri }] = (await client.listResources()).resources;
  assert.equal(uri, 'troupe://gr%C3%B6%C3%9Fe%20%281%29%20%2541/test://resource/1');
  assert.equal((await client.readResource({ uri })).contents[0].uri, uri);
  const own = await connect(t, gateway.at(`/servers/${encodeURIComponent('größe (1) %41')}/mcp`));
  assert.equal((await told(own.client, 'tool-1')).label, 'odd');
});

test("what two servers without a prefix both have is the first one's", async (t) => {
  const mcpServers = {
    first: made({ label: 'first' }, { prefix: '' }),
    second: made({ label: 'second', items: 2 }, { prefix: '' }),
  };
  const gateway = await gatewayWith(t, { mcpServers }, DEBUG);
  const { client } = await connect(t, gateway.url);
  await untilListed(client, namesOf, 'tool-1', 'tool-2');
  await untilListed((await connect(t, gateway.url)).client, namesOf, 'tool-1', 'tool-2');
  assert.equal((await told(client, 'tool-1')).label, 'first');
  assert.equal((await told(client, 'tool-2')).label, 'second');
  const problem = 'the tool `tool-1` of `second` is left out of merged lists, because `first` has one of that name';
  const { problems } = await debugState(gateway);
  assert.equal(problems.filter((one) => one.startsWith(problem)).length, 1, problems.join('\n'));
  await until('it is logged', () => gateway.log.some((line) => line.includes(problem)));
  assert.equal(gateway.log.filter((line) => line.includes(problem)).length, 1, gateway.told('not logged once'));
});

test('the UI of a tool keeps its scheme, and is read from the server of the tool alone', async (t) => {
  const ui = 'ui://app/view';
  const mcpServers = { one: made({ label: 'one', ui }), two: made({ label: 'two', ui }, { prefix: '' }) };
  const gateway = await gatewayWith(t, { mcpServers, gateway: PATIENT });
  const { client } = await connect(t, gateway.url);
  await untilListed(client, namesOf, 'one__tool-1', 'tool-1');
  const { tools } = await client.listTools();
  const uris = ['ui://one/app/view', 'ui://two/app/view'];
  assert.deepEqual(
    tools.map(({ _meta }) => _meta),
    uris.map((resourceUri) => ({ ui: { resourceUri }, 'ui/resourceUri': resourceUri })),
  );
  const { resources } = await client.listResources();
  assert.deepEqual(resources.map(({ uri }) => uri).filter((uri) => uri.startsWith('ui:')), uris);
  for (const [index, uri] of uris.entries()) {
    const label = ['one', 'two'][index];
    assert.deepEqual((await client.readResource({ uri })).contents, [{ uri, text: label }]);
    const { content } = await call(client, tools[index].name);
    assert.equal(content.find(({ type }) => type === 'resource_link').uri, uri);
  }
  for (const uri of [ui, 'ui://three/app/view', 'ui://one', 'test://elsewhere'])
    await assert.rejects(client.readResource({ uri }), ({ code }) => [-32002, -32602].includes(code), uri);
});

// -- filters -----------------------------------------------------------------------

test('tools that a filter leaves out are neither listed nor callable, merged or alone', async (t) => {
  const tools = { allow: ['tool-?', '*-extra'], deny: ['tool-2'] };
  const mcpServers = {
    some: made({ label: 'some', items: 10, names: ['an-extra'], page: 4 }, { tools }),
    all: made({ label: 'all', items: 2 }),
  };
  const gateway = await gatewayWith(t, { mcpServers, gateway: PATIENT });
  const allowed = [...[1, 3, 4, 5, 6, 7, 8, 9].map((n) => `tool-${n}`), 'an-extra'];
  for (const [path, prefix] of [
    ['/mcp', 'some__'],
    ['/servers/some/mcp', ''],
  ]) {
    const { client } = await connect(t, gateway.at(path));
    const seen = [];
    let cursor;
    do {
      const page = await client.listTools({ cursor });
      seen.push(...page.tools.map(({ name }) => name).filter((name) => !name.startsWith('all__')));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    assert.deepEqual(
      seen,
      allowed.map((name) => prefix + name),
      path,
    );
    assert.equal((await told(client, `${prefix}an-extra`)).name, 'an-extra');
    for (const name of ['tool-2', 'tool-10'])
      await assert.rejects(call(client, prefix + name), { code: -32602 }, `${name} at ${path}`);
  }
  const { client } = await connect(t, gateway.url);
  assert.equal((await told(client, 'all__tool-2')).label, 'all');
});

// -- both directions -----------------------------------------------------------------

const twins = { one: entry(fixture('stdio')), two: entry(fixture('stdio')) };

test('a cancelled call is cancelled in its server and in no other', async (t) => {
  const gateway = await gatewayWith(t, { mcpServers: twins });
  const { client } = await connect(t, gateway.url);
  const cancelled = (server) => call(client, `${server}__cancelled_calls`).then(textOf);
  const { promise: waiting, resolve: onprogress } = Promise.withResolvers();
  const kept = new AbortController();
  const keeping = call(client, 'two__wait_for_cancel', {}, { signal: kept.signal, onprogress });
  await waiting;
  const abort = new AbortController();
  const options = { signal: abort.signal, onprogress: () => abort.abort('enough') };
  await assert.rejects(call(client, 'one__wait_for_cancel', {}, options), /enough/);
  await until('the server noticed', async () => (await cancelled('one')) === '1');
  assert.equal(await cancelled('two'), '0');
  kept.abort('enough');
  await assert.rejects(keeping, /enough/);
  await until('the other noticed', async () => (await cancelled('two')) === '1');
  assert.equal(await cancelled('one'), '1');
});

test('progress of calls to several servers at once goes to its call', async (t) => {
  const gateway = await gatewayWith(t, { mcpServers: { ...twins, everything: entry(everything) } });
  // By hand, because the official client drops progress that it reads in one piece with the answer.
  const session = await openSession(gateway.url);
  let calls = 0;
  const totals = async (name, args = {}) => {
    const id = ++calls;
    const messages = await (await session.post(toolCall(id, name, args, `of ${id}`))).all();
    assert.deepEqual([messages.at(-1).id, messages.at(-1).error], [id, undefined]);
    const steps = messages.filter(({ method }) => method === 'notifications/progress');
    assert.deepEqual([...new Set(steps.map(({ params }) => params.progressToken))], [`of ${id}`]);
    return [...new Set(steps.map(({ params }) => params.total))];
  };
  const long = (steps) => totals('everything__trigger-long-running-operation', { duration: 0.5, steps });
  const short = (server) => totals(`${server}__test_tool_with_progress`);
  assert.deepEqual(await Promise.all([long(4), short('one'), long(5), short('two')]), [[4], [100], [5], [100]]);
});

test('the level to log at reaches every server, also one that is started later', async (t) => {
  const servers = { one: made({ label: 'one' }), two: made({ label: 'two' }), late: made({ label: 'late' }) };
  const gateway = await gatewayWith(t, { mcpServers: servers });
  await namesOf((await connect(t, gateway.url)).client);
  const { client } = await connect(t, gateway.url);
  const level = async (server) => (await told(client, `${server}__tool-1`)).level;
  assert.deepEqual([await level('one'), await level('two')], ['none', 'none']);
  await client.setLoggingLevel('error');
  assert.deepEqual([await level('one'), await level('two'), await level('late')], ['error', 'error', 'error']);
});

test('a tool that any server adds later is announced and callable', async (t) => {
  const gateway = await gatewayWith(t, { mcpServers: twins, gateway: PATIENT });
  const { client } = await connect(t, gateway.url);
  const changes = count(client, ToolListChangedNotificationSchema);
  for (const [index, server] of Object.keys(twins).entries()) {
    await call(client, `${server}__add_tool`, { name: 'encore' });
    await until('the change is reported', () => changes.length > index);
    assert.deepEqual((await namesOf(client)).filter((name) => name.endsWith('encore')).length, index + 1);
    assert.equal(textOf(await call(client, `${server}__encore`)), 'I am encore');
  }
});

test('two servers that ask under the same id get the answer to their own question', async (t) => {
  const mcpServers = { one: entry(fixture('hostile')), two: entry(fixture('hostile')) };
  const gateway = await gatewayWith(t, { mcpServers });
  const session = await openSession(gateway.url, LATEST, { sampling: {} });
  const method = 'sampling/createMessage';
  const ask = (id, server) =>
    session.post({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name: `${server}__ask`, arguments: { method, params: { server } } },
    });
  const replies = { one: await ask(1, 'one'), two: await ask(2, 'two') };
  const questions = {};
  for (const [server, reply] of Object.entries(replies))
    questions[server] = await reply.message(`the question of ${server}`, (message) => message.method === method);
  assert.notEqual(questions.one.id, questions.two.id);
  for (const server of ['two', 'one']) {
    const result = { answerTo: questions[server].params.server };
    assert.equal((await session.post({ jsonrpc: '2.0', id: questions[server].id, result })).status, 202);
    assert.match(JSON.stringify((await replies[server].all()).at(-1)), new RegExp(`answerTo[^a-z]+${server}`));
  }
  await session.delete();
});

// -- servers that do not answer -------------------------------------------------------

test('a server that cannot be started delays nobody: its part is missing', async (t) => {
  const mcpServers = { dead, alive: made({ label: 'alive', items: 2 }) };
  const gateway = await gatewayWith(t, { mcpServers, gateway: { listPatience: FOR_EVER } });
  const { client } = await connect(t, gateway.url);
  assert.ok(client.getServerCapabilities().tools);
  assert.deepEqual(await namesOf(client), ['alive__tool-1', 'alive__tool-2']);
  assert.equal((await told(client, 'alive__tool-2')).label, 'alive');
  await assert.rejects(call(client, 'dead__tool-1'), { code: -32603 });
  assert.deepEqual(await namesOf(client), ['alive__tool-1', 'alive__tool-2']);
});

test('a server that never answers delays nobody for long: its part is missing', async (t) => {
  const mcpServers = { hanging, alive: made({ label: 'alive' }) };
  const gateway = await gatewayWith(t, { mcpServers, gateway: { listPatience: '500ms', grace: '0s' } });
  const { client } = await connect(t, gateway.url);
  const pending = call(client, 'hanging__tool-1').catch(() => {});
  assert.equal((await told(client, 'alive__tool-1')).label, 'alive');
  await untilListed(client, namesOf, 'alive__tool-1');
  await untilListed(client, promptsOf, 'alive__prompt-1');
  const { client: second } = await connect(t, gateway.url);
  assert.equal((await told(second, 'alive__tool-1')).label, 'alive');
  await untilListed(second, namesOf, 'alive__tool-1');
  await gateway.stop();
  await pending;
});

test('a call to a server that never answers initialize fails once its time is over', async (t) => {
  const mcpServers = { hanging, alive: made({ label: 'alive' }) };
  const gateway = await gatewayWith(t, { mcpServers, gateway: { listPatience: '200ms', initializeTimeout: '8s' } });
  const { client } = await connect(t, gateway.url);
  await assert.rejects(call(client, 'hanging__tool-1'), { code: -32603 });
  assert.equal((await told(client, 'alive__tool-1')).label, 'alive');
});

test('all servers dead make an empty server, not an error', async (t) => {
  const gateway = await gatewayWith(t, { mcpServers: { one: dead, two: dead } });
  const { client } = await connect(t, gateway.url);
  assert.equal(client.getServerVersion().name, 'troupe');
  assert.deepEqual(await client.ping(), {});
  const session = await openSession(gateway.url);
  const [{ result }] = await (await session.post({ jsonrpc: '2.0', id: 1, method: 'tools/list' })).all();
  assert.deepEqual(result, { tools: [] });
  await session.delete();
  const [{ error }] = await (await post(gateway.at('/servers/one/mcp'), initializeRequest())).all();
  assert.equal(error.code, -32603);
});

// Asserts that a list with missing parts is announced later, and is complete then.
async function assertComesBack(t, server, comeBack) {
  const mcpServers = { back: server, alive: made({ label: 'alive' }) };
  const gateway = await gatewayWith(t, { mcpServers, gateway: { listPatience: '500ms' } });
  const { client } = await connect(t, gateway.url);
  const changes = [
    ToolListChangedNotificationSchema,
    PromptListChangedNotificationSchema,
    ResourceListChangedNotificationSchema,
  ].map((schema) => count(client, schema));
  await untilListed(client, namesOf, 'alive__tool-1');
  await untilListed(client, promptsOf, 'alive__prompt-1');
  await untilListed(client, resourcesOf, 'resource 1');
  changes.forEach((seen) => seen.splice(0));
  comeBack();
  await until('the changes are reported', () => changes.every((seen) => seen.length > 0));
  await untilListed(client, namesOf, 'back__tool-1', 'alive__tool-1');
  await untilListed(client, promptsOf, 'back__prompt-1', 'alive__prompt-1');
  await untilListed(client, resourcesOf, 'resource 1', 'resource 1');
  assert.equal((await told(client, 'back__tool-1')).label, 'back');
}

for (const sharing of ['session', 'shared']) {
  test(`a server that starts to answer late is announced and then in all lists: ${sharing}`, async (t) => {
    const there = newFile();
    await assertComesBack(t, made({ label: 'back', after: there }, { sharing }), () => writeFileSync(there, ''));
  });

  test(`a server whose program is installed later is announced and then in all lists: ${sharing}`, async (t) => {
    const there = newFile();
    const [program, ...args] = fixture('merged', JSON.stringify({ label: 'back' }));
    const restart = { firstDelay: '100ms', longestDelay: '200ms', attempts: 1000 };
    const server = { command: there, args, restart, sharing };
    await assertComesBack(t, server, () => symlinkSync(program, there));
  });
}
