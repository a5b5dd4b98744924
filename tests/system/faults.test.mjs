// Misbehaving clients: after each scenario all resources are back at the baseline.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { suite, test } from './lib/concurrently.mjs';
import { fixture, gatewayFor, startGateway } from './lib/gateway.mjs';
import { ENDINGS, leave, malformed, STATES } from './lib/hostile-client.mjs';
import { rawConnection } from './lib/http.mjs';
import { LONG } from './lib/long.mjs';
import { SANITIZED } from './lib/processes.mjs';
import { random, SEED } from './lib/random.mjs';
import { initializeRequest, openSession, postBytes, toolCall } from './lib/session.mjs';
import { openEndpoint, openSseSession } from './lib/sse.mjs';
import { assertBack, baseLine, DEBUG, leavesNothing } from './lib/state.mjs';
import { until } from './lib/until.mjs';

const STORM_SECONDS = LONG ? 30 : 3;

// Sessions of vanished clients end soon after their last call, which ends soon after its last sign of life. Sessions of
// present clients must not end, even on a busy machine.
const SECONDS = SANITIZED ? '8' : '6';
const SHORT = ['--session-timeout', SECONDS, '--request-timeout', SECONDS];

const repeated = (count, make) => Promise.all(Array.from({ length: count }, (_, index) => make(index)));
const connected = ({ socket }) => until('it is connected', () => !socket.connecting);

suite('a client that leaves', () => {
  let gateway;
  let clean;
  before(async () => {
    gateway = await startGateway(fixture('hostile'), DEBUG);
    clean = await baseLine(gateway);
  });
  after(() => gateway.stop());

  for (const state of Object.keys(STATES))
    test(`${state} leaves nothing behind`, async () => {
      const chance = random();
      for (const ending of Object.keys(ENDINGS)) await leave(gateway, state, ending, chance);
      await assertBack(gateway, clean);
    });
});

test(`clients that leave in any state and never come back leave nothing behind (seed ${SEED})`, async (t) => {
  const gateway = await gatewayFor(t, fixture('hostile'), DEBUG, ...SHORT);
  const chance = random();
  await leavesNothing(gateway, async () => {
    const left = Object.keys(STATES).flatMap((state) => Object.keys(ENDINGS).map((ending) => ({ state, ending })));
    const worker = async () => {
      for (let next = left.pop(); next; next = left.pop())
        await leave(gateway, next.state, next.ending, chance, { abandon: true });
    };
    await repeated(6, worker);
  });
});

test('of clients that come in one burst those that stay all initialise, whatever the others do', async (t) => {
  const gateway = await gatewayFor(t, fixture('hostile', 'late=5000'), DEBUG);
  const chance = random();
  await leavesNothing(gateway, async () => {
    const bytes = postBytes(gateway.url, initializeRequest());
    const leaving = Array.from({ length: 20 }, () => rawConnection(gateway.port, bytes));
    const staying = repeated(20, () => openSession(gateway.url));
    await until('servers start', () => gateway.children().length > 0);
    for (const { socket } of leaving) chance.pick(Object.values(ENDINGS))(socket);
    const sessions = await staying;
    const told = await Promise.all(sessions.map((session, n) => session.call(n, 'echo', { message: `${n}` })));
    told.forEach(({ id, result }, n) => assert.deepEqual([id, result.content[0].text], [n, `${n}`]));
    await Promise.all(sessions.map((session) => session.delete()));
  });
});

// -- random load -----------------------------------------------------------------------------------------------------

const ACTIONS = {
  leaves: (gateway, chance) =>
    leave(gateway, chance.pick(Object.keys(STATES)), chance.pick(Object.keys(ENDINGS)), chance, {
      abandon: chance.below(2) === 0,
    }),
  'is malformed': async (gateway, chance) => {
    const [bytes] = chance.pick(Object.values(malformed(gateway.url, chance)));
    const connection = rawConnection(gateway.port, bytes);
    await connected(connection);
    chance.pick(Object.values(ENDINGS))(connection.socket);
    connection.socket.destroy();
  },
  'is well-behaved': async (gateway) => {
    const session = await openSession(gateway.url);
    const { result } = await session.call(1, 'echo', { message: 'calm' });
    assert.equal(result.content[0].text, 'calm');
    await session.delete();
  },
  'is well-behaved over SSE': async (gateway) => {
    const session = await openSseSession(gateway);
    const { result } = await session.call(1, 'echo', { message: 'calm' });
    assert.equal(result.content[0].text, 'calm');
    session.close();
  },
  'refreshes during an answer': async (gateway) => {
    const session = await openSession(gateway.url);
    const [listening, call] = await Promise.all([
      session.listen(),
      session.post(toolCall(1, 'flood', { kind: 'progress', count: 30, every_ms: 5 }, 'mine')),
    ]);
    await until('it goes on', () => call.messages.length > 1);
    // On a busy machine the answer may already be here. It is replayed after the first message.
    const { id: first } = call.events.find(({ data }) => data);
    listening.destroy();
    call.destroy();
    const [again] = await Promise.all([session.listen({ 'last-event-id': first }), session.listen()]);
    await again.done;
    assert.equal(again.messages.at(-1).id, 1);
    await session.delete();
  },
};

test(`a storm of ${STORM_SECONDS} seconds leaves nothing behind (seed ${SEED})`, async (t) => {
  const gateway = await gatewayFor(t, fixture('hostile'), DEBUG, ...SHORT);
  const chance = random(SEED + 1);
  const done = {};
  await leavesNothing(gateway, async () => {
    const end = Date.now() + STORM_SECONDS * 1_000;
    const worker = async () => {
      while (Date.now() < end) {
        const name = chance.pick(Object.keys(ACTIONS));
        await ACTIONS[name](gateway, chance);
        done[name] = (done[name] ?? 0) + 1;
      }
    };
    await repeated(6, worker);
  });
  t.diagnostic(JSON.stringify(done));
});

// -- refreshes ------------------------------------------------------------------------------------------------------

test('a client that refreshes in the middle of answers, again and again, crashes nothing', async (t) => {
  const gateway = await gatewayFor(t, fixture('hostile'), DEBUG, ...SHORT);
  await leavesNothing(gateway, async () => {
    await repeated(4, async () => {
      for (let round = 0; round < 10; ++round) {
        const session = await openSession(gateway.url, undefined, { sampling: {} });
        const listening = await session.listen();
        const answers = [
          session.post(toolCall(1, 'flood', { kind: 'progress', count: 50, every_ms: 2 }, 'one')),
          session.post(toolCall(2, 'ask', { method: 'sampling/createMessage' })),
          session.post(toolCall(3, 'flood_later', { kind: 'log', count: 20, after_ms: 0 })),
        ];
        const [call] = await Promise.all(answers.slice(0, 1));
        await until('the answer is under way', () => call.messages.length > 3);
        listening.destroy();
        call.destroy();
        answers.slice(1).forEach((reply) => reply.then((late) => late.destroy()));
      }
    });
  });
});

test('an SSE client that refreshes in the middle of answers, again and again, crashes nothing', async (t) => {
  const gateway = await gatewayFor(t, fixture('hostile'), DEBUG);
  await leavesNothing(gateway, async () => {
    await repeated(4, async () => {
      for (let round = 0; round < 10; ++round) {
        const session = await openSseSession(gateway);
        await session.post(toolCall(1, 'flood', { kind: 'progress', count: 20_000 }, 'endless'));
        await session.post(toolCall(2, 'complain', { bytes: 10_000 }));
        await session.message('progress', ({ method }) => method === 'notifications/progress');
        session.close();
      }
    });
  });
});

test('SSE clients that leave before they say anything leave nothing behind', async (t) => {
  const gateway = await gatewayFor(t, fixture('hostile'), DEBUG);
  await leavesNothing(gateway, () =>
    repeated(30, async () => {
      const session = await openEndpoint(gateway);
      session.close();
    }),
  );
});
