// Rates and latencies, from readings of the metrics.

const OPERATION = 'mcp_server_operation_duration_seconds';
const KEPT_MS = 10 * 60_000;
// A longer pause between readings, such as of a page that was hidden, is no line.
export const GAP_MS = 15_000;
// Latencies are those of so long: few calls have no percentiles.
const WINDOW_MS = 20_000;

const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;

// The sum of each gauge and counter, and the histogram of all operations together.
export function readMetrics(text) {
  const sums = new Map();
  const buckets = new Map();
  let errors = 0;
  for (const line of text.split('\n')) {
    if (line === '' || line[0] === '#') continue;
    const name = line.slice(0, line.search(/[{ ]/));
    const value = Number(line.slice(line.lastIndexOf(' ') + 1));
    if (name === `${OPERATION}_bucket`) {
      const bound = Number(labelIn(line, 'le').replace('+Inf', 'Infinity'));
      buckets.set(bound, (buckets.get(bound) ?? 0) + value);
    } else {
      sums.set(name, (sums.get(name) ?? 0) + value);
      if (name === `${OPERATION}_count` && labelIn(line, 'error_type')) errors += value;
    }
  }
  return { sums, buckets, errors };
}

function labelIn(line, wanted) {
  const end = line.lastIndexOf('}');
  for (const [, name, value] of line.slice(0, end).matchAll(LABEL)) if (name === wanted) return value;
  return '';
}

// The time within which that part of what was counted lies, as Prometheus takes it; nothing when nothing was counted.
export function quantile(part, counts) {
  const bounds = [...counts.keys()].sort((a, b) => a - b);
  const all = counts.get(Infinity) ?? 0;
  if (all <= 0) return undefined;
  let [below, lower] = [0, 0];
  for (const bound of bounds) {
    const within = counts.get(bound);
    if (within >= part * all && bound === Infinity) return lower;
    if (within >= part * all) return lower + ((bound - lower) * (part * all - below)) / Math.max(within - below, 1);
    [below, lower] = [within, bound];
  }
  return lower;
}

function difference(later, earlier) {
  return new Map([...later].map(([bound, value]) => [bound, value - (earlier.get(bound) ?? 0)]));
}

const sumOf = ({ sums }, name) => sums.get(name) ?? 0;

export class History {
  #readings = [];
  points = [];
  // The sums of the last reading, and when that was.
  latest = undefined;
  readAt = 0;

  // A point for each reading but the first: what happened since the one before. `at` is of a clock that only runs
  // forward, `time` of the one on the wall: when they differ the machine slept, and `at` does not tell how long.
  add(text, at, time) {
    const reading = { at, time, ...readMetrics(text) };
    const before = this.#readings.at(-1);
    const total = (one) => sumOf(one, `${OPERATION}_count`);
    const slept = before && Math.abs(time - before.time - (at - before.at)) > GAP_MS;
    if (before && (slept || total(reading) < total(before))) this.#readings = []; // or another process
    this.#readings.push(reading);
    while (this.#readings.length > 1 && at - this.#readings[0].at > WINDOW_MS + GAP_MS) this.#readings.shift();
    this.latest = reading.sums;
    this.readAt = at;
    if (before && this.#readings.length > 1) this.#addPoint(before, reading, total);
  }

  #addPoint(before, now, total) {
    const elapsed = (now.at - before.at) / 1_000;
    const since = this.#readings.find((one) => now.at - one.at <= WINDOW_MS) ?? before;
    const counts = difference(now.buckets, (since === now ? before : since).buckets);
    this.points.push({
      at: now.at,
      requests: (total(now) - total(before)) / elapsed,
      errors: (now.errors - before.errors) / elapsed,
      p50: quantile(0.5, counts),
      p95: quantile(0.95, counts),
      p99: quantile(0.99, counts),
      sessions: sumOf(now, 'troupe_sessions') + sumOf(now, 'troupe_leases'),
      calls: sumOf(now, 'troupe_calls_in_flight'),
    });
    const oldest = now.at - KEPT_MS;
    while (this.points[0].at < oldest) this.points.shift();
  }
}
