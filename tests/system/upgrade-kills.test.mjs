// SIGUSR2: the old process or the new one is killed, or stopped, at each step of a hand-over. Clients connect all the
// time. With TROUPE_KILL_RUNS=24 and TROUPE_LONG=1 each step runs so often, also the slow ones, and the outcomes are
// printed.
import assert from 'node:assert/strict';
import http from 'node:http';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { allow, test } from './lib/concurrently.mjs';
import { exampleServer, PROGRAM, serveBy, servingBy } from './lib/gateway.mjs';
import { request } from './lib/http.mjs';
import { descendants, isRunning, kill, look } from './lib/processes.mjs';
import { scratch } from './lib/scratch.mjs';
import { openSession, POST_HEADERS, toolCall } from './lib/session.mjs';
import { until } from './lib/until.mjs';
import { hasEnded, records } from './lib/upgraded.mjs';

const RUNS = Number(process.env.TROUPE_KILL_RUNS ?? 1);
const POLL = '7'; // system call number of poll(2) on x86-64
// Twice the time that a new process has to be ready.
const START_LIMIT = 120_000;
const STARTS = 'another process starts to take over';
const TAKEN = 'another process has taken over';
const BACK = 'the new process has ended: this one accepts clients again';
const HANGS = 'the new process gives no sign of life and is killed';
const NOT = 'no upgrade: this process serves on';
const ALONE = 'the old process has ended before the handover: this one starts without it';
const FAILED = 'cannot accept clients again';
const GIVEN_UP = 'the old process gives no sign of life: its sessions are lost';

allow(8);

// A client that repeats a request, each time on a new connection.
class Visitor {
  answered = 0;
  refused = 0;
  broken = 0;
  statuses = new Set();
  #stopped = false;

  constructor(send) {
    this.work = this.#repeat(send);
  }

  async #repeat(send) {
    while (!this.#stopped) {
      try {
        const reply = await send();
        await reply.done;
        this.statuses.add(reply.status);
        this.answered += 1;
      } catch (error) {
        if (error.code === 'ECONNREFUSED') this.refused += 1;
        else this.broken += 1;
      }
    }
  }

  async more(what) {
    const before = this.answered;
    await until(`${what}: it is answered again and again`, () => this.answered > before + 3);
  }

  async stop() {
    this.#stopped = true;
    await this.work;
  }
}

// A gateway whose next process waits for `release` before its first instruction, with a session and its visitors.
class World {
  #begun = [];

  constructor(t, flags = []) {
    const folder = scratch();
    this.t = t;
    this.gate = join(folder, 'go');
    this.spoiler = join(folder, 'spoiler');
    this.spoil = join(folder, 'spoil');
    const program = join(folder, 'troupe');
    writeFileSync(program, '#!/bin/bash\n' +
      `[ -z "$TROUPE_HANDED_OVER" ] || while ! [ -e ${this.gate} ]; do sleep 0.02; done\n` +
      `[[ -e ${this.spoiler} && $TROUPE_HANDED_OVER =~ clients=([0-9]+) ]] && {\n` +
      `  while ! [ -e ${this.spoil} ]; do sleep 0.02; done\n` +
      `  perl -e 'open my $socket, "+<&=$ARGV[0]" or die; shutdown $socket, 0' "\${BASH_REMATCH[1]}"\n` +
      '} &\n' +
      `exec -a "$0" ${PROGRAM} "$@"\n`, { mode: 0o755 });
    this.command = servingBy(program, ...flags, '--', ...exampleServer);
  }

  async begin({ hasSession = true } = {}) {
    this.adopt(await serveBy(this.command));
    this.visitor = new Visitor(() => request(this.gateway.at('/healthz')));
    if (!hasSession) return this;
    this.session = await openSession(this.gateway.url);
    this.listening = await this.session.listen();
    this.pings = new Visitor(() => this.session.ping());
    return this;
  }

  adopt(gateway) {
    this.gateway = gateway;
    this.old = gateway.pid;
    this.#begun.push(look(this.old));
    this.t.after(() => this.clean());
  }

  // SIGUSR2. Resolves with the new process, which waits.
  async order() {
    const before = records(this.gateway, STARTS).length;
    process.kill(this.old, 'SIGUSR2');
    const { process: next } = await until('it starts', () => records(this.gateway, STARTS)[before]);
    this.next = Number(next);
    this.#begun.push(look(this.next));
    return this;
  }

  release() {
    writeFileSync(this.gate, '');
  }

  // The new process is ready, and the old one cannot hand over yet.
  async ready() {
    await this.order();
    process.kill(this.old, 'SIGSTOP');
    this.release();
    await until('it is ready', () => {
      const [call] = readFileSync(`/proc/${this.next}/syscall`, 'utf8').split(' ');
      return readFileSync(`/proc/${this.next}/comm`, 'utf8') === 'troupe\n' && call === POLL;
    });
    return this;
  }

  async handedOver() {
    this.release();
    await this.order();
    await this.logged(TAKEN);
    return this;
  }

  logged(msg, count = 1, limit = undefined) {
    return until(msg, () => records(this.gateway, msg)[count - 1], limit);
  }

  // The old process serves: its sessions go on, nobody was refused, and it hands over when it is told again.
  async assertOldServes({ broken = 0 } = {}) {
    const { visitor, pings } = this;
    await visitor.more('a new client');
    assert.equal((await this.session.ping()).status, 200);
    await pings.more('the session');
    assert.ok(!this.listening.ended, 'its stream is open');
    assert.ok(hasEnded(this.next));
    this.release();
    const taken = records(this.gateway, TAKEN).length;
    await this.order();
    await this.logged(TAKEN, taken + 1);
    await visitor.more('a new client of the next process');
    await pings.more('the session through the next process');
    await Promise.all([visitor.stop(), pings.stop()]);
    assert.deepEqual([visitor.refused, pings.refused], [0, 0], 'refused connections');
    assert.ok(visitor.broken <= broken && pings.broken <= broken, `broken: ${visitor.broken}, ${pings.broken}`);
    assert.deepEqual([...visitor.statuses, ...pings.statuses], [200, 200]);
    await this.session.delete();
    assert.equal(await this.gateway.exited, 0);
    return 'the old process serves on';
  }

  // The new process serves, and the sessions of the old one are known to be gone.
  async assertNewServes({ told = 404 } = {}) {
    const { visitor, pings } = this;
    await visitor.more('a new client');
    assert.equal((await openSession(this.gateway.url)).version, '2025-11-25');
    if (pings) {
      await until('the session is gone', () => pings.statuses.has(told));
      await pings.stop();
      assert.equal(pings.refused, 0);
      assert.ok(pings.statuses.isSubsetOf(new Set([200, told])), [...pings.statuses].join());
      assert.ok(pings.broken <= 1, `broken: ${pings.broken}`);
    }
    await visitor.stop();
    assert.equal(visitor.refused, 0, 'refused connections');
    assert.ok(visitor.broken <= 1, `broken: ${visitor.broken}`);
    process.kill(this.next, 'SIGTERM');
    await this.logged('stopped');
    return 'the new process serves on';
  }

  // Kills only processes that are known by their start: numbers are used again.
  async clean() {
    for (const one of this.#begun.splice(0))
      if (one && isRunning(one)) [...descendants(one.pid), one].forEach(kill);
    await Promise.all([this.visitor?.stop(), this.pings?.stop()]);
  }
}

const isTraced = () => process.getuid() === 0; // reads /proc/PID/syscall
const steps = {
  'the new process is killed while it starts': async (world) => {
    await (await world.begin()).order();
    process.kill(world.next, 'SIGKILL');
    assert.equal((await world.logged(NOT)).reason, 'the other process has ended before it took its environment');
    return world.assertOldServes();
  },
  'the new process is stopped while it starts': async (world) => {
    await (await world.begin()).order();
    process.kill(world.next, 'SIGSTOP');
    assert.equal((await world.logged(NOT, 1, START_LIMIT)).reason, 'the new process was not ready in time');
    await until('it has ended', () => hasEnded(world.next));
    return world.assertOldServes();
  },
  'the old process is killed while the new one starts': async (world) => {
    await (await world.begin()).order();
    process.kill(world.old, 'SIGKILL');
    world.release();
    await world.logged(ALONE);
    return world.assertNewServes();
  },
  'the new process is killed when it is ready': async (world) => {
    await (await world.begin()).ready();
    process.kill(world.next, 'SIGKILL');
    process.kill(world.old, 'SIGCONT');
    // A process ends in steps: while its link is still open, the old one hands over, and then takes back.
    await until('the old one serves', () => [NOT, BACK].some((msg) => records(world.gateway, msg).length > 0));
    return world.assertOldServes({ broken: 1 });
  },
  'the old process is killed when the new one is ready': async (world) => {
    await (await world.begin()).ready();
    process.kill(world.old, 'SIGKILL');
    await world.logged(ALONE);
    return world.assertNewServes();
  },
  'the new process is stopped when it is ready': async (world) => {
    await (await world.begin()).ready();
    process.kill(world.next, 'SIGSTOP');
    process.kill(world.old, 'SIGCONT');
    await world.logged(HANGS);
    await world.logged(BACK);
    return world.assertOldServes({ broken: 1 });
  },
  'the old process is stopped when the new one is ready': async (world) => {
    await (await world.begin()).ready();
    await until('the new one gives up', () => hasEnded(world.next));
    process.kill(world.old, 'SIGCONT');
    assert.equal((await world.logged(NOT)).reason, 'the other process has ended before it served');
    return world.assertOldServes();
  },
  'the new process is killed after the hand-over': async (world) => {
    await (await world.begin()).handedOver();
    process.kill(world.next, 'SIGKILL');
    await world.logged(BACK);
    return world.assertOldServes({ broken: 1 });
  },
  'the new process is killed while it serves': async (world) => {
    await (await world.begin()).handedOver();
    await world.visitor.more('a client of the new process');
    await world.pings.more('the session through the new process');
    process.kill(world.next, 'SIGKILL');
    await world.logged(BACK);
    return world.assertOldServes({ broken: 1 });
  },
  'the new process is stopped after the hand-over': async (world) => {
    await (await world.begin()).handedOver();
    process.kill(world.next, 'SIGSTOP');
    await world.logged(HANGS);
    await world.logged(BACK);
    return world.assertOldServes({ broken: 1 });
  },
  'the new process is killed after the listening socket was shut down': async (world) => {
    writeFileSync(world.spoiler, '');
    await (await world.begin()).handedOver();
    writeFileSync(world.spoil, '');
    await until('nobody listens', () => world.visitor.refused > 0);
    process.kill(world.next, 'SIGKILL');
    assert.match((await world.logged(FAILED)).reason, /^cannot listen on descriptor \d+: it is no socket of TCP, or of unix, that listens$/);
    assert.equal(await world.gateway.exited, 1);
    return 'both have ended';
  },
  'the old process is killed after the hand-over': async (world) => {
    await (await world.begin()).handedOver();
    process.kill(world.old, 'SIGKILL');
    return world.assertNewServes();
  },
  'the old process is stopped after the hand-over': async (world) => {
    await (await world.begin()).handedOver();
    await world.pings.more('the session through the new process');
    process.kill(world.old, 'SIGSTOP');
    await world.logged(GIVEN_UP);
    await world.visitor.more('a new client');
    process.kill(world.old, 'SIGCONT');
    assert.equal(await world.gateway.exited, 0, 'it ends, as its sessions were given up');
    return world.assertNewServes();
  },
  'the old process is killed without sessions': async (world) => {
    await (await world.begin({ hasSession: false })).handedOver();
    if (!world.gateway.hasExited) process.kill(world.old, 'SIGKILL');
    return world.assertNewServes();
  },
  // A process whose last session is gone has left: the new one is alone, and nobody takes its place.
  'the new process is killed while the old one drains': async (world) => {
    await (await world.begin()).handedOver();
    await world.pings.stop();
    assert.equal((await world.session.delete()).status, 200);
    await world.logged('draining');
    process.kill(world.next, 'SIGKILL');
    assert.equal(await world.gateway.exited, 0);
    return 'both have ended';
  },
  'the old process is killed while it drains': async (world) => {
    await (await world.begin()).handedOver();
    assert.equal((await world.session.delete()).status, 200);
    process.kill(world.old, 'SIGKILL');
    return world.assertNewServes();
  },
  // The new process was told to stop, so the old one does not take its place.
  'the new process is killed while it drains': async (world) => {
    await (await world.begin()).handedOver();
    await world.pings.stop();
    const call = await world.session.post(toolCall(1, 'slow', { steps: 50, delay_ms: 100 }, 'mine'));
    process.kill(world.next, 'SIGTERM');
    await world.logged('draining');
    await until('it accepts no more', () => world.visitor.refused > 0);
    process.kill(world.next, 'SIGKILL');
    assert.equal(await world.gateway.exited, 0);
    call.destroy();
    assert.equal(records(world.gateway, BACK).length, 0);
    return 'both have ended';
  },
};

const READ = / when (it|the new one) is ready$/;
const SLOW = ['the old process is stopped when the new one is ready', 'the new process is stopped while it starts'];

for (const [name, run] of Object.entries(steps)) {
  if (RUNS === 1 && SLOW.includes(name)) continue;
  const limit = RUNS > 1 && { timeout: RUNS * 2 * START_LIMIT };
  test(name, { skip: READ.test(name) && !isTraced(), ...limit }, async (t) => {
    const outcomes = {};
    for (let count = 0; count < RUNS; ++count) {
      const world = new World(t);
      const told = await run(world).catch((error) => (RUNS === 1 ? Promise.reject(error) : error.stack));
      await world.clean();
      outcomes[told] = (outcomes[told] ?? 0) + 1;
    }
    if (RUNS === 1) return;
    const table = Object.entries(outcomes).map(([what, count]) => `${count} x ${what}`);
    process.stderr.write(`${name}: ${table.join(', ')}\n`);
    assert.equal(table.length, 1);
  });
}

test('the old process accepts clients again while calls finish after its time for sessions', async (t) => {
  const file = join(scratch(), 'troupe.json');
  const [command, ...args] = exampleServer;
  writeFileSync(file, JSON.stringify({ mcpServers: { a: { command, args } }, gateway: { upgradeTime: '1s' } }));
  const world = new World(t, ['--config', file]);
  world.command = world.command.slice(0, world.command.indexOf('--'));
  await world.begin();
  const call = await world.session.post(toolCall(1, 'slow', { steps: 60, delay_ms: 100 }, 'mine'));
  const unused = await openSession(world.gateway.url);
  await world.handedOver();
  await until('sessions are closed', async () => (await unused.ping()).status === 404);
  process.kill(world.next, 'SIGKILL');
  await world.logged(BACK);
  await world.visitor.more('a new client');
  assert.equal((await openSession(world.gateway.url)).version, '2025-11-25');
  assert.ok((await call.all()).at(-1).result, 'the call goes on');
  await Promise.all([world.visitor.stop(), world.pings.stop()]);
  assert.deepEqual([world.visitor.refused, world.pings.refused], [0, 0], 'refused connections');
  assert.equal(await world.gateway.signal('SIGTERM'), 0);
});

// -- other effects of a failed hand-over -----------------------------------------------------------------------------

test('calls of the new process fail once when it is killed, and its sessions are gone', async (t) => {
  const world = await new World(t).begin();
  const kept = new http.Agent({ keepAlive: true });
  t.after(() => kept.destroy());
  await (await request(world.gateway.at('/healthz'), { agent: kept })).done;
  await world.handedOver();
  const fresh = await openSession(world.gateway.url);
  const slow = (id) => JSON.stringify(toolCall(id, 'slow', { steps: 100, delay_ms: 100 }, id));
  const direct = await fresh.post(slow('direct'));
  const headers = { ...POST_HEADERS, ...fresh.headers };
  const passed = await request(fresh.url, { method: 'POST', headers, body: slow('passed'), agent: kept });
  await passed.message('progress, through the old process', ({ method }) => method === 'notifications/progress');
  await direct.message('progress', ({ method }) => method === 'notifications/progress');
  process.kill(world.next, 'SIGKILL');
  const { error } = await passed.message('the end', ({ id }) => id === 'passed');
  assert.equal(error.code, -32603);
  await direct.done;
  assert.ok(!direct.isWhole);
  await world.logged(BACK);
  assert.equal((await fresh.ping()).status, 404);
  await world.assertOldServes({ broken: 1 });
});

test('operators, and clients of a unix socket, come back to the old process', async (t) => {
  const socket = join(scratch(), 'clients');
  const world = new World(t, ['--listen', `unix:${socket}`, '--admin-listen', '127.0.0.1:0']);
  const isPlace = (flag) => ['--host', '--port'].includes(flag);
  world.command = world.command.filter((one, at, all) => !isPlace(one) && !isPlace(all[at - 1]));
  const gateway = await serveBy(world.command);
  world.adopt(gateway);
  const { url, token_file: file } = await world.logged('listening for operators');
  const token = readFileSync(file, 'utf8').trim();
  const metrics = () => request(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
  const ask = (path, options = {}) => new Promise((resolve, reject) => {
    const outgoing = http.request({ socketPath: socket, path, agent: false, ...options }, (incoming) => {
      incoming.resume().on('end', () => resolve(incoming));
    });
    outgoing.on('error', reject).end(options.body);
  });
  const body = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params: {
    protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'by-hand', version: '1' } } });
  const { headers } = await ask('/mcp', { method: 'POST', headers: POST_HEADERS, body });
  assert.ok(headers['mcp-session-id']);
  await world.handedOver();
  await world.logged('listening for operators', 2);
  process.kill(world.next, 'SIGKILL');
  await world.logged(BACK);
  assert.equal((await ask('/healthz')).statusCode, 200);
  assert.equal((await metrics()).status, 200, 'with the same token');
  assert.equal(await gateway.signal('SIGTERM'), 0);
  assert.ok(!existsSync(socket) && !existsSync(file), 'it removes its files');
});
