// Disturbs real processes with one fault after the other, under calls that have a token each. Counts the outcomes of
// calls for each kind of fault. See tests/system/storm.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { lasting, startCluster } from './lib/cluster.mjs';
import { fixture, FIXTURE_SERVER, PROGRAM } from './lib/gateway.mjs';
import { random } from './lib/random.mjs';
import { scratch } from './lib/scratch.mjs';
import { Session, LATEST } from './lib/session.mjs';
import { startRecovering } from './lib/store.mjs';
import { FORBIDDEN, SessionClient, StatelessClient, Table } from './lib/storm-clients.mjs';
import { CLUSTER_FAULTS, HANDOVER_FAULTS } from './lib/storm-faults.mjs';
import { ReplacedGateway } from './lib/storm-gateway.mjs';

const { values: options } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    minutes: { type: 'string', default: '5' },
    rounds: { type: 'string' },
    only: { type: 'string' },
    heartbeat: { type: 'string', default: '2' },
    'no-store': { type: 'boolean', default: false },
  },
});
// In milliseconds. The longest exceeds the time after which nodes give up a silent one, with any usual heartbeat.
const PAUSE = { least: 200, most: 5_000 };
// Calls begin before the fault, and go on after it.
const RUN_UP = 300;
const REST = 1_000;
const PATH = '/servers/a/mcp';
const CLIENTS = { sessions: 12, stateless: 4 };
const DETAILS = 60;
const WHOLE_LIMIT = 120_000;
// The part of the time that hand-overs get.
const HANDOVERS = 0.25;

// Faults and their times depend only on the seed: clients draw from another source.
const draw = random(Number(options.seed));
const drawOfClients = random(Number(options.seed) + 1);
const table = new Table();
const wait = () => pause(draw.between(PAUSE.least, PAUSE.most));
const tell = (text) => console.error(`${new Date().toISOString()} ${text}`);

function refuse(why) {
  console.error(`tests/system/storm: ${why}`);
  process.exit(2);
}

const only = options.only?.split(',');
const isPossible = (kind) => !options['no-store'] || !kind.includes('Redis');
const chosenOf = (faults) => Object.keys(faults).filter((kind) => (!only || only.includes(kind)) && isPossible(kind));

// The kinds of faults in random order: each `--rounds` times, or until the share of the time is over.
function* kindsOf(faults, share) {
  const kinds = chosenOf(faults);
  const until = Date.now() + Number(options.minutes) * 60_000 * share;
  const isOver = (n) => (options.rounds ? n >= Number(options.rounds) : Date.now() >= until);
  for (let n = 0; !isOver(n); ++n) {
    const rest = [...kinds];
    while (rest.length > 0 && !isOver(n)) yield rest.splice(draw.below(rest.length), 1)[0];
  }
}

// Calls the sessions that got 404. If one answers, the 404 was wrong.
async function findMissing(bases) {
  for (const { id, path, fault } of SessionClient.missing.splice(0))
    for (const base of bases) {
      const session = new Session(new URL(path, base).href, id, LATEST);
      const reply = await session.ping().catch(() => undefined);
      await reply?.done;
      if (reply?.status !== 200) continue;
      table.add('404 while live', fault, `${id} answers at ${base}`);
      await session.delete().then((ended) => ended.done, () => {});
      break;
    }
}

async function round(kind, strike, whole, bases) {
  table.begin(kind);
  tell(kind);
  await pause(RUN_UP);
  await strike();
  const began = Date.now();
  await whole();
  table.took(Date.now() - began);
  await pause(REST);
  await table.end();
  await findMissing(bases());
}

// Counts calls that a server has received twice.
function countTwice(base) {
  const seen = new Set();
  const journal = `${base}.journal`;
  if (!existsSync(journal)) refuse('no server has run: see the log of the gateway');
  for (const line of readFileSync(journal, 'utf8').split('\n').filter(Boolean)) {
    const { method, params } = JSON.parse(line);
    const token = method === 'tools/call' && params.arguments?.message;
    if (token && seen.has(token)) table.add('repeated', table.faultOf(token), `${token} ran twice`);
    seen.add(token);
  }
  assert.ok(seen.size > 0, 'servers note their calls');
}

function clientsOf(place) {
  const many = (Kind, count) => Array.from({ length: count }, () => new Kind(table, place, PATH, drawOfClients));
  return [...many(SessionClient, CLIENTS.sessions), ...many(StatelessClient, CLIENTS.stateless)];
}

async function stopped(clients) {
  const all = clients.map((client) => client.stop());
  table.begin('end');
  await Promise.all(all);
}

// Starts nodes without a store: the sessions of a node end with it.
async function startAlone(t, how) {
  const base = join(scratch(), 'witness');
  const [command, ...args] = fixture('witness', base);
  const cluster = await startCluster(t, { config: { mcpServers: { a: { command, args } } }, ...how });
  return { cluster, nodes: cluster.nodes, base };
}

async function stormOfCluster(t) {
  if (chosenOf(CLUSTER_FAULTS).length === 0) return;
  tell('nodes start');
  const start = options['no-store'] ? startAlone : startRecovering;
  const stage = await start(t, { proxied: true, heartbeat: Number(options.heartbeat) });
  let next = 0;
  const clients = clientsOf(() => stage.nodes[next++ % stage.nodes.length].at('/'));
  for (const kind of kindsOf(CLUSTER_FAULTS, 1 - HANDOVERS))
    await round(kind, () => CLUSTER_FAULTS[kind](stage, draw.pick(stage.nodes), wait),
      () => stage.cluster.whole(WHOLE_LIMIT), () => stage.nodes.map((node) => node.at('/')));
  await stopped(clients);
  countTwice(stage.base);
}

async function stormOfHandovers(t) {
  if (chosenOf(HANDOVER_FAULTS).length === 0) return;
  const gateway = await new ReplacedGateway(table, draw).start();
  t.after(() => gateway.stop());
  const clients = clientsOf(() => gateway.url);
  gateway.clients = clients.filter((client) => client instanceof SessionClient);
  for (const kind of kindsOf(HANDOVER_FAULTS, HANDOVERS))
    await round(kind, () => HANDOVER_FAULTS[kind](gateway, wait), () => {}, () => [gateway.url]);
  await stopped(clients);
  countTwice(gateway.base);
}

function report() {
  const store = options['no-store'] ? ', no store' : '';
  console.log(`seed ${options.seed}, heartbeat ${options.heartbeat} s${store}`);
  console.log(String(table));
  console.log(table.details.slice(0, DETAILS).join('\n'));
}

for (const file of [PROGRAM, FIXTURE_SERVER])
  if (!existsSync(file)) refuse(`no program at ${file}: build the targets troupe_program and fixture_server`);
const unknown = only?.find((kind) => !(kind in CLUSTER_FAULTS) && !(kind in HANDOVER_FAULTS));
if (unknown) {
  const all = Object.keys({ ...CLUSTER_FAULTS, ...HANDOVER_FAULTS });
  refuse(`invalid fault "${unknown}": use one of ${all.join(', ')}`);
}
try {
  for (const storm of [stormOfCluster, stormOfHandovers]) {
    const t = lasting();
    await storm(t).finally(() => t.end());
  }
} finally {
  report();
}
process.exit(table.sum(FORBIDDEN) > 0 ? 1 : 0);
