// A reloaded configuration file: unchanged servers and their sessions continue.
import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { test } from './lib/concurrently.mjs';
import { connect } from './lib/client.mjs';
import { gatewayWith, reload, replaceFile } from './lib/config.mjs';
import { fixture, serve } from './lib/gateway.mjs';
import { assertHeld, hold, latch } from './lib/held-calls.mjs';
import { request } from './lib/http.mjs';
import { isRunning } from './lib/processes.mjs';
import { scratch } from './lib/scratch.mjs';
import { initializeRequest, openSession, post, toolCall } from './lib/session.mjs';
import { assertBack, baseLine, DEBUG, debugState } from './lib/state.mjs';
import { until } from './lib/until.mjs';

const RELOADS = 20;
const GONE_LIMIT = 20_000;

const server = (...tools) => {
  const [command, ...args] = fixture('reload-server', ...tools);
  return { command, args };
};
const config = (mcpServers, gateway = {}) => ({ mcpServers, gateway });
const at = (gateway, name) => gateway.at(`/servers/${name}/mcp`);

const logged = (gateway, ...texts) => gateway.log.filter((line) => texts.every((text) => line.includes(text)));

async function told(session, tool = 'told') {
  const { result, error } = await session.call(tool, tool);
  assert.equal(error, undefined, JSON.stringify(error));
  return JSON.parse(result.content[0].text);
}

async function isServed(gateway, name) {
  const reply = await post(at(gateway, name), initializeRequest());
  await reply.done;
  const id = reply.headers['mcp-session-id'];
  // The server may be removed while it initializes, which gives a 200 with an error.
  if (reply.status !== 200 || !id) return false;
  await request(at(gateway, name), { method: 'DELETE', headers: { 'mcp-session-id': id } });
  return true;
}
const statusOf = async (session) => (await session.ping()).status;
const isGone = (session) => until('the session is gone', async () => (await statusOf(session)) === 404);
const running = (gateway, pid) => gateway.children().find((child) => child.pid === pid);

// -- differences -------------------------------------------------------------------------------------------------

test('a server that has not changed keeps its process, its session, the call in flight and the stream', async (t) => {
  const gateway = await gatewayWith(t, config({ a: server(), b: server() }));
  const session = await openSession(at(gateway, 'a'));
  const stream = await session.listen();
  const { pid } = await told(session);
  const { file, open } = latch();
  const reply = await hold(session, file);
  const change = await reload(gateway, config({ c: server(), a: server() }));
  assert.deepEqual([change.added, change.removed, change.changed], ['c', 'b', undefined]);
  await until('the new server is there', () => isServed(gateway, 'c'));
  assert.ok(!reply.ended && !stream.ended);
  open();
  await assertHeld(reply);
  assert.equal((await told(session)).pid, pid);
  await session.call(3, 'announce');
  await stream.message('it goes on on the stream', ({ params }) => params?.data === 'announced');
});

test('a server that is removed while nothing runs ends its sessions and its process at once', async (t) => {
  const gateway = await gatewayWith(t, config({ a: server(), b: server() }));
  const session = await openSession(at(gateway, 'b'));
  const stream = await session.listen();
  const process = running(gateway, (await told(session)).pid);
  await reload(gateway, config({ a: server() }));
  await isGone(session);
  await stream.done;
  await until('its process ends', () => !isRunning(process));
});

test('the log and the client are not told that the gateway stops when only a server is removed', async (t) => {
  const gateway = await gatewayWith(t, config({ a: server(), b: server() }));
  const session = await openSession(at(gateway, 'b'));
  const { file, open } = latch();
  const reply = await hold(session, file);
  await reload(gateway, config({ a: server() }));
  const further = await until('it takes no new calls', async () => {
    const one = await session.post(toolCall('more', 'told'));
    await one.done;
    return one.status !== 200 && one;
  });
  assert.doesNotMatch(further.received, /gateway is stopping/);
  open();
  await assertHeld(reply);
  const ended = await until('its end is logged', () => logged(gateway, 'session ended')[0]);
  assert.doesNotMatch(ended, /gateway stops/);
});

for (const sharing of ['session', 'shared', 'pool']) {
  test(`a ${sharing} server that is removed finishes its call, then its session and its process end`, async (t) => {
    const gateway = await gatewayWith(t, config({ a: server(), b: { ...server(), sharing } }));
    const session = await openSession(at(gateway, 'b'));
    const stream = await session.listen();
    const process = running(gateway, (await told(session)).pid);
    const { file, open } = latch();
    const reply = await hold(session, file);
    await reload(gateway, config({ a: server() }));
    await until('it takes no new sessions', async () => !(await isServed(gateway, 'b')));
    assert.equal((await post(at(gateway, 'b'), initializeRequest())).status, 404);
    assert.ok(!reply.ended && isRunning(process), 'the call goes on');
    open();
    await assertHeld(reply);
    await isGone(session);
    await stream.done;
    await until('its process ends', () => !isRunning(process), GONE_LIMIT);
  });

  test(`a ${sharing} server that has changed is another for new sessions, the old ends with its calls`, async (t) => {
    const gateway = await gatewayWith(t, config({ a: { ...server('before'), sharing } }));
    const session = await openSession(at(gateway, 'a'));
    const process = running(gateway, (await told(session)).pid);
    const { file, open } = latch();
    const reply = await hold(session, file);
    const change = await reload(gateway, config({ a: { ...server('after'), sharing } }));
    assert.equal(change.changed, 'a');
    // A session that begins during the change may still get the old server, and end with it.
    const next = await until('new sessions have the new one', async () => {
      const one = await openSession(at(gateway, 'a')).catch(() => undefined);
      const { result } = one ? await one.call(1, 'told') : {};
      return result && JSON.parse(result.content[0].text).args[0] === 'after' && one;
    });
    assert.ok(!reply.ended && isRunning(process), 'the call goes on');
    open();
    await assertHeld(reply);
    await isGone(session);
    await until('its process ends', () => !isRunning(process), GONE_LIMIT);
    assert.equal(await statusOf(next), 200);
  });
}

for (const sharing of ['shared', 'pool'])
  test(`the processes of a ${sharing} server stay when it has not changed, and end when it is removed`, async (t) => {
    const one = { ...server(), sharing, eager: true };
    const gateway = await gatewayWith(t, config({ a: one, b: one }), DEBUG);
    const upstreams = async (name) => (await debugState(gateway)).upstreams.filter((each) => each.server === name);
    const pidsOf = async (name) => (await upstreams(name)).map(({ pid }) => pid).toSorted();
    await until('all run', async () => (await pidsOf('a')).length > 0 && (await pidsOf('b')).length > 0);
    const session = await openSession(at(gateway, 'a'));
    const { pid } = await told(session);
    const count = { shared: 1, pool: 3 }[sharing];
    await until('the pool is full again', async () => (await pidsOf('a')).length === count);
    const kept = await pidsOf('a');
    const removed = (await pidsOf('b')).map((each) => running(gateway, each));
    await reload(gateway, config({ a: one }));
    await until('the processes of the other end', () => !removed.some(isRunning));
    assert.deepEqual(await pidsOf('a'), kept);
    assert.equal((await told(session)).pid, pid);
  });

// -- the merged endpoint -----------------------------------------------------------------------------------------

const namesOf = (prefix, own) => ['told', 'hold', 'announce', own].map((name) => `${prefix}__${name}`);

test('where servers are merged the client is told, and has other tools in the same session', async (t) => {
  const gateway = await gatewayWith(t, config({ a: server('one'), b: server('two') }));
  let changes = 0;
  const { client, transport } = await connect(t, gateway.url, {}, (client) =>
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => void ++changes),
  );
  const tools = async () => (await client.listTools()).tools.map(({ name }) => name);
  const call = async (name) => (await client.callTool({ name })).content[0].text;
  assert.deepEqual(await tools(), [...namesOf('a', 'one'), ...namesOf('b', 'two')]);
  const { pid } = JSON.parse(await call('a__told'));
  const id = transport.sessionId;
  const before = changes;
  await reload(gateway, config({ a: server('one'), c: server('three') }));
  await until('the client is told', () => changes > before);
  assert.deepEqual(await tools(), [...namesOf('a', 'one'), ...namesOf('c', 'three')]);
  assert.equal(await call('c__three'), 'three');
  await assert.rejects(call('b__two'), { code: -32602 });
  assert.equal(JSON.parse(await call('a__told')).pid, pid);
  assert.equal(transport.sessionId, id);
});

test('the names of one server have no prefix until a second is added, which the client is told', async (t) => {
  const gateway = await gatewayWith(t, config({ a: server('one') }));
  let changes = 0;
  const { client } = await connect(t, gateway.url, {}, (client) =>
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => void ++changes),
  );
  const tools = async () => (await client.listTools()).tools.map(({ name }) => name);
  const plain = namesOf('', 'one').map((name) => name.slice(2));
  assert.deepEqual(await tools(), plain);
  const told = async (name) => JSON.parse((await client.callTool({ name })).content[0].text);
  const { pid } = await told('told');
  const reloads = async (servers) => {
    const before = changes;
    await reload(gateway, config(servers));
    await until('the client is told', () => changes > before);
  };
  await reloads({ a: server('one'), b: server('two') });
  assert.deepEqual(await tools(), [...namesOf('a', 'one'), ...namesOf('b', 'two')]);
  assert.equal((await told('a__told')).pid, pid);
  await reloads({ a: server('one') });
  assert.deepEqual(await tools(), plain);
  assert.equal((await told('told')).pid, pid);
});

test('where servers are merged calls go on, those of a removed server too, and then it ends', async (t) => {
  const gateway = await gatewayWith(t, config({ a: server(), b: server() }));
  const [staying, leaving] = await Promise.all([openSession(gateway.url), openSession(gateway.url)]);
  const { file, open } = latch();
  const kept = await hold(staying, file, 'a__hold');
  const last = await hold(leaving, file, 'b__hold');
  const process = running(gateway, (await told(leaving, 'b__told')).pid);
  await reload(gateway, config({ a: server(), c: server() }));
  await until('the removed one is gone', async () => (await leaving.call(1, 'b__told')).error?.code === -32602);
  assert.ok(!kept.ended && !last.ended && isRunning(process));
  open();
  await assertHeld(kept);
  await assertHeld(last);
  assert.equal((await leaving.call(2, 'c__told')).error, undefined);
  await until('its process ends', () => !isRunning(process), GONE_LIMIT);
});

// -- invalid files -----------------------------------------------------------------------------------------------

for (const by of ['SIGHUP', '--watch'])
  test(`a bad file that ${by} brings changes nothing, and the log says why with line and key`, async (t) => {
    const gateway = await gatewayWith(t, config({ a: server() }), ...(by === '--watch' ? [by] : []));
    const session = await openSession(at(gateway, 'a'));
    const { pid } = await told(session);
    await replaceFile(gateway, '{"mcpServers": {\n  "b": {"command": "x"},\n  "c": {"command": 1}\n}}');
    if (by === 'SIGHUP') gateway.child.kill(by);
    await until('the log tells it', () => logged(gateway, 'configuration not changed').length > 0);
    const [why] = logged(gateway, 'mcpServers.c.command').map((line) => JSON.parse(line));
    assert.deepEqual([why.level, why.key, why.line], ['error', 'mcpServers.c.command', '3']);
    assert.equal((await told(session)).pid, pid);
    assert.ok(await isServed(gateway, 'a'));
    assert.ok(!(await isServed(gateway, 'b')));
    await reload(gateway, config({ a: server(), d: server() }));
    await until('a good one is taken', () => isServed(gateway, 'd'));
    assert.equal((await told(session)).pid, pid);
  });

// -- changes of files --------------------------------------------------------------------------------------------

// A volume as Kubernetes mounts it: the file is a link through `..data`, which is swapped atomically.
class Volume {
  #version = 0;

  constructor(content) {
    this.path = scratch();
    this.put(content);
    symlinkSync('..data/mcp.json', join(this.path, 'mcp.json'));
  }

  put(content) {
    const old = `..v${this.#version}`;
    const name = `..v${++this.#version}`;
    mkdirSync(join(this.path, name));
    writeFileSync(join(this.path, name, 'mcp.json'), JSON.stringify(content));
    symlinkSync(name, join(this.path, '..data_tmp'));
    renameSync(join(this.path, '..data_tmp'), join(this.path, '..data'));
    rmSync(join(this.path, old), { recursive: true, force: true });
  }
}

const CHANGES = {
  'another file takes its place': replaceFile,
  'it is written in place': (gateway, content) => writeFile(gateway.configFile, JSON.stringify(content)),
};

async function assertFollows(t, gateway, change) {
  const session = await openSession(at(gateway, 'a'));
  const { pid } = await told(session);
  for (const name of ['b', 'c']) {
    await change(config({ a: server(), [name]: server() }));
    await until(`${name} is there`, () => isServed(gateway, name));
  }
  await until('b is gone', async () => !(await isServed(gateway, 'b')));
  assert.equal((await told(session)).pid, pid);
}

for (const [how, change] of Object.entries(CHANGES))
  test(`a watched file is read again when ${how}`, async (t) => {
    const gateway = await gatewayWith(t, config({ a: server() }), '--watch');
    await assertFollows(t, gateway, (content) => change(gateway, content));
  });

test('a watched file is read again when a link is swapped, as Kubernetes does', async (t) => {
  const volume = new Volume(config({ a: server() }));
  const gateway = await serve('--config', join(volume.path, 'mcp.json'), '--watch');
  t.after(() => gateway.stop());
  await assertFollows(t, gateway, (content) => volume.put(content));
});

test('a file that is not watched is not read again by itself', async (t) => {
  const gateway = await gatewayWith(t, config({ a: server() }));
  await replaceFile(gateway, config({ b: server() }));
  gateway.child.kill('SIGHUP');
  await until('b is there', () => isServed(gateway, 'b'));
  const watching = await serve('--config', gateway.configFile, '--watch');
  t.after(() => watching.stop());
  await replaceFile(gateway, config({ c: server() }));
  await until('one that watches it has read it', () => logged(watching, 'configuration changed').length > 0);
  for (let round = 0; round < 5; ++round) assert.ok(await isServed(gateway, 'b'));
  assert.equal(logged(gateway, 'configuration changed').length, 1);
});

// -- repetitions -------------------------------------------------------------------------------------------------

// The pause between two calls. Without it they would use up the machine.
const BREATH = 5;

// Calls in sequence until stopped; resolves with the number of answers.
function callers(sessions, tool) {
  let stopped = false;
  const one = async (session) => {
    let answered = 0;
    for (; !stopped; ++answered) {
      const { result, error } = await session.call(`call ${answered}`, tool);
      assert.ok(result, JSON.stringify(error));
      await pause(BREATH);
    }
    return answered;
  };
  const all = Promise.all(sessions.map(one));
  all.catch(() => {});
  return () => ((stopped = true), all);
}

async function listed(session) {
  const reply = await session.post({ jsonrpc: '2.0', id: 'list', method: 'tools/list' });
  const { result } = (await reply.all()).at(-1);
  return result.tools.map(({ name }) => name);
}

async function reloads(gateway, files, count) {
  const urls = [at(gateway, 'a'), at(gateway, 's'), at(gateway, 's'), gateway.url];
  const [alone, ...others] = await Promise.all(urls.map((url) => openSession(url)));
  const merged = others.pop();
  const pids = async () => {
    const here = [alone, ...others].map((session) => told(session));
    const all = await Promise.all([...here, told(merged, 'a__told'), told(merged, 's__told')]);
    return all.map(({ pid }) => pid);
  };
  const before = await pids();
  const load = [callers([alone, ...others], 'kept'), callers([merged], 'a__kept')];
  for (let round = 0; round < count; ++round) {
    const name = round % 2 ? 'b' : 'c';
    await reload(gateway, files[round % 2]);
    await until(`${name} is there`, async () => (await listed(merged)).includes(`${name}__told`));
  }
  const answered = (await Promise.all(load.map((stop) => stop()))).flat();
  assert.ok(answered.every((calls) => calls > 0), String(answered));
  assert.deepEqual(await pids(), before);
  await Promise.all([alone, ...others, merged].map((session) => session.delete()));
}

test(`${RELOADS} reloads in a row lose no call of a server that stays, and leave nothing behind`, async (t) => {
  const kept = { a: server('kept'), s: { ...server('kept'), sharing: 'shared' } };
  const files = ['c', 'b'].map((name) => config({ ...kept, [name]: server() }));
  const gateway = await gatewayWith(t, files[1], DEBUG);
  const before = await baseLine(gateway, () => reloads(gateway, files, 2));
  await reloads(gateway, files, RELOADS);
  await assertBack(gateway, before);
});
