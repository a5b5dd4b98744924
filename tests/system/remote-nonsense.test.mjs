// Remote servers with invalid answers: that call fails, and others are unaffected.
import assert from 'node:assert/strict';
import { remoteFor, text } from './fixture/remote-script.mjs';
import { suite, test } from './lib/concurrently.mjs';
import { FAR, gatewayTo, givesBack, isLost, textOf, works } from './lib/remote-beside-local.mjs';
import { initializeRequest, openSession, post, toolCall } from './lib/session.mjs';
import { until } from './lib/until.mjs';

const json = (body) => (exchange) => exchange.status(200, { 'content-type': 'application/json' }, body);
const events = (body) => (exchange) => exchange.stream().response.end(body);
const initializeWith = (id) => (exchange) => exchange.result({}, { 'mcp-session-id': id });
const NONSENSE = {
  'no JSON': json('oops'),
  nothing: json(''),
  'JSON that is no message': json('{"a":[1,2,3]}'),
  'an answer to another question': json('{"jsonrpc":"2.0","id":"stranger","result":{}}'),
  'JSON that nests too deep': json('['.repeat(100_000)),
  'bytes that are no text': (exchange) => json(Buffer.from([0xff, 0xfe, 0x00, 0x80]))(exchange),
  'a page': (exchange) => exchange.status(200, { 'content-type': 'text/html' }, '<html>hello</html>'),
  'no type': (exchange) => exchange.status(200, {}, '{}'),
  '202 to a request': (exchange) => exchange.status(202),
  'status 500': (exchange) => exchange.status(500, {}, 'oops'),
  'a stream without events': events(''),
  'a stream of garbage': events('data: oops\n\ndata\n\n: \n\ndata: {}\n\nevent: x\ndata: 1\n\n\u0000\n\n'),
  'no HTTP': (exchange) => exchange.response.socket.end('SSH-2.0-OpenSSH_9.2\r\n\r\n'),
  'a header without end': (exchange) => exchange.response.socket.end(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(200_000)}`),
};

suite('a remote server that answers', { concurrency: 4 }, () => {
  for (const [name, answer] of Object.entries(NONSENSE))
    test(`${name} fails that call, or initialize, and no other`, async (t) => {
      const remote = await remoteFor(t);
      const gateway = await gatewayTo(t, remote.url, { type: 'streamable-http' });
      await givesBack(gateway, async () => {
        const session = await openSession(gateway.at(FAR));
        remote.on['tools/call'] = answer;
        const failed = await (await session.post(toolCall(1, 'echo', { message: 'x' }))).all();
        assert.deepEqual([failed.length, failed[0].id, failed[0].error?.code], [1, 1, -32603]);
        remote.on = { initialize: answer };
        const opening = await post(gateway.at(FAR), initializeRequest());
        assert.ok(isLost((await opening.all()).at(-1)), opening.received);
        assert.equal(opening.headers['mcp-session-id'], undefined);
        remote.on = {};
        assert.ok(await works(session));
        await session.delete();
        remote.listener.closeAllConnections();
      });
    });

  for (const [name, id] of Object.entries({ 'has a blank': 'a b', 'is too long': 'x'.repeat(1_025) }))
    test(`initialize with a session id that ${name} is an error for the client`, async (t) => {
      const remote = await remoteFor(t, { on: { initialize: initializeWith(id) } });
      const gateway = await gatewayTo(t, remote.url);
      const [answer] = await (await post(gateway.at(FAR), initializeRequest())).all();
      assert.ok(isLost(answer), JSON.stringify(answer));
    });

  test('and never ends its streams leaves nothing behind', async (t) => {
    const remote = await remoteFor(t);
    remote.on['tools/call'] = (exchange) => {
      const drops = setInterval(() => exchange.response.write(': more\n\n'), 20);
      exchange.response.on('close', () => clearInterval(drops));
      exchange.stream().event({ id: exchange.id, result: text('more') });
    };
    const gateway = await gatewayTo(t, remote.url);
    await givesBack(gateway, async () => {
      const session = await openSession(gateway.at(FAR));
      const answers = await Promise.all(Array.from({ length: 20 }, (_, id) => session.call(id, 'echo')));
      assert.deepEqual(new Set(answers.map(textOf)), new Set(['more']));
      await session.delete();
      const calls = remote.named('tools/call');
      await until('all are hung up', () => calls.every(({ response }) => response.destroyed), 20_000);
    });
  });
});
