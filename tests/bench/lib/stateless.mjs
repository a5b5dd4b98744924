// Stateless calls (2026-07-28), to a 2026-07-28 server and to a session-based one.
import { options } from './options.mjs';
import { each, inTurn, ratios } from './pairs.mjs';
import { atLeast, atMost, row } from './report.mjs';
import { among, config, Floor, Troupe } from './sides.mjs';

const KIB = 1 / 1024;
const SERVERS = { legacy: 'a server of sessions', modern: 'a server of 2026-07-28' };
const MODERN = { args: ['--modern'] };

async function compare(floor, troupes, sessions) {
  const given = { sessions };
  const sides = { floor: () => floor.load('stateless', given) };
  for (const [kind, troupe] of Object.entries(troupes)) sides[kind] = () => troupe.load('stateless', given);
  const results = await inTurn(options.pairs, sides);
  const what = `calls without sessions, ${sessions} ${sessions === 1 ? 'client' : 'clients'}`;
  row(what, 'floor-pipe', results.floor);
  for (const [kind, name] of Object.entries(SERVERS)) {
    const toFloor = ratios(results[kind], results.floor);
    row(what, `Troupe, ${name}`, results[kind], toFloor);
    if (sessions === 16 || sessions === 64) atLeast(`Troupe, ${name}: ${what}, throughput`, toFloor, 0.85, 0.7);
  }
}

// Compares a call with a question and its retry with two plain calls.
async function compareParked(troupe, sessions) {
  const results = await inTurn(options.pairs, {
    plain: () => troupe.load('stateless', { sessions, apart: true }),
    parked: () => troupe.load('stateless', { sessions, apart: true, tool: 'ask' }),
  });
  const what = `a call that asks and its retry, ${sessions} ${sessions === 1 ? 'client' : 'clients'}`;
  const longer = ratios(results.parked, results.plain, 'p50');
  row(what, 'Troupe, without asking', results.plain);
  row(what, 'Troupe (ratio of p50)', results.parked, longer);
  atMost(`${what}, p50 against a plain call`, longer, 2, 3);
  atMost(`${what}, CPU against a plain call`, ratios(results.parked, results.plain, 'cpuPerCall'), 2, 3);
}

async function compareIdle() {
  const given = { sessions: options.leases, settle: options.settle };
  const start = () => Troupe.startConfig(config('shared', { affinity: 'header' }));
  const { sessions, leases } = await inTurn(options.streamPairs, {
    sessions: () => among([start()], (troupe) => troupe.load('idle', given)),
    leases: () => among([start()], (troupe) => troupe.load('idle', { ...given, stateless: true })),
  });
  atMost('a session that has made a call, memory', each(sessions, 'idle_bytes', KIB), 4.5, 6, ' KiB');
  atMost('an idle lease, memory', each(leases, 'idle_bytes', KIB), 4.5, 6, ' KiB');
  atMost('an idle lease against an idle session, memory', ratios(leases, sessions, 'idle_bytes'), 1, 1.5);
}

export async function stateless() {
  const modern = Troupe.startConfig(config('shared', MODERN));
  await among([Floor.start('pipe'), Troupe.start('shared'), modern], async (floor, legacy, modern) => {
    for (const sessions of options.sessions) await compare(floor, { legacy, modern }, sessions);
  });
  // A server's question names no call. The lease and the process that it comes from identify the call.
  const apart = Troupe.startConfig(config('session', { affinity: 'header' }));
  await among([apart], async (troupe) => {
    for (const sessions of new Set([1, options.connectors])) await compareParked(troupe, sessions);
  });
  await compareIdle();
}
