// The cost of observability: calls with metrics, with the access log, with both, and with one of a hundred calls
// traced. And a scrape with many sessions.
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
const PAIRS_OF_A_PROCESS = 4;

const begin = (gateway) => Troupe.startWith({ maxSessions: 2 * MANY, ...gateway }, 'shared');

const adminOf = ({ gateway }) =>
  JSON.parse(gateway.log.find((line) => line.includes('listening for operators'))).url;

// A collector that accepts everything.
async function startCollector() {
  const collector = createServer((request, response) => request.resume().on('end', () => response.end('{}')));
  await once(collector.listen(0, '127.0.0.1'), 'listening');
  return { collector, endpoint: `http://127.0.0.1:${collector.address().port}/v1/traces` };
}

// The seconds that each of several scrapes took.
async function scrapes(url, count) {
  const seconds = [];
  for (let i = 0; i < count; ++i) {
    const began = performance.now();
    await (await fetch(`${url}/metrics`)).text();
    seconds.push((performance.now() - began) / 1000);
  }
  return seconds;
}

// Makes calls at all sides in turn. Memory layout can make a process faster than its twin, so each side restarts after
// a few rounds.
async function callsInTurn(sides, sessions) {
  const results = Object.fromEntries(Object.keys(sides).map((name) => [name, []]));
  for (let left = options.pairs; left > 0; left -= PAIRS_OF_A_PROCESS)
    await among(Object.values(sides).map(begin), async (...started) => {
      const names = Object.keys(sides);
      const loads = names.map((name, at) => [name, () => started[at].load('calls', { sessions })]);
      const figures = await inTurn(Math.min(left, PAIRS_OF_A_PROCESS), Object.fromEntries(loads));
      for (const name of names) results[name].push(...figures[name]);
    });
  return results;
}

function judge({ alone, measured, both, traced }, sessions) {
  const what = `calls, shared, ${sessions} sessions`;
  row(`${what}, nobody watches`, 'Troupe', alone);
  row('the same, measured', 'Troupe (ratio to unwatched)', measured, ratios(measured, alone));
  row('the same, measured and logged', 'Troupe (ratio to unwatched)', both, ratios(both, alone));
  row('the same, 1 % traced besides', 'Troupe (ratio to measured and logged)', traced, ratios(traced, both));
  atLeast('measured and logged calls, throughput against unwatched', ratios(both, alone), 0.97, 0.93);
  atMost('measured and logged calls, CPU against unwatched', ratios(both, alone, 'cpuPerCall'), 1.03, 1.1);
  atLeast('1 % traced, throughput against untraced', ratios(traced, both), 0.97, 0.93);
  atMost('1 % traced, CPU against untraced', ratios(traced, both, 'cpuPerCall'), 1.03, 1.1);
}

async function scrapesOfMany(admin) {
  await among([begin({ admin })], async (measured) => {
    const idle = measured.load('idle', { sessions: MANY, settle: options.seconds + 3 });
    await new Promise((resolve) => setTimeout(resolve, 3000 + 1000 * options.seconds));
    const times = await scrapes(adminOf(measured), SCRAPES);
    await idle;
    atMost(`a scrape with ${MANY} sessions, seconds`, times, 0.05, 0.2);
  });
}

export async function watched() {
  const place = await mkdtemp(`${tmpdir()}/troupe-bench-`);
  const admin = { listen: '127.0.0.1:0', open: true };
  const accessLog = { file: `${place}/access.log` };
  const { collector, endpoint } = await startCollector();
  const traces = { endpoint, ratio: 0.01 };
  const sessions = Math.min(16, options.many);
  try {
    const sides = { alone: {}, measured: { admin }, both: { admin, accessLog }, traced: { admin, accessLog, traces } };
    judge(await callsInTurn(sides, sessions), sessions);
    await scrapesOfMany(admin);
  } finally {
    collector.close();
    collector.closeAllConnections();
    await rm(place, { recursive: true });
  }
}
