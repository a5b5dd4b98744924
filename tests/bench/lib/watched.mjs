// What it costs to be watched: calls while they are measured, or have their line in the access log, or both; and a
// scrape while there are many sessions.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { performance } from 'node:perf_hooks';
import { options } from './options.mjs';
import { inTurn, ratios } from './pairs.mjs';
import { atLeast, atMost, row } from './report.mjs';
import { among, Troupe } from './sides.mjs';

const MANY = 10_000;
const SCRAPES = 20;

const adminOf = ({ gateway }) =>
  JSON.parse(gateway.log.find((line) => line.includes('listening for operators'))).url;

// Seconds that each of some scrapes took, one after the other.
async function scrapes(url, count) {
  const seconds = [];
  for (let i = 0; i < count; ++i) {
    const began = performance.now();
    await (await fetch(`${url}/metrics`)).text();
    seconds.push((performance.now() - began) / 1000);
  }
  return seconds;
}

export async function watched() {
  const place = await mkdtemp(`${tmpdir()}/troupe-bench-`);
  const admin = { listen: '127.0.0.1:0' };
  const accessLog = { file: `${place}/access.log` };
  const begin = (gateway) => Troupe.startWith({ maxSessions: 2 * MANY, ...gateway }, 'shared');
  try {
    await among([begin({}), begin({ admin }), begin({ admin, accessLog })], async (alone, measured, both) => {
      const sessions = Math.min(16, options.many);
      const load = (side) => () => side.load('calls', { sessions });
      const results = await inTurn(options.pairs, { alone: load(alone), measured: load(measured), both: load(both) });
      const what = `calls, shared, ${sessions} sessions`;
      row(`${what}, nobody watches`, 'Troupe', results.alone);
      row('the same, measured', 'Troupe (ratio to unwatched)', results.measured, ratios(results.measured, results.alone));
      row('the same, measured and logged', 'Troupe (ratio to unwatched)', results.both, ratios(results.both, results.alone));
      atLeast('measured and logged calls, throughput against unwatched', ratios(results.both, results.alone), 0.97, 0.93);
      const cpu = ratios(results.both, results.alone, 'cpuPerCall');
      atMost('measured and logged calls, CPU against unwatched', cpu, 1.03, 1.1);
      const idle = measured.load('idle', { sessions: MANY, settle: options.seconds + 3 });
      await new Promise((resolve) => setTimeout(resolve, 3000 + 1000 * options.seconds));
      const times = await scrapes(adminOf(measured), SCRAPES);
      await idle;
      atMost(`a scrape with ${MANY} sessions, seconds`, times, 0.05, 0.2);
    });
  } finally {
    await rm(place, { recursive: true });
  }
}
