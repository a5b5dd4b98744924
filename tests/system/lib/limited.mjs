// Preloaded by tests/system/run for a single file, without a second process that runs it. Ends the process when a test
// takes longer than TROUPE_TEST_LIMIT milliseconds, and prints its name.
import { afterEach, beforeEach } from 'node:test';

const limit = Number(process.env.TROUPE_TEST_LIMIT);
const timers = new WeakMap();

beforeEach((test) => {
  const end = () => {
    console.error(`not within ${limit} ms: ${test.fullName}`);
    process.exit(1);
  };
  timers.set(test, setTimeout(end, limit));
});
afterEach((test) => clearTimeout(timers.get(test)));
