// Calls of the fixture `reload-server` that last until the test ends them.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scratch } from './scratch.mjs';
import { toolCall } from './session.mjs';

// A file whose creation ends a held call.
export function latch() {
  const file = join(scratch(), 'open');
  return { file, open: () => writeFileSync(file, '') };
}

// Resolves when the call runs.
export async function hold(session, file, tool = 'hold') {
  const reply = await session.post(toolCall('held', tool, { file }, 'mine'));
  await reply.message('the call runs', ({ method }) => method === 'notifications/progress');
  return reply;
}

export async function assertHeld(reply) {
  const answer = (await reply.all()).at(-1);
  assert.deepEqual([answer?.id, answer?.result?.content[0].text], ['held', 'held'], JSON.stringify(answer));
}
