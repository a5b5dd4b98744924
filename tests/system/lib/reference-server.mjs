// Checks of the reference server `server-everything`.

import assert from 'node:assert/strict';

// Works with a client of either SDK.
export async function assertPromptsWork(client) {
  const { prompts } = await client.listPrompts();
  assert.ok(prompts.some(({ name }) => name === 'simple-prompt'));
  const { messages } = await client.getPrompt({ name: 'args-prompt', arguments: { city: 'Bonn', state: 'NRW' } });
  assert.match(messages[0].content.text, /Bonn, NRW/);
  const ref = { type: 'ref/prompt', name: 'completable-prompt' };
  const department = await client.complete({ ref, argument: { name: 'department', value: 'E' } });
  assert.deepEqual(department.completion.values, ['Engineering']);
  const context = { arguments: { department: 'Sales' } };
  const name = await client.complete({ ref, argument: { name: 'name', value: 'D' }, context });
  assert.deepEqual(name.completion.values, ['David']);
}
