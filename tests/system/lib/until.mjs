import { setTimeout as pause } from 'node:timers/promises';
import { SLOWNESS } from './processes.mjs';

const INTERVAL = 20;
// Far longer than any awaited event takes. A successful wait ends early, so a high limit is free.
const LIMIT = 30_000 * SLOWNESS;
const STEADY_LIMIT = 60_000;

// Resolves with the first truthy value of the condition, or fails with the description of the awaited event.
export async function until(what, condition, limit = LIMIT, interval = INTERVAL) {
  const deadline = Date.now() + limit;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > deadline) throw new Error(`not within ${limit} ms: ${what}`);
    await pause(interval);
  }
}

// Resolves as the promise does, or fails with the description of the awaited event.
export function within(what, happening, limit = LIMIT) {
  let timer;
  const late = new Promise((_, fail) => {
    timer = setTimeout(() => fail(new Error(`not within ${limit} ms: ${what}`)), limit);
  });
  return Promise.race([happening, late]).finally(() => clearTimeout(timer));
}

// Repeats the action for that time.
export async function throughout(ms, action) {
  for (const began = Date.now(); Date.now() - began < ms; await pause(INTERVAL)) await action();
}

// Resolves with a value once it has been stable for several readings.
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
