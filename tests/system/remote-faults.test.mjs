// Failing remote servers and networks: others are unaffected, and all resources are released.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { remoteFor, text } from './fixture/remote-script.mjs';
import { suite, test } from './lib/concurrently.mjs';
import { AT_ONCE, FAR, gatewayTo, givesBack, isLost, textOf, works } from './lib/remote-beside-local.mjs';
import { fixture, serve } from './lib/gateway.mjs';
import { proxyFor } from './lib/proxy.mjs';
import { random, SEED } from './lib/random.mjs';
import { initializeRequest, openSession, post, toolCall } from './lib/session.mjs';
import { debugState } from './lib/state.mjs';
import { until } from './lib/until.mjs';
import { freePort } from './lib/ports.mjs';
import { startFixture } from './lib/via.mjs';

// -- the process ------------------------------------------------------------------------------------------------------

class Remote {
  static async start(t) {
    const remote = new Remote();
    remote.port = await freePort();
    t.after(() => remote.kill());
    await remote.start();
    return remote;
  }

  get url() {
    return `http://127.0.0.1:${this.port}/mcp`;
  }

  async start() {
    this.running = await startFixture(this.port);
  }

  async kill() {
    await this.running?.stop();
    this.running = undefined;
  }
}

const simple = (session, id) => session.call(id, 'test_simple_text');

suite('a remote server that', { concurrency: 4 }, () => {
  test('is killed fails its calls at once, and is spoken to again when it is back', async (t) => {
    const remote = await Remote.start(t);
    const gateway = await gatewayTo(t, remote.url);
    await givesBack(gateway, async () => {
      const session = await openSession(gateway.at(FAR));
      const waiting = await session.post(toolCall(1, 'wait_for_cancel', {}, 'doomed'));
      await waiting.message('progress', ({ method }) => method === 'notifications/progress');
      const began = Date.now();
      await remote.kill();
      assert.ok(isLost((await waiting.all()).at(-1)), waiting.received);
      assert.ok(isLost(await simple(session, 2)));
      assert.ok(Date.now() - began < 2 * AT_ONCE, `it took ${Date.now() - began} ms`);
      await remote.start();
      await until('it is back', async () => textOf(await simple(session, 3)));
      await (await session.delete()).done;
    });
  });

  test('hangs fails its calls in time, and is spoken to again when it goes on', async (t) => {
    const remote = await Remote.start(t);
    const gateway = await gatewayTo(t, remote.url, { timeout: '6s' });
    await givesBack(gateway, async () => {
      const session = await openSession(gateway.at(FAR));
      assert.ok(textOf(await simple(session, 1)));
      process.kill(remote.running.pid, 'SIGSTOP');
      t.after(() => remote.running && process.kill(remote.running.pid, 'SIGCONT'));
      const late = await Promise.all([2, 3, 4].map((id) => simple(session, id)));
      assert.ok(late.every(isLost), JSON.stringify(late));
      process.kill(remote.running.pid, 'SIGCONT');
      await until('it is back', async () => textOf(await simple(session, 5)));
      await (await session.delete()).done;
    });
  });

  test('hangs holds nobody up who leaves it', async (t) => {
    const remote = await Remote.start(t);
    const gateway = await gatewayTo(t, remote.url);
    await givesBack(gateway, async () => {
      const session = await openSession(gateway.at(FAR));
      process.kill(remote.running.pid, 'SIGSTOP');
      const began = Date.now();
      assert.equal((await session.delete()).status, 200);
      assert.ok(Date.now() - began < AT_ONCE, `it took ${Date.now() - began} ms`);
      process.kill(remote.running.pid, 'SIGCONT');
    });
  });

  for (const sharing of ['session', 'shared'])
    test(`comes and goes is not noticed but by calls that fail, each of them once (${sharing}, seed ${SEED})`, async (t) => {
      const remote = await Remote.start(t);
      const gateway = await gatewayTo(t, remote.url, { sharing });
      const chance = random();
      await givesBack(gateway, async () => {
        const sessions = await Promise.all([1, 2, 3].map(() => openSession(gateway.at(FAR))));
        let flapping = true;
        const answers = { result: 0, error: 0 };
        const caller = async (session) => {
          for (let id = 1; flapping; ++id) {
            const messages = await (await session.post(toolCall(id, 'test_simple_text'))).all();
            const [answer, ...more] = messages.filter(({ method }) => method === undefined);
            assert.deepEqual([answer?.id, more.length], [id, 0]);
            assert.ok(answer.result || isLost(answer), JSON.stringify(answer));
            ++answers[answer.result ? 'result' : 'error'];
            await pause(5);
          }
        };
        const calling = sessions.map(caller);
        for (let round = 0; round < 3; ++round) {
          const { result, error } = answers;
          await until('some calls succeed', () => answers.result > result + chance.below(5));
          await remote.kill();
          await until('some calls fail', () => answers.error > error + chance.below(5));
          await remote.start();
        }
        await until('calls succeed again', async () => (await Promise.all(sessions.map(simple))).every(textOf));
        flapping = false;
        await Promise.all(calling);
        await Promise.all(sessions.map(async (session) => (await session.delete()).done));
        // Resources for the server's connections are released with it.
        if (sharing === 'shared') await remote.kill();
      }, sharing);
    });

  test('is not there at the start is an error for its clients, and there for them later', async (t) => {
    const port = await freePort();
    const gateway = await gatewayTo(t, `http://127.0.0.1:${port}/mcp`);
    await givesBack(gateway, async () => {
      const [answer] = await (await post(gateway.at(FAR), initializeRequest())).all();
      assert.equal(answer.error?.code, -32603);
      assert.match(answer.error.message, /refused/i);
      const merged = await openSession(gateway.url);
      const listening = await merged.listen();
      const namesOf = async () => {
        const reply = await merged.post({ jsonrpc: '2.0', id: 'list', method: 'tools/list' });
        return (await reply.all()).at(-1).result.tools.map(({ name }) => name);
      };
      assert.ok((await namesOf()).every((name) => name.startsWith('near__')));
      const remote = await remoteFor(t, { port });
      const isChange = ({ method }) => method === 'notifications/tools/list_changed';
      await listening.message('the change', isChange);
      await until('its tools are listed', async () => (await namesOf()).includes('far__echo'));
      assert.equal(textOf(await merged.call(1, 'far__echo', { message: 'late' })), 'late');
      const alone = await openSession(gateway.at(FAR));
      assert.ok(await works(alone));
      await Promise.all([alone.delete(), merged.delete()]);
      remote.close();
    });
  });
});

// -- the network ------------------------------------------------------------------------------------------------------

suite('a connection to a remote server that is cut', { concurrency: 4 }, () => {
  test('before the answer fails the call, which is not sent again', async (t) => {
    const remote = await remoteFor(t, { on: { 'tools/call': (exchange) => exchange.cut() } });
    const gateway = await gatewayTo(t, remote.url);
    await givesBack(gateway, async () => {
      const session = await openSession(gateway.at(FAR));
      assert.ok(isLost(await session.call(1, 'echo', { message: 'x' })));
      assert.equal(remote.named('tools/call').length, 1);
      remote.on = {};
      assert.ok(await works(session));
      assert.equal(remote.opened, 1);
      await session.delete();
      remote.listener.closeAllConnections();
    });
  });

  test('in the middle of a JSON answer fails the call', async (t) => {
    const half = (exchange) => {
      exchange.response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1_000 });
      exchange.response.write('{"jsonrpc":"2.0",', () => exchange.cut());
    };
    const remote = await remoteFor(t, { on: { 'tools/call': half } });
    const gateway = await gatewayTo(t, remote.url);
    const session = await openSession(gateway.at(FAR));
    assert.ok(isLost(await session.call(1, 'echo', { message: 'x' })));
    remote.on = {};
    assert.ok(await works(session));
  });

  test('in the middle of a stream that has no ids fails the call', async (t) => {
    const remote = await remoteFor(t);
    remote.on['tools/call'] = (exchange) => {
      exchange.stream().event({ method: 'notifications/message', params: { level: 'info', data: 'half' } });
      exchange.response.write(':', () => exchange.cut());
    };
    const session = await openSession((await gatewayTo(t, remote.url)).at(FAR));
    const messages = await (await session.post(toolCall(1, 'echo', { message: 'x' }))).all();
    assert.ok(isLost(messages.at(-1)));
    assert.ok(remote.named('GET').every(({ headers }) => headers['last-event-id'] === undefined));
  });

  test('is the end of a session over HTTP+SSE: its calls fail, and another begins', async (t) => {
    const behind = await serve('--', ...fixture('hostile'));
    t.after(() => behind.stop());
    const proxy = await proxyFor(t, behind.port);
    const gateway = await gatewayTo(t, proxy.url.replace('/mcp', '/sse'), { type: 'sse' });
    await givesBack(gateway, async () => {
      const session = await openSession(gateway.at(FAR));
      const waiting = await session.post(toolCall(1, 'flood', { kind: 'progress', count: 1e6, every_ms: 20 }, 'mine'));
      await waiting.message('progress', ({ method }) => method === 'notifications/progress');
      const before = textOf(await session.call(2, 'pid'));
      proxy.cut();
      assert.ok(isLost((await waiting.all()).at(-1)), waiting.received.slice(-200));
      const after = await until('it is spoken to again', async () => textOf(await session.call(3, 'pid')));
      assert.notEqual(after, before);
      await until('the first session is gone', () => behind.children().length === 1);
      await (await session.delete()).done;
      await until('the second is gone, too', () => behind.children().length === 0);
    });
  });

  test('in the middle of answers loses and doubles nothing when they can be carried on', async (t) => {
    const behind = await serve('--', ...fixture('hostile'));
    t.after(() => behind.stop());
    const proxy = await proxyFor(t, behind.port);
    const gateway = await gatewayTo(t, proxy.url);
    await givesBack(gateway, async () => {
      const session = await openSession(gateway.at(FAR));
      const flood = { kind: 'progress', count: 50, every_ms: 30 };
      const calls = await Promise.all([1, 2, 3].map((id) => session.post(toolCall(id, 'flood', flood, `token-${id}`))));
      for (const count of [5, 25]) {
        await until(`${count} are told`, () => {
          for (const { ended, messages, received } of calls) assert.ok(!ended || messages.length > 50, received);
          return calls.every(({ messages }) => messages.length >= count);
        }, 30_000);
        proxy.cut();
      }
      for (const [n, call] of calls.entries()) {
        const messages = await call.all();
        const { id, result } = messages.pop();
        assert.deepEqual([id, result?.content[0].text], [n + 1, 'flooded']);
        const steps = messages.map(({ params }) => [params.progressToken, params.progress]);
        assert.deepEqual(
          steps,
          Array.from({ length: 50 }, (_, step) => [`token-${n + 1}`, step + 1]),
        );
      }
      await (await session.delete()).done;
      await until('the remote session is gone', () => behind.children().length === 0);
    });
  });
});

// -- waiting requests ---------------------------------------------------------------------------------------------------

// A server request is sent on the stream of the only call with a connection. Its answer must not wait behind other
// requests.
test('requests to a remote server wait for its connections, answers to its questions do not', async (t) => {
  const remote = await remoteFor(t);
  let underWay = 0;
  let most = 0;
  remote.on['tools/call'] = async (exchange) => {
    most = Math.max(most, ++underWay);
    const answered = new Promise((resolve) => (remote.on.response = (reply) => resolve(reply.status(202))));
    exchange.stream().event({ id: `q-${exchange.id}`, method: 'roots/list' });
    await answered;
    underWay -= 1;
    exchange.event({ id: exchange.id, result: text('done') }).response.end();
  };
  const gateway = await gatewayTo(t, remote.url, { connections: 1 });
  const session = await openSession(gateway.at(FAR), undefined, { roots: {} });
  const streams = [await session.listen()];
  const call = async (id) => {
    const stream = await session.post(toolCall(id, 'echo', {}));
    streams.push(stream);
    return textOf((await stream.all()).at(-1));
  };
  const calls = [1, 2, 3, 4, 5].map(call);
  const heard = new Set();
  for (const answer of calls) {
    let isAnswered = false;
    answer.finally(() => (isAnswered = true));
    await until('it is answered', async () => {
      const asked = streams.flatMap(({ messages }) => messages).filter(({ method }) => method === 'roots/list');
      for (const { id } of asked.filter(({ id }) => !heard.has(id))) {
        heard.add(id);
        await session.post({ jsonrpc: '2.0', id, result: { roots: [] } });
      }
      return isAnswered;
    });
    assert.equal(await answer, 'done');
  }
  assert.equal(most, 1);
});

// The listening GET uses a different connection than the first request, and notifications without a listener are lost.
test('requests to a remote server wait until it is listened to', async (t) => {
  const remote = await remoteFor(t);
  const gateway = await gatewayTo(t, remote.url);
  let isHeard;
  remote.on.GET = (exchange) => setTimeout(() => (isHeard = exchange.stream()), 50);
  remote.on['tools/call'] = (exchange) => exchange.result(text(isHeard ? 'heard' : 'lost'));
  // Lets the GET and the request be sent at the same time.
  remote.on['notifications/initialized'] = async (exchange) => {
    await until('the call waits', async () => (await debugState(gateway)).calls === 1);
    exchange.status(202);
  };
  const told = [];
  for (let id = 1; id <= 5 && !told.includes('heard'); ++id) {
    isHeard = undefined;
    const session = await openSession(gateway.at(FAR));
    told.push(textOf(await session.call(id, 'tell')));
    await session.delete();
  }
  // Requests wait for a limited time, and the machine may be busy more than once.
  assert.ok(told.includes('heard'), told.join());
});

test('requests to a remote server do not wait for a stream that only begins with a message', async (t) => {
  const remote = await remoteFor(t, { on: { GET: () => {} } });
  assert.ok(await works(await openSession((await gatewayTo(t, remote.url)).at(FAR))));
  assert.equal(remote.named('GET').length, 1);
});

// The official client leaves the stream open as well.
test('a remote server may ask on the stream of a call that was cancelled', async (t) => {
  const remote = await remoteFor(t);
  const streams = [];
  remote.on['tools/call'] = (exchange) => streams.push(exchange.stream().event({ method: 'notifications/message', params: {} }));
  const session = await openSession((await gatewayTo(t, remote.url)).at(FAR), undefined, { roots: {} });
  const listening = await session.listen();
  await session.post(toolCall(1, 'echo', {}));
  await until('the call is there', () => streams.length === 1);
  await session.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
  await until('it is cancelled', () => remote.named('notifications/cancelled').length === 1);
  streams[0].event({ id: 'later', method: 'roots/list' });
  const question = await listening.message('the question', ({ method }) => method === 'roots/list');
  await session.post({ jsonrpc: '2.0', id: question.id, result: { roots: [] } });
  await until('it has the answer', () => remote.named('response').length === 1);
});
