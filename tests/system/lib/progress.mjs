import assert from 'node:assert/strict';

// The steps of a call in order, from the first on. An official client drops those that it reads in one piece with the
// answer: on a busy machine that may be more than the last.
export function assertSteps(steps, count, least = 1) {
  assert.ok(steps.length >= least, `${steps.length} steps are told`);
  assert.deepEqual(steps, Array.from({ length: count }, (_, index) => index + 1).slice(0, steps.length));
}
