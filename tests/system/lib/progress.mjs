import assert from 'node:assert/strict';

// Asserts the steps of a call in order, from the first. An official client drops progress that it reads in one piece
// with the answer, on a busy machine several steps.
export function assertSteps(steps, count, least = 1) {
  assert.ok(steps.length >= least, `${steps.length} steps are told`);
  assert.deepEqual(steps, Array.from({ length: count }, (_, index) => index + 1).slice(0, steps.length));
}
