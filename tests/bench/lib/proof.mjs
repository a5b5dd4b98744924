// Verifies that the load detects wrong answers.
import assert from 'node:assert/strict';
import { among, Floor } from './sides.mjs';

export const noticesWrongAnswers = () =>
  among([Floor.start('http')], async (floor) => {
    const canned = floor.load('calls', { canned: false, seconds: 0.01 });
    await assert.rejects(canned, /tools\/call: 200/, 'the load must notice that answers are canned');
  });
