// A server that parses more leniently than the specification. Access rules apply to its readings, not to the literal
// text.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { suite, test } from './lib/concurrently.mjs';
import { lasting } from './lib/cluster.mjs';
import { gatewayWith } from './lib/config.mjs';
import { bearer, KeyFile, newKey } from './lib/credentials.mjs';
import { fixture } from './lib/gateway.mjs';
import { Caller } from './lib/modern.mjs';
import { scratch } from './lib/scratch.mjs';
import { openSession, post } from './lib/session.mjs';
import { openSseSession } from './lib/sse.mjs';

const directory = scratch();
for (const name of ['public/notes.txt', 'secret/s.txt']) {
  mkdirSync(join(directory, name, '..'), { recursive: true });
  writeFileSync(join(directory, name), `here are the ${name}`);
}
const [command, ...args] = fixture('lenient', directory);
const ONLY_ADA = { names: ['ada'] };
const keys = ['ada', 'bob'].map((name) => newKey(name));
const [ada, bob] = keys.map(({ secret }) => bearer(secret));
const DANGER = { name: 'danger', arguments: {} };
const call = (method = 'tools/call', id = undefined) => ({ jsonrpc: '2.0', id, method, params: DANGER });

// Spellings that some servers accept, but not a parser by RFC 3986.
const WAYS_TO_SECRET = [
  'file:///public/../secret/s.txt?%zz', 'file:///public/../secret/s.txt#%', 'file:///public/../secret/s.txt##',
  'file:///public[/../secret/s.txt', 'file:/public/../secret/s.txt#a#b', 'FILE:///secret/s.txt#a#b',
  'file://LOCALHOST/secret/s.txt#%', 'file:public/../secret/s.txt', 'file:\\public\\..\\secret\\s.txt?%',
  'file:///public/%2E%2e/secret/s.txt#<', ' \u0001file:///secret/s.txt', 'file:///sec\tret/s.txt?|',
  'file:///public/..\\secret/s.txt?^', 'file:///secret/%73.txt?%', 'file://[::1]/secret/s.txt#"', 'x:/secret/../secret/s.txt',
];

suite('a server that reads leniently', { concurrency: 4 }, () => {
  let gateway;
  const t = lasting();
  before(async () => {
    const access = { tools: { danger: ONLY_ADA }, resources: { 'file:///secret/*': ONLY_ADA, 'x:/secret/*': ONLY_ADA } };
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

  test('reads no resource for those who may not, whatever its URI is written like', async () => {
    const session = await openSession(at('guarded'), undefined, {}, bob);
    const merged = await openSession(gateway.at('/mcp'), undefined, {}, bob);
    const modern = new Caller(at('guarded'), { headers: bob });
    const hers = await openSession(at('guarded'), undefined, {}, ada);
    const read = async (who, uri) => {
      const params = { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri } };
      return JSON.stringify((await (await who.post(params)).all()).at(-1));
    };
    for (const uri of WAYS_TO_SECRET) {
      for (const said of [
        await read(session, uri), await read(merged, `troupe://guarded/${uri}`),
        // A header field has no control characters.
        // eslint-disable-next-line no-control-regex
        /[\0-\x1f]/.test(uri) ? '{}' : JSON.stringify(await modern.ask('resources/read', { uri: uri.trim() })),
      ])
        assert.doesNotMatch(said, /here are/, uri);
    }
    assert.match(await read(hers, 'file:///public/../secret/s.txt?%zz'), /here are the secret/);
    for (const uri of ['file:///public/notes.txt', 'file:///x/../public/notes.txt?%zz#a#b'])
      assert.match(await read(session, uri), /here are the public/, uri);
  });
});
