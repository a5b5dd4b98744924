import { setTimeout as pause } from 'node:timers/promises';
import { SLOWNESS } from './processes.mjs';

const INTERVAL = 20;
// Much longer than anything takes: it costs nothing when all is well, and a busy machine is slow.
const LIMIT = 30_000 * SLOWNESS;
const STEADY_LIMIT = 60_000;

// Resolves with the first truthy value of the condition, or fails with what was awaited.
export async function until(what, condition, limit = LIMIT, interval = INTERVAL) {
  const deadline = Date.now() + limit;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > deadline) throw new Error(`not within ${limit} ms: ${what}`);
    await pause(interval);
  }
}

// Does it again and again for so long.
export async function throughout(ms, action) {
  for (const began = Date.now(); Date.now() - began < ms; await pause(INTERVAL)) await action();
}

// The value once it has stayed the same for a while.
export async function steady(what, read, readings = 10) {
  let last;
  let same = 0;
  await until(`${what} is steady`, async () => {
    const value = await read();
    same = value === last ? same + 1 : 0;
    last = value;
    return same >= readings;
  }, STEADY_LIMIT);
  return last;
}
