// What it costs to be watched: calls while they are measured, or have their line in the access log, or both, and while
// one of a hundred is traced besides; and a scrape while there are many sessions.
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
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

// Takes whatever it is sent.
async function startCollector() {
  const collector = createServer((request, response) => request.resume().on('end', () => response.end('{}')));
  await once(collector.listen(0, '127.0.0.1'), 'listening');
  return { collector, endpoint: `http://127.0.0.1:${collector.address().port}/v1/traces` };
}

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
  const { collector, endpoint } = await startCollector();
  const traces = { endpoint, ratio: 0.01 };
  const begin = (gateway) => Troupe.startWith({ maxSessions: 2 * MANY, ...gateway }, 'shared');
  try {
    const sides = [{}, { admin }, { admin, accessLog }, { admin, accessLog, traces }];
    await among(sides.map(begin), async (alone, measured, both, traced) => {
      const sessions = Math.min(16, options.many);
      const load = (side) => () => side.load('calls', { sessions });
      const loads = { alone: load(alone), measured: load(measured), both: load(both), traced: load(traced) };
      const results = await inTurn(options.pairs, loads);
      const what = `calls, shared, ${sessions} sessions`;
      row(`${what}, nobody watches`, 'Troupe', results.alone);
      row('the same, measured', 'Troupe (ratio to unwatched)', results.measured, ratios(results.measured, results.alone));
      row('the same, measured and logged', 'Troupe (ratio to unwatched)', results.both, ratios(results.both, results.alone));
      const kept = ratios(results.traced, results.both);
      row('the same, 1 % traced besides', 'Troupe (ratio to measured and logged)', results.traced, kept);
      atLeast('measured and logged calls, throughput against unwatched', ratios(results.both, results.alone), 0.97, 0.93);
      const cpu = ratios(results.both, results.alone, 'cpuPerCall');
      atMost('measured and logged calls, CPU against unwatched', cpu, 1.03, 1.1);
      atLeast('1 % traced, throughput against untraced', kept, 0.97, 0.93);
      atMost('1 % traced, CPU against untraced', ratios(results.traced, results.both, 'cpuPerCall'), 1.03, 1.1);
      const idle = measured.load('idle', { sessions: MANY, settle: options.seconds + 3 });
      await new Promise((resolve) => setTimeout(resolve, 3000 + 1000 * options.seconds));
      const times = await scrapes(adminOf(measured), SCRAPES);
      await idle;
      atMost(`a scrape with ${MANY} sessions, seconds`, times, 0.05, 0.2);
    });
  } finally {
    collector.close();
    collector.closeAllConnections();
    await rm(place, { recursive: true });
  }
}
