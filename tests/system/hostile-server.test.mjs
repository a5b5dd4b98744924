// Misbehaving servers.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { suite, test } from './lib/concurrently.mjs';
import { fixture, startGateway } from './lib/gateway.mjs';
import { request } from './lib/http.mjs';
import { peakMemory, residentBytes } from './lib/processes.mjs';
import { SEED } from './lib/random.mjs';
import { initializeRequest, openSession, post, Session, toolCall } from './lib/session.mjs';
import { assertBack, baseLine, DEBUG, debugState, leavesNothing, MIB } from './lib/state.mjs';
import { until } from './lib/until.mjs';

// Shorter than the delays under test, longer than a busy machine needs.
const AT_ONCE = 30_000;
const WRITE_QUEUE = 16 * MIB;

const textOf = ({ result }) => result.content[0].text;

const connectOnce = async (gateway) => (await request(gateway.at('/healthz'))).done;

suite('a server that', { concurrency: 4 }, () => {
  const started = [];
  const start = async (...habits) => {
    const gateway = await startGateway(fixture('hostile', ...habits), DEBUG);
    started.push(gateway);
    return gateway;
  };
  after(() => Promise.all(started.map((gateway) => gateway.stop())));

  test(`prints garbage all the time is understood all the same (seed ${SEED})`, async () => {
    const gateway = await start(`garbage=${SEED}`);
    await leavesNothing(gateway, async () => {
      const session = await openSession(gateway.url);
      const listening = await session.listen();
      for (let id = 1; id <= 20; ++id)
        assert.equal(textOf(await session.call(id, 'echo', { message: `${id}` })), `${id}`);
      await session.call('more', 'garbage', { seed: SEED + 1, lines: 2_000 });
      assert.equal(textOf(await session.call('last', 'echo', { message: 'sane' })), 'sane');
      assert.deepEqual(listening.messages, []);
      await session.delete();
    });
  });

  test('answers twice is heard once', async () => {
    const gateway = await start('twice');
    await leavesNothing(gateway, async () => {
      const session = await openSession(gateway.url);
      const listening = await session.listen();
      for (let id = 1; id <= 10; ++id) {
        const answers = await (await session.post(toolCall(id, 'answer_twice'))).all();
        assert.deepEqual(answers.map(textOf), ['first']);
      }
      assert.equal(textOf(await session.call('last', 'echo', { message: 'sane' })), 'sane');
      assert.deepEqual(listening.messages, []);
      await session.delete();
    });
  });

  test('answers what nobody asked, and nobody at all, is not heard', async () => {
    const gateway = await start('strangers');
    await leavesNothing(gateway, async () => {
      const session = await openSession(gateway.url);
      const listening = await session.listen();
      const replies = await Promise.all([1, 2, 3].map((id) => session.post(toolCall(id, 'answer_strangers'))));
      for (const reply of replies) assert.deepEqual((await reply.all()).map(textOf), ['mine']);
      assert.deepEqual(listening.messages, []);
      await session.delete();
    });
  });

  test('speaks before it is initialised is heard afterwards', async () => {
    const gateway = await start('speaks-early');
    const session = await openSession(gateway.url);
    const listening = await session.listen();
    const early = await listening.message('the early word', ({ method }) => method === 'notifications/message');
    assert.equal(early.params.data, 'early');
  });

  test('asks before its client is ready waits until it is', async () => {
    const gateway = await start('asks-early');
    const reply = await post(gateway.url, initializeRequest(undefined, { roots: {} }));
    await reply.done;
    const session = new Session(gateway.url, reply.headers['mcp-session-id'], '2025-11-25');
    const listening = await session.listen();
    assert.equal(textOf(await session.call(1, 'echo', { message: 'x' })), 'x');
    assert.deepEqual(listening.messages, []);
    await session.post({ jsonrpc: '2.0', method: 'notifications/initialized' });
    const { id } = await listening.message('the question', ({ method }) => method === 'roots/list');
    await session.post({ jsonrpc: '2.0', id, result: { roots: [] } });
    const answered = async () => JSON.parse(textOf(await session.call('answers', 'answers')));
    const [answer] = await until('the answer is there', async () => (await answered()).length && answered());
    assert.deepEqual(answer, { id: 'early', result: { roots: [] } });
  });

  test('breaks off in the middle of an answer fails its calls at once', async () => {
    const gateway = await start();
    await leavesNothing(gateway, async () => {
      const session = await openSession(gateway.url);
      const other = await session.post(toolCall('other', 'flood', { kind: 'progress', count: 1e6, every_ms: 5 }, 't'));
      const began = Date.now();
      const { error, id } = await session.call(1, 'break_off');
      assert.deepEqual([id, error.code], [1, -32603]);
      assert.equal((await other.all()).at(-1).error.code, -32603);
      assert.ok(Date.now() - began < AT_ONCE);
      assert.equal((await session.ping()).status, 404);
    });
  });

  test('closes its output and lives fails its calls at once, and is ended', async () => {
    const gateway = await start('stubborn');
    const before = await baseLine(gateway, connectOnce);
    const session = await openSession(gateway.url);
    const { error } = await session.call(1, 'close_stdout');
    assert.equal(error.code, -32603);
    await assertBack(gateway, before);
    assert.equal((await session.ping()).status, 404);
  });

  test('answers on a line of 20 MB fails that call, and no others; memory is bounded', async () => {
    const gateway = await start();
    await leavesNothing(
      gateway,
      async () => {
        const session = await openSession(gateway.url);
        const other = await session.post(toolCall('other', 'flood', { kind: 'progress', count: 100, every_ms: 5 }, 't'));
        for (const [id, id_first] of [[1, true], [2, false]]) {
          const call = () => session.call(id, 'long_answer', { bytes: 20 * MIB, id_first });
          const { bytes, value } = await peakMemory(gateway.pid, call);
          assert.equal(value.id, id);
          assert.equal(value.error.code, -32603);
          assert.match(value.error.message, /longer than 10485760 bytes; gateway\.limits\.messageBytes allows more/);
          assert.ok(bytes < 48 * MIB, `${bytes / MIB} MiB`);
        }
        assert.equal(textOf(await session.call(3, 'long_line', { bytes: 20 * MIB })), 'printed');
        assert.ok((await other.all()).at(-1).result);
        assert.equal(textOf(await session.call(4, 'echo', { message: 'unharmed' })), 'unharmed');
        await session.delete();
      },
      32 * MIB,
    );
    assert.match(gateway.told("log"), /server wrote a line that is too long/);
  });

  test('answers 8 MB is relayed whole', async () => {
    const gateway = await start();
    await leavesNothing(
      gateway,
      async () => {
        const session = await openSession(gateway.url);
        const answer = await session.call(1, 'big', { bytes: 8_000_000 });
        assert.equal(textOf(answer).length, 8_000_000);
        await session.delete();
      },
      64 * MIB,
    );
  });

  test('fills its error output harms nobody, and it is in no session', async () => {
    const gateway = await start(`complains=${5 * MIB}`);
    await leavesNothing(gateway, async () => {
      const session = await openSession(gateway.url);
      const listening = await session.listen();
      const { bytes } = await peakMemory(gateway.pid, () => session.call(1, 'complain', { bytes: 20 * MIB }));
      assert.ok(bytes < 16 * MIB, `${bytes / MIB} MiB`);
      assert.equal(textOf(await session.call(2, 'echo', { message: 'sane' })), 'sane');
      assert.deepEqual(listening.messages, []);
      await session.delete();
    });
  });

  test('never reads its input: what waits for it is bounded, and its client is told', async () => {
    const gateway = await start();
    await leavesNothing(
      gateway,
      async () => {
        const [session, other] = await Promise.all([openSession(gateway.url), openSession(gateway.url)]);
        assert.equal(textOf(await session.call('deafen', 'stop_reading')), 'deaf');
        const before = residentBytes(gateway.pid);
        const replies = [];
        const refused = [];
        let read = 0;
        const ask = async (id) => {
          const reply = await session.post(toolCall(id, 'echo', { message: 'x'.repeat(MIB) }));
          const [{ error, result } = {}] = await reply.all();
          if (error) refused.push(error.code);
          if (result) ++read;
        };
        for (let id = 1; id <= 40; ++id) {
          replies.push(ask(id));
          if (id % 4 === 0) assert.equal(textOf(await other.call(id, 'echo', { message: 'x' })), 'x');
        }
        // The server may have read the first message before it stopped reading.
        await until('some are refused', () => refused.length + read >= 40 - (WRITE_QUEUE / MIB + 2));
        assert.ok(refused.length > read, `${refused.length} are refused, ${read} answered`);
        assert.ok(refused.every((code) => code === -32603), refused.join());
        const grown = residentBytes(gateway.pid) - before;
        assert.ok(grown < 3 * WRITE_QUEUE, `${grown / MIB} MiB`);
        assert.equal((await session.ping()).status, 200);
        assert.equal((await session.delete()).status, 200);
        await Promise.all(replies);
        await other.delete();
      },
      64 * MIB,
    );
  });
});

suite('a session', () => {
  let gateway;
  before(async () => (gateway = await startGateway(fixture('hostile'), DEBUG)));
  after(() => gateway.stop());

  test('is served before its client says it is ready, and if it never does', async () => {
    await leavesNothing(gateway, async () => {
      const reply = await post(gateway.url, initializeRequest());
      await reply.done;
      const session = new Session(gateway.url, reply.headers['mcp-session-id'], '2025-11-25');
      const listening = await session.listen();
      assert.equal(listening.status, 200);
      assert.equal(textOf(await session.call(1, 'echo', { message: 'x' })), 'x');
      assert.equal((await session.ping()).status, 200);
      await session.delete();
      await listening.done;
    });
  });

  test('that is deleted takes its calls, streams and server with it', async () => {
    await leavesNothing(gateway, async () => {
      const session = await openSession(gateway.url, undefined, { sampling: {} });
      const silent = session.post(toolCall('silent', 'never'));
      const streaming = await session.post(toolCall(2, 'flood', { kind: 'progress', count: 1e6, every_ms: 5 }, 't'));
      const asking = await session.post(toolCall(3, 'ask', { method: 'sampling/createMessage' }, 't2'));
      const streams = [await session.listen(), await session.listen(), streaming, asking];
      const detached = await session.post(toolCall(4, 'flood', { kind: 'progress', count: 1e6, every_ms: 5 }, 't3'));
      detached.destroy();
      await until('all of them run', async () => (await debugState(gateway)).calls === 4);
      const began = Date.now();
      assert.equal((await session.delete()).status, 200);
      const others = await Promise.all([session.delete(), session.ping(), session.listen()]);
      assert.deepEqual(others.map(({ status }) => status), [404, 404, 404]);
      await Promise.all(streams.map(({ done }) => done));
      await (await silent).done;
      assert.ok(Date.now() - began < AT_ONCE);
      assert.ok(streams.every(({ messages }) => messages.every(({ result }) => !result)));
    });
  });

  test('that is deleted many times at once is deleted once', async () => {
    await leavesNothing(gateway, async () => {
      const session = await openSession(gateway.url);
      const replies = await Promise.all(Array.from({ length: 10 }, () => session.delete()));
      const codes = replies.map(({ status }) => status).toSorted();
      assert.deepEqual(codes, [200, ...Array(9).fill(404)]);
    });
  });
});
