// A server that reads more leniently than the specification has it: rules hold for what it reads, not for what is written.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { suite, test } from './lib/at-once.mjs';
import { lasting } from './lib/cluster.mjs';
import { gatewayWith } from './lib/config.mjs';
import { bearer, KeyFile, newKey } from './lib/credentials.mjs';
import { fixture } from './lib/gateway.mjs';
import { Caller } from './lib/modern.mjs';
import { scratch } from './lib/scratch.mjs';
import { openSession, post } from './lib/session.mjs';
import { openSseSession } from './lib/sse.mjs';

const [command, ...args] = fixture('lenient', scratch());
const ONLY_ADA = { names: ['ada'] };
const keys = ['ada', 'bob'].map((name) => newKey(name));
const bob = bearer(keys[1].secret);
const DANGER = { name: 'danger', arguments: {} };
const call = (method = 'tools/call', id = undefined) => ({ jsonrpc: '2.0', id, method, params: DANGER });

suite('a server that reads leniently', { concurrency: 4 }, () => {
  let gateway;
  const t = lasting();
  before(async () => {
    const access = { tools: { danger: ONLY_ADA } };
    const guarded = { command, args, sharing: 'shared', access };
    const filtered = { command, args, sharing: 'shared', tools: { deny: ['danger'] } };
    gateway = await gatewayWith(t, {
      mcpServers: { guarded, filtered }, gateway: { auth: { keys: new KeyFile(...keys).path } },
    });
  });
  after(() => t.end());

  const at = (server) => gateway.at(`/servers/${server}/mcp`);
  const ranAt = async (server) =>
    JSON.parse((await (await openSession(at(server), undefined, {}, bob)).call(1, 'ran')).result.content[0].text);

  test('runs no call that nobody waits for', async () => {
    for (const server of ['guarded', 'filtered']) {
      const session = await openSession(at(server), undefined, {}, bob);
      const older = await openSession(at(server), '2025-03-26', {}, bob);
      const modern = new Caller(at(server), { headers: bob });
      const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
      for (const reply of [
        await session.post(call()), await session.post(call('notifications/x', 1)), await older.post([ping, call()]),
        await older.post([call(), call()]), await modern.post(call()), await post(at(server), call(), bob),
      ]) {
        await reply.done;
        assert.equal(reply.status, 400, reply.received);
      }
      assert.deepEqual(await ranAt(server), [], server);
    }
    const merged = await openSession(gateway.at('/mcp'), undefined, {}, bob);
    const sse = await openSseSession(gateway, undefined, {}, bob);
    for (const session of [merged, sse]) {
      const reply = await session.post(call());
      await reply.done;
      assert.equal(reply.status, 400, reply.received);
    }
    for (const server of ['guarded', 'filtered']) assert.deepEqual(await ranAt(server), [], server);
    assert.match((await merged.call(2, 'guarded__harmless')).result.content[0].text, /harmless/);
  });

  test('is asked for nothing that it may take for something else', async () => {
    for (const server of ['guarded', 'filtered']) {
      const session = await openSession(at(server), undefined, {}, bob);
      const modern = new Caller(at(server), { headers: bob });
      for (const method of ['tools/call ', 'Tools/Call', ' TOOLS/CALL', 'tools/call\u0000', '\ufefftools/call']) {
        const [answer] = await (await session.post(call(method, 1))).all();
        assert.equal(answer.error.code, -32601, JSON.stringify(answer));
        const fields = { 'mcp-method': encodeURIComponent(method) };
        const reply = await modern.post({ ...call('x', 1), method }, fields);
        await reply.done;
        assert.notEqual(reply.status, 200, reply.received);
      }
      const reply = await modern.ask('Tools/Call', DANGER);
      assert.equal(reply.error.code, -32601);
      assert.ok(!(await ranAt(server)).includes('danger'), server);
    }
  });
});
