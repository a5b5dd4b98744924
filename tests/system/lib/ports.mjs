// Free ports that a test may pass on before a process listens there.
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

// Below the system's ephemeral ports, so that no connection takes one. The test process listens on the first port of a
// range to reserve the range.
const LEAST = 12_000;
const RANGE = 400;
const RANGES = 50;

const listensAt = (listener, port) =>
  once(listener.listen(port, '127.0.0.1'), 'listening').then(() => true, () => false);

async function isFree(port) {
  const listener = createServer();
  const isThere = await listensAt(listener, port);
  if (isThere) await once(listener.close(), 'close');
  return isThere;
}

async function claimed() {
  for (let range = process.pid; ; ++range) {
    const first = LEAST + (range % RANGES) * RANGE;
    if (await listensAt(createServer().unref(), first)) return first;
  }
}

let ours;
const given = new Set();

export async function freePorts(count) {
  const first = await (ours ??= claimed());
  const ports = new Set();
  while (ports.size < count) {
    if (given.size === RANGE - 1) given.clear();
    const port = first + randomInt(1, RANGE);
    if (given.has(port)) continue;
    given.add(port);
    if (await isFree(port)) ports.add(port);
  }
  return [...ports];
}

export const freePort = async () => (await freePorts(1))[0];

// The first of ten consecutive free ports; it ends in 0.
export async function freeDecade() {
  const first = await (ours ??= claimed());
  for (;;) {
    const decade = first + 10 * randomInt(1, RANGE / 10);
    const ports = Array.from({ length: 10 }, (_, index) => decade + index);
    if (ports.some((port) => given.has(port))) continue;
    for (const port of ports) given.add(port);
    if ((await Promise.all(ports.map(isFree))).every(Boolean)) return decade;
  }
}
