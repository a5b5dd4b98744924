// The options of a run, and the sizes derived from them.
import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const TARGETS = ['troupe_bench_echo', 'troupe_bench_floor', 'troupe_bench_load'];

const USAGE = `usage: tests/bench/run [MODE…] [flags]
Modes: start calls stateless threads connect streams cluster legacy credentials watched churn (all unless named)
       peers (only when named: other bridges, which it installs from npm)
  --pairs N          how often both sides are measured, in turn (5)
  --seconds S        how long each time (1)
  --sessions N,…     of calls (1,16,64,256)
  --sizes BYTES,…    of results of calls, beyond the short ones (0,65536)
  --sharing KIND,…   of calls (shared,session)
  --troupe PROGRAM   measure this program; otherwise the release preset is built
  --programs FOLDER  the bench's own programs; otherwise the release preset is built
  --out              write the tables to tests/bench/README.md
  --smoke            a moment of everything, to see that it works`;

const FULL = {
  warmup: 0.3,
  sessions: [1, 16, 64, 256],
  sizes: [0, 65_536],
  many: 1_000,
  connectors: 16,
  streams: 9_500,
  leases: 2_000,
  peerStreams: 500,
  idle: 30, // two keep-alives of each stream
  rounds: 10,
  settle: 3,
  streamPairs: 3,
  starts: 10,
};

const SMOKE = {
  warmup: 0.02,
  sessions: [1, 4],
  sizes: [0, 65_536],
  many: 20,
  connectors: 2,
  streams: 40,
  leases: 20,
  peerStreams: 5,
  idle: 0.1,
  rounds: 2,
  settle: 0,
  streamPairs: 1,
  starts: 1,
};

const given = (() => {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        pairs: { type: 'string' },
        seconds: { type: 'string' },
        sessions: { type: 'string' },
        sizes: { type: 'string' },
        sharing: { type: 'string' },
        troupe: { type: 'string' },
        programs: { type: 'string' },
        out: { type: 'boolean' },
        smoke: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    console.error(`tests/bench/run: ${error.message}`);
    process.exit(2);
  }
})();

if (given.values.help) {
  console.log(USAGE);
  process.exit(0);
}

function build(targets) {
  if (targets.length === 0) return;
  const cmake = (stdout, ...args) => execFileSync('cmake', args, { cwd: ROOT, stdio: ['ignore', stdout, 2] });
  cmake('ignore', '--preset', 'release', '--log-level=WARNING', '-DTROUPE_TESTS=ON', '-DTROUPE_BENCH=ON');
  cmake(2, '--build', '--preset', 'release', '--target', ...targets);
}

const { smoke = false, troupe, programs, out = false } = given.values;
build([...(troupe ? [] : ['troupe_program']), ...(programs ? [] : TARGETS)]);
// The program that the helpers of the system tests start.
process.env.TROUPE = resolve(troupe ?? `${ROOT}/build/release/troupe`);

const listed = (text) => text?.split(',');
const counts = (text) => listed(text)?.map(Number);
const usual = smoke ? SMOKE : FULL;

export const options = {
  ...usual,
  sessions: counts(given.values.sessions) ?? usual.sessions,
  sizes: counts(given.values.sizes) ?? usual.sizes,
  sharing: listed(given.values.sharing) ?? ['shared', 'session'],
  smoke,
  out,
  isForeign: Boolean(troupe),
  modes: given.positionals,
  pairs: Number(given.values.pairs ?? (smoke ? 1 : 5)),
  seconds: Number(given.values.seconds ?? (smoke ? 0.05 : 1)),
};

const folder = resolve(programs ?? `${ROOT}/build/release/tests/bench`);
export const program = (name) => `${folder}/troupe_bench_${name}`;
