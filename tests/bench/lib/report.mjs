// Prints the figures as tables.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { options, ROOT } from './options.mjs';

const README = `${ROOT}/tests/bench/README.md`;
const TABLES = /(<!-- tables -->\n)[^]*(<!-- end of tables -->)/;

// The load average of the machine.
const busy = os.loadavg()[0].toFixed(1);

const goals = [];
const figures = [];

const sorted = (values) => values.toSorted((a, b) => a - b);
export const median = (values) => {
  const inOrder = sorted(values);
  const middle = inOrder.length / 2;
  return (inOrder[Math.floor(middle)] + inOrder[Math.ceil(middle - 1)]) / 2;
};

const digits = (value) => {
  if (!Number.isFinite(value)) return '';
  if (value >= 1_000) return Math.round(value).toLocaleString('en');
  return value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2);
};

// The 95 % confidence interval of the median (sign test); nothing for few values.
const FEW = 10;
function certainty(inOrder) {
  const all = inOrder.length;
  if (all < FEW) return '';
  const rank = Math.floor((all + 1 - 1.96 * Math.sqrt(all)) / 2);
  return `; median 95 %: ${digits(inOrder[rank - 1])} – ${digits(inOrder[all - rank])}`;
}

const spread = (values, unit = '') => {
  const inOrder = sorted(values);
  const range = ` (${digits(inOrder[0])} – ${digits(inOrder.at(-1))}${certainty(inOrder)})`;
  return `${digits(median(values))}${inOrder.length > 1 ? range : ''}${unit}`;
};

const verdict = (value, { goal, never, isLeast }) => {
  const reaches = (bound) => (isLeast ? value >= bound : value <= bound);
  if (reaches(goal)) return 'goal';
  return reaches(never) ? 'between' : '**missed**';
};

// Compares values with a goal, which is a lower (at least) or upper (at most) bound, and with a hard limit.
function judge(what, values, bounds, unit = '') {
  const sign = bounds.isLeast ? '≥' : '≤';
  const wanted = `${sign} ${bounds.goal}${unit} / ${bounds.never}${unit}`;
  goals.push([what, spread(values, unit), wanted, verdict(median(values), bounds)]);
}

export const atLeast = (what, values, goal, never, unit) => judge(what, values, { goal, never, isLeast: true }, unit);
export const atMost = (what, values, goal, never, unit) => judge(what, values, { goal, never }, unit);

// A row of figures. Ratios compare its throughput to that of the floor, pair by pair.
export function row(what, side, rounds, ratios = []) {
  const of = (name) => median(rounds.map((round) => round[name] ?? NaN));
  figures.push([
    what,
    side,
    digits(of('per_second')),
    ...['p50', 'p90', 'p99', 'p99.9'].map((name) => digits(of(name))),
    digits(of('cpuPerCall') * 10_000),
    digits(of('resident_bytes') / 1024 / 1024),
    ratios.length ? spread(ratios) : '',
  ]);
  console.error(`${what}, ${side}: ${figures.at(-1).slice(2).join(' | ')}`);
}

const notes = [];
export const note = (text) => {
  notes.push(text);
  console.error(text);
};

const table = (head, lines) =>
  [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const git = (...args) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();

function machineAndVersions() {
  const isChanged = git('status', '--porcelain', '--untracked-files=no') !== '';
  const here = `commit ${git('rev-parse', '--short', 'HEAD')}${isChanged ? ' with changes' : ''}`;
  const commit = options.isForeign ? `${here}, but a program of elsewhere` : here;
  const cpus = os.cpus();
  const memory = `${Math.round(os.totalmem() / 1024 ** 3)} GiB`;
  const machine = `${cpus.length} × ${cpus[0].model}, ${memory}, Linux ${os.release()}`;
  return `${machine}, load average before ${busy}; ${new Date().toISOString().slice(0, 10)}; ${commit}.`;
}

export function text() {
  const parts = [machineAndVersions()];
  if (goals.length) parts.push(table(['goal', 'measured (spread)', 'goal / never worse', 'verdict'], goals));
  const times = ['p50 µs', 'p90', 'p99', 'p99.9'];
  const head = ['load', 'side', 'per second', ...times, 'CPU s per 10,000', 'MiB', 'ratio (spread)'];
  if (figures.length) parts.push(table(head, figures));
  parts.push(...notes);
  return `${parts.join('\n\n')}\n`;
}

export function writeReadme() {
  const readme = readFileSync(README, 'utf8');
  writeFileSync(README, readme.replace(TABLES, (_, begin, end) => `${begin}\n${text()}\n${end}`));
}
