// Abusive unauthenticated clients do not affect authenticated ones.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { gatewayWith } from './lib/config.mjs';
import { fixture } from './lib/gateway.mjs';
import { LONG } from './lib/long.mjs';
import { echoesBehind } from './lib/pipe-latency.mjs';
import { residentBytes, SLOWNESS } from './lib/processes.mjs';
import { initializeRequest, LATEST, post, Session } from './lib/session.mjs';
import { debugState, DEBUG, MIB } from './lib/state.mjs';
import { until } from './lib/until.mjs';

const SECONDS = Number(process.env.STRANGERS_SECONDS ?? (LONG ? 1_200 : 8));
const QUIET_SECONDS = LONG ? 60 : 3;
const CLIENTS = 50;
const BREATH = 500;
const MESSAGE_BYTES = 5_000_000;
const TOO_LONG = MESSAGE_BYTES + 200_000;
const LIMITS = {
  connections: 500,
  unsentBytes: 16 * MIB,
  eventBytes: 16 * MIB,
  waitingBytes: 8 * MIB,
  messageBytes: MESSAGE_BYTES,
  processes: 150,
  trustedProxies: ['127.0.0.1'],
  perAddress: { requestsPerSecond: 50, initializesPerMinute: 30, sessions: 10, calls: 20 },
};
// The sum of all limits, and the same again for sessions and connections.
const MOST_MEMORY = 128 * MIB;

const [command, ...args] = fixture('hostile');
const CONFIG = {
  mcpServers: { mine: { command, args }, ours: { command, args, sharing: 'shared' } },
  gateway: { limits: LIMITS, maxSessions: 120 },
};

const percentile = (sorted, part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];

function summary(times) {
  const sorted = times.sort((a, b) => a - b);
  return { calls: sorted.length, p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99), most: sorted.at(-1) };
}

// Working clients, each with an address of its own: half of them have a server each, the others share one.
class Workers {
  times = { own: [], shared: [] };
  failed = [];
  stopped = false;

  async open(gateway) {
    const places = Array.from({ length: CLIENTS }, (_, n) => gateway.at(`/servers/${n % 2 ? 'mine' : 'ours'}/mcp`));
    const sessions = await Promise.all(places.map((place, n) => this.#session(place, `198.51.100.${n + 1}`)));
    this.work = Promise.all(sessions.map((one, n) => this.#work(one, n)));
  }

  async #session(place, address) {
    const headers = { 'x-forwarded-for': address };
    const reply = await post(place, initializeRequest(), headers);
    await reply.done;
    assert.equal(reply.status, 200, reply.received);
    const session = new Session(place, reply.headers['mcp-session-id'], LATEST);
    Object.assign(session.headers, headers);
    return session;
  }

  async #work(session, client) {
    for (let n = 0; !this.stopped; ++n) {
      const message = `${client}-${n}`;
      const began = performance.now();
      const answer = await session.call(n, 'echo', { message }).catch((error) => ({ error: error.stack }));
      this.times[client % 2 ? 'own' : 'shared'].push(performance.now() - began);
      if (answer?.result?.content[0].text !== message) this.failed.push(`${message}: ${JSON.stringify(answer)}`);
      await pause(BREATH);
    }
  }

  // The latencies of calls in milliseconds since the last call: of dedicated servers and of the shared one.
  take() {
    const taken = Object.entries(this.times).map(([whose, times]) => [whose, summary(times.splice(0))]);
    return Object.fromEntries(taken);
  }

  async stop() {
    this.stopped = true;
    await this.work;
  }
}

const told = (taken) =>
  Object.entries(taken)
    .map(([whose, { calls, p50, p99, most }]) =>
      `${whose} server: ${calls} calls, p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)}, at most ${most.toFixed(1)} ms`)
    .join('; ');

test('clients at work are served as ever while strangers do all they can', { timeout: SECONDS * 2_000 + 280_000 }, async (t) => {
  const alone = summary(await echoesBehind([command, ...args], TOO_LONG, LONG ? 100 : 10));
  const gateway = await gatewayWith(t, CONFIG, DEBUG);
  const workers = new Workers();
  await workers.open(gateway);
  await pause(QUIET_SECONDS * 1_000);
  const quiet = workers.take();
  const before = residentBytes(gateway.pid);

  const strangers = new Worker(new URL('./lib/abusive-clients.mjs', import.meta.url), {
    workerData: { port: gateway.port, tooLong: TOO_LONG },
  });
  t.after(() => strangers.terminate());
  const memory = [];
  for (const began = Date.now(); Date.now() - began < SECONDS * 1_000; await pause(1_000))
    memory.push(residentBytes(gateway.pid) - before);
  const busy = workers.take();
  // An abuser can keep a shared server busy with large answers, which no gateway can prevent.
  const bounds = { own: quiet.own.p99, shared: Math.max(quiet.shared.p99, alone.p50) };
  const { limits } = await debugState(gateway);
  strangers.postMessage('stop');
  const [done] = await once(strangers, 'message');
  await workers.stop();

  const half = Math.ceil(memory.length / 2);
  const most = [memory.slice(0, half), memory.slice(half)].map((all) => Math.max(0, ...all) / MIB);
  t.diagnostic(`on the pipe, behind a long answer: ${told({ shared: alone })}`);
  t.diagnostic(`alone: ${told(quiet)}`);
  t.diagnostic(`with strangers: ${told(busy)}; ${workers.failed.length} failed`);
  t.diagnostic(`memory above the beginning, at most: ${most.map((each) => each.toFixed(1)).join(' and then ')} MiB`);
  t.diagnostic(`strangers: ${JSON.stringify(done)}`);
  t.diagnostic(`limits: ${JSON.stringify(limits)}`);
  assert.deepEqual(workers.failed, []);
  assert.ok(Object.values(done).every((times) => times > 0), 'each stranger did something');
  assert.ok(!gateway.hasExited, gateway.told('it lives'));
  for (const [name, { used, most: bound }] of Object.entries(limits)) assert.ok(used <= bound, `${name}: ${used} > ${bound}`);
  assert.ok(Math.max(...memory) <= MOST_MEMORY, `${Math.max(...memory) / MIB} MiB`);
  if (LONG) {
    for (const [whose, { p99 }] of Object.entries(busy))
      assert.ok(p99 <= 2 * bounds[whose], `${whose} server: calls take at most twice as long`);
    assert.ok(most[1] <= most[0] + 16, 'memory is flat');
  }
  await until('strangers are forgotten', async () => (await debugState(gateway)).brokers <= 1, 30_000 * SLOWNESS);
});
