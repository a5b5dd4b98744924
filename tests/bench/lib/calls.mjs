// Sessions that each make one call after the other.
import { options } from './options.mjs';
import { inTurn, ratios } from './pairs.mjs';
import { atLeast, atMost, note, row } from './report.mjs';
import { among, Floor, rawPipe, Troupe } from './sides.mjs';

const ONE = ['--threads', '1'];
const FLOORS = { shared: 'pipe', session: 'pipes' };
const KINDS = { one: 'Troupe, 1 thread', all: 'Troupe' };

const named = (sessions, size, sharing) =>
  `calls, ${sharing}, ${sessions} ${sessions === 1 ? 'session' : 'sessions'}, ${size ? `${size / 1024} KiB` : 'short'}`;

// Compares one process with one process, and a process per session with a process per connection.
function judge(goal, sessions, size, rounds, floors) {
  const of = (figure) => ratios(rounds, floors, figure);
  const isBusy = sessions === 16 || sessions === 64;
  if (isBusy) atLeast(`${goal}, throughput`, of('per_second'), ...(size ? [0.85, 0.75] : [0.9, 0.75]));
  if (isBusy && !size) atMost(`${goal}, CPU per call`, of('cpuPerCall'), 1.25, 1.5);
  if (sessions === 1 && !size) atMost(`${goal}, p50`, of('p50'), 1.15, 1.3);
  if (sessions === 64 && !size) atMost(`${goal}, p99 over its p50`, rounds.map(({ p50, p99 }) => p99 / p50), 3, 4);
}

async function compare(floor, troupes, sharing, sessions, size) {
  const given = { sessions, size };
  const sides = { floor: () => floor.load('calls', given) };
  for (const [kind, troupe] of Object.entries(troupes)) sides[kind] = () => troupe.load('calls', given);
  const results = await inTurn(options.pairs, sides);
  const what = named(sessions, size, sharing);
  row(what, `floor-${floor.kind}`, results.floor);
  for (const kind of Object.keys(troupes)) {
    row(what, KINDS[kind], results[kind], ratios(results[kind], results.floor));
    judge(`${KINDS[kind]}: ${what}`, sessions, size, results[kind], results.floor);
  }
}

// Compares special kinds of calls with plain calls of a shared server.
async function compareKinds(troupe) {
  const sessions = Math.min(16, options.many);
  const results = await inTurn(options.pairs, {
    plain: () => troupe.load('calls', { sessions }),
    sse: () => troupe.load('calls', { sessions, sse: true }),
    merged: () => troupe.load('calls', { sessions, tool: 'echo__echo' }, 'merged'),
    many: () => troupe.load('calls', { sessions: options.many }),
  });
  const of = (name) => ratios(results[name], results.plain);
  row(`calls, shared, ${sessions} sessions, again`, 'Troupe', results.plain);
  row('the same, answers are streams', 'Troupe (ratio to the line above)', results.sse, of('sse'));
  row('the same, merged at /mcp', 'Troupe (the same)', results.merged, of('merged'));
  row(`the same, ${options.many} sessions`, 'Troupe (the same)', results.many, of('many'));
  atLeast('merged at /mcp against one server, throughput', of('merged'), 0.95, 0.85);
  atLeast('SSE answers against JSON answers, throughput', of('sse'), 0.9, 0.8);
  atLeast('1,000 sessions active against 16, throughput', of('many'), 0.9, 0.8);
}

export async function calls() {
  const raw = await Promise.all([rawPipe(1), rawPipe(64)]);
  note(`The raw pipe: ${raw.map(Math.round).join(' and ')} lines per second, with 1 and 64 under way.`);
  for (const sharing of options.sharing) {
    const sides = [Floor.start(FLOORS[sharing]), Troupe.start(sharing, ...ONE), Troupe.start(sharing)];
    await among(sides, async (floor, one, all) => {
      for (const size of options.sizes)
        for (const sessions of options.sessions) await compare(floor, { one, all }, sharing, sessions, size);
      if (sharing === 'shared') await compareKinds(all);
    });
  }
}
