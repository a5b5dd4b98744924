// The small modes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { startCluster } from '../../system/lib/cluster.mjs';
import { serve, serving } from '../../system/lib/gateway.mjs';
import { DEBUG, leavesNothing } from '../../system/lib/state.mjs';
import { options } from './options.mjs';
import { inTurn, ratios } from './pairs.mjs';
import { atMost, note, row } from './report.mjs';
import { among, clusterLoad, config, echo, Floor, Troupe } from './sides.mjs';

const SETTLED = options.smoke ? 50 : 1_000;
const PATIENCE = 10;

const residentMebibytes = (pid) =>
  Number(/Rss:\s*(\d+) kB/.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))[1]) / 1024;

async function listens(child) {
  let log = '';
  for await (const chunk of child.stderr) {
    log += chunk;
    if (log.includes('"url"')) return;
  }
  throw new Error(`the gateway did not start\n${log}`);
}

async function startOnce() {
  const [program, ...args] = serving('--', echo);
  const began = performance.now();
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  await listens(child);
  const milliseconds = performance.now() - began;
  await pause(SETTLED);
  const mebibytes = residentMebibytes(child.pid);
  child.kill('SIGTERM');
  await once(child, 'exit');
  return { milliseconds, mebibytes };
}

export async function start() {
  const { starts } = await inTurn(options.starts, { starts: startOnce });
  atMost('from start to listening', starts.map(({ milliseconds }) => milliseconds), 50, 100, ' ms');
  atMost('memory after start', starts.map(({ mebibytes }) => mebibytes), 15, 25, ' MiB');
}

// Runs `happening` with a cluster.
async function inCluster(settings, happening) {
  const endings = [];
  try {
    return await happening(await startCluster({ after: (end) => endings.push(end) }, settings));
  } finally {
    for (const end of endings) await end();
  }
}

export async function cluster() {
  await inCluster({ nodes: 2, config: config('shared'), heartbeat: PATIENCE }, async ({ nodes }) => {
    const given = { sessions: options.connectors };
    const results = await inTurn(options.pairs, {
      local: () => clusterLoad(nodes, given),
      forwarded: () => clusterLoad(nodes, { ...given, 'call-port': nodes[1].port }),
    });
    const what = `cluster, shared, ${given.sessions} sessions, both nodes`;
    row(what, 'Troupe, local', results.local);
    row(what, 'Troupe, forwarded (ratio to local)', results.forwarded, ratios(results.forwarded, results.local));
    const cpu = ratios(results.forwarded, results.local, 'cpuPerCall');
    atMost('a forwarded call, CPU of both nodes against a local call', cpu, 2, 3);
  });
}

// A session on the one thread, with its calls on a connection of the other thread.
export async function threads() {
  await among([Troupe.start('session', '--threads', '2')], async (troupe) => {
    const given = { sessions: 1 };
    const results = await inTurn(options.pairs, {
      same: () => troupe.load('calls', given),
      other: () => troupe.load('calls', { ...given, 'call-port': troupe.given.port }),
    });
    const what = 'calls, session, 1 session, 2 threads';
    row(`${what}, one connection`, 'Troupe', results.same);
    const toSame = ratios(results.other, results.same);
    row(`${what}, another connection`, 'Troupe (ratio to the line above)', results.other, toSame);
    const later = ratios(results.other, results.same, 'p50');
    atMost('calls on a connection that came on another thread, p50 against that of the session', later, 1.1, 1.3);
  });
}

export async function legacy() {
  const sessions = options.connectors;
  await among([Floor.start('pipe'), Troupe.start('shared')], async (floor, troupe) => {
    const results = await inTurn(options.pairs, {
      floor: () => floor.load('calls', { sessions }),
      troupe: () => troupe.load('legacy', { sessions }, 'sse'),
    });
    row(`calls, ${sessions} sessions, by HTTP+SSE`, 'floor-pipe, not by HTTP+SSE', results.floor);
    row(`calls, ${sessions} sessions, by HTTP+SSE`, 'Troupe', results.troupe, ratios(results.troupe, results.floor));
  });
}

export async function churn() {
  const troupe = new Troupe(await serve(DEBUG, '--', echo));
  await among([troupe], async () => {
    let broken = 0;
    await leavesNothing(troupe.gateway, async () => {
      const given = { sessions: options.connectors, path: '/mcp', seconds: 5 * options.seconds };
      broken = (await troupe.load('churn', given)).calls;
    });
    note(`Churn: ${broken} clients broke off in the middle of something; nothing was left of them.`);
  });
}
