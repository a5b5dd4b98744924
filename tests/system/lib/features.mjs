// The features of a server, each checked by a client. Both may be of either era.
import assert from 'node:assert/strict';
import { LOG_LEVEL_META_KEY } from '@modelcontextprotocol/client';
import { SIMULATED_LOG } from './gateway.mjs';
import { accepted, said } from './modern.mjs';
import { heardBy } from './recorded-input.mjs';
import { until } from './until.mjs';

const textOf = ({ content }) => content.map(({ text }) => text).join('\n');
const PAGE = 'https://example.com/sign-in';
const ROOT = { uri: 'file:///stage', name: 'Stage' };

// The client's capabilities, and its answers.
export const CAN = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };
export const ANSWERS = {
  'elicitation/create': accepted({ name: 'Ada' }),
  'sampling/createMessage': said('the thing'),
  'roots/list': { roots: [ROOT] },
};

// -- names of the servers ---------------------------------------------------------------------------------------------

// Calls that trigger a feature, and their expected results: [tool, arguments, expected].
export const OF_FIXTURE = {
  later: ['ask_later', {}],
  call: ['test_simple_text', {}, /simple text/],
  progress: ['test_tool_with_progress', {}],
  endless: ['wait_for_cancel', {}],
  form: ['test_input_required_result_elicitation', {}, /^Hello, Ada!$/],
  page: ['ask_at_url', { url: PAGE }, /action=accept/],
  sampling: ['test_input_required_result_sampling', {}, /^the thing$/],
  roots: ['test_input_required_result_list_roots', {}, /^file:\/\/\/stage$/],
  resource: ['test://static-text', /content of the static text/],
  update: ['touch', { uri: 'test://watched-resource' }, 'test://watched-resource'],
  prompt: ['test_prompt_with_arguments', { arg1: 'Bonn', arg2: 'NRW' }, /arg1='Bonn', arg2='NRW'/],
  completion: ['test_prompt_with_arguments', { name: 'arg1', value: 'part' }, ['party']],
  log: ['test_logging_tool', 'warning', /^a warning$/],
  change: ['test_trigger_tool_change', {}, 'tools'],
};

// The server asks for the roots by itself, soon after it has started.
export const OF_EVERYTHING = {
  call: ['get-sum', { a: 2, b: 40 }, /42/],
  progress: ['trigger-long-running-operation', { duration: 3, steps: 4 }],
  endless: ['trigger-long-running-operation', { duration: 200, steps: 400 }],
  form: ['trigger-elicitation-request', {}, /Name: Ada/],
  page: ['trigger-url-elicitation', { url: PAGE, message: 'Sign in', elicitationId: 'one' }, /accept/i],
  sampling: ['trigger-sampling-request', { prompt: 'play', maxTokens: 10 }, /the thing/],
  roots: ['get-roots-list', {}, /file:\/\/\/stage/],
  resource: ['demo://resource/dynamic/text/3', /Resource 3/],
  update: ['toggle-subscriber-updates', {}, 'demo://resource/dynamic/text/1'],
  prompt: ['args-prompt', { city: 'Bonn', state: 'NRW' }, /Bonn, NRW/],
  completion: ['completable-prompt', { name: 'department', value: 'E' }, ['Engineering']],
  log: ['toggle-simulated-logging', 'debug', SIMULATED_LOG],
  change: ['gzip-file-as-resource', { name: 'new.gz', data: 'data:text/plain,hello' }, 'resources'],
};

// -- checks -----------------------------------------------------------------------------------------------------------

// Calls a tool, and resolves with the questions that the client received.
async function askedBy(user, method, [name, args, expected]) {
  const before = user.asked.length;
  const answer = await user.call(name, args);
  assert.ok(!answer.isError, textOf(answer));
  assert.match(textOf(answer), expected);
  return user.asked.slice(before).filter((one) => one.method === method).map(({ params }) => params);
}

// Each feature takes the client, the server's names, and the recorded input of the server.
export const FEATURES = {
  'question outside of any call': async (user, { later }, journal) => {
    if (later) await user.call(...later);
    await until('it is answered', () => heardBy(journal).some(({ result }) => result?.roots));
    assert.ok(user.asked.some(({ method }) => method === 'roots/list'));
  },

  'tools, list and call': async (user, { call: [name, args, expected] }) => {
    const { tools } = await user.client.listTools();
    assert.ok(tools.some((tool) => tool.name === name));
    assert.match(textOf(await user.call(name, args)), expected);
  },

  progress: async (user, { progress: [name, args] }) => {
    const steps = [];
    await user.call(name, args, { onprogress: (params) => steps.push(params.progress) });
    // A client drops progress that it reads in one piece with the answer: on a busy machine possibly all but one step.
    assert.ok(steps.length > 0, 'some step is told');
    assert.deepEqual(steps, steps.toSorted((a, b) => a - b));
  },

  'cancelled call, of which the server hears': async (user, { endless: [name, args] }, journal) => {
    const abort = new AbortController();
    const options = { signal: abort.signal, onprogress: () => abort.abort('enough') };
    await assert.rejects(user.call(name, args, options), /enough/);
    const isThis = ({ method, params }) => method === 'tools/call' && params.name === name;
    await until('the server hears of it', () => {
      const heard = heardBy(journal);
      const { id } = heard.findLast(isThis);
      return heard.some(({ method, params }) => method === 'notifications/cancelled' && params.requestId === id);
    });
  },

  'elicitation, form': async (user, { form }) => {
    const [{ requestedSchema }, ...more] = await askedBy(user, 'elicitation/create', form);
    assert.ok(requestedSchema.properties.name);
    assert.deepEqual(more, []);
  },

  'elicitation, URL': async (user, { page }) => {
    const questions = await askedBy(user, 'elicitation/create', page);
    assert.deepEqual(questions.map(({ mode, url }) => [mode, url]), [['url', PAGE]]);
  },

  sampling: async (user, { sampling }) => {
    const questions = await askedBy(user, 'sampling/createMessage', sampling);
    assert.deepEqual(questions.map(({ maxTokens }) => maxTokens > 0), [true]);
  },

  // A server that has asked before need not ask again.
  roots: async (user, { roots }) => {
    await askedBy(user, 'roots/list', roots);
    assert.ok(user.asked.some(({ method }) => method === 'roots/list'));
  },

  'resources, list and read': async (user, { resource: [uri, expected] }) => {
    assert.ok((await user.client.listResources()).resources.length > 0);
    assert.ok((await user.client.listResourceTemplates()).resourceTemplates.length > 0);
    const { contents } = await user.client.readResource({ uri });
    assert.match(contents[0].text, expected);
  },

  'resource that changes, told to who subscribed': async (user, { update: [name, args, uri] }) => {
    const updates = user.hear('notifications/resources/updated');
    await user.listen({ resourceSubscriptions: [uri] });
    await user.call(name, args);
    await until('it is told', () => updates.some((params) => params.uri === uri));
  },

  'prompts, list and get': async (user, { prompt: [name, args, expected] }) => {
    const { prompts } = await user.client.listPrompts();
    assert.ok(prompts.some((prompt) => prompt.name === name));
    const { messages } = await user.client.getPrompt({ name, arguments: args });
    assert.match(messages[0].content.text, expected);
  },

  completion: async (user, { completion: [name, argument, expected] }) => {
    const { completion } = await user.client.complete({ ref: { type: 'ref/prompt', name }, argument });
    assert.deepEqual(completion.values, expected);
  },

  'log, at a level that the server hears': async (user, { log: [name, level, expected] }, journal) => {
    const logged = user.hear('notifications/message');
    await user.call(name, {}, undefined, await user.logAt(level));
    await until('it is logged', () => logged.some(({ data }) => expected.test(data)));
    const levelIn = ({ level: set, _meta }) => set ?? _meta?.[LOG_LEVEL_META_KEY];
    await until('the level is heard', () => heardBy(journal).some(({ params = {} }) => levelIn(params) === level));
  },

  'list that changes': async (user, { change: [name, args, kind] }) => {
    const changes = user.hear(`notifications/${kind}/list_changed`);
    await user.listen({ [`${kind}ListChanged`]: true });
    await user.call(name, args);
    await until('it is told', () => changes.length > 0);
  },

  ping: async (user) => assert.deepEqual(await user.client.ping(), {}),
};
