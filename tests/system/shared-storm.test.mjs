// Many sessions do many things to one process at once: whatever comes must be meant for who gets it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { ALONE, MERGED, stageOfOne, textOf } from './fixture/witness-stage.mjs';
import { random, SEED } from './lib/random.mjs';
import { post } from './lib/session.mjs';
import { until } from './lib/until.mjs';

const LONG = process.env.TROUPE_LONG === '1';
const SECONDS = LONG ? 30 : 4;
const SESSIONS = 50;
const URIS = Array.from({ length: 6 }, (_, n) => `test://resource/${n}`);
const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];
const UPDATED = 'notifications/resources/updated';
const LOG = 'notifications/message';
const CANCELLED = 'notifications/cancelled';
const ELICIT = 'elicitation/create';

const isListChanged = ({ method }) => /^notifications\/\w+\/list_changed$/.test(method);

// One client, who knows what it may be told. All clients use the same ids and tokens.
class Actor {
  ids = 0;
  watched = new Set();
  // The most verbose level that it has had so far.
  level = 'debug';
  levels = 0;
  asking = new Set();
  questions = 0;
  read = 0;

  constructor(name, user, chance) {
    Object.assign(this, { name, user, chance });
  }

  payload(id) {
    return `${this.name} ${id} ${'x'.repeat(this.chance.below(200))}`;
  }

  // What precedes an answer, on its stream or on the other one.
  async take(message, progress = () => assert.fail(`${this.name}: no progress was asked for`)) {
    const { method, params, id } = message;
    if (method === 'notifications/progress') return progress(params);
    if (method === ELICIT) return this.reply(id, params);
    if (method === UPDATED) return assert.ok(this.watched.has(params.uri), `${this.name} never watched ${params.uri}`);
    if (method === LOG)
      return assert.ok(LEVELS.indexOf(params.level) >= LEVELS.indexOf(this.level), `${this.name}: ${params.level}`);
    assert.ok(isListChanged(message) || method === CANCELLED, `${this.name} got ${JSON.stringify(message)}`);
  }

  async reply(id, { message }) {
    ++this.questions;
    assert.ok(this.asking.has(message), `${this.name} was asked for ${message}`);
    const result = { action: 'accept', content: { name: message } };
    assert.equal((await this.user.post({ jsonrpc: '2.0', id, result })).status, 202);
  }

  // Everything that came on the listening stream since the last look.
  async look() {
    const all = this.user.stream.messages;
    for (const message of all.slice(this.read)) await this.take(message);
    this.read = all.length;
  }

  async call(name, args, token, progress) {
    const id = ++this.ids;
    const reply = await this.user.begin(id, name, args, token);
    const answers = [];
    for (let seen = 0, ended = false; !ended; ) {
      ended = reply.ended;
      for (const message of reply.messages.slice(seen)) {
        ++seen;
        if (message.method) await this.take(message, progress);
        else answers.push(message);
      }
      if (!ended) await pause(5);
    }
    assert.deepEqual(answers.map((answer) => answer.id), [id], `${this.name}: one answer`);
    return answers[0];
  }
}

const ACTIONS = {
  async echoes(actor, chance) {
    const message = actor.payload(actor.ids);
    assert.equal(textOf(await actor.call('echo', { message, ms: chance.below(40) })), message);
  },

  async 'echoes with progress'(actor, chance) {
    const message = actor.payload(actor.ids);
    const token = chance.pick([1, 'token', actor.ids]);
    const steps = chance.between(1, 5);
    let last = 0;
    const progress = (params) =>
      assert.deepEqual([params.progressToken, params.progress, params.message], [token, ++last, message]);
    const answer = await actor.call('echo', { message, steps, ms: chance.below(20) }, token, progress);
    assert.deepEqual([textOf(answer), last], [message, steps]);
  },

  async cancels(actor, chance) {
    const id = ++actor.ids;
    const args = { message: actor.payload(id), ms: chance.below(60) };
    const call = actor.user.begin(id, chance.pick(['echo', 'never']), args).catch(() => undefined);
    await pause(chance.below(20));
    assert.equal((await actor.user.cancel(id)).status, 202);
    // It may have been answered before.
    const reply = await call;
    for (const message of (await reply?.all()) ?? [])
      if (message.id === id) assert.equal(message.result ? textOf(message) : args.message, args.message);
      else await actor.take(message);
  },

  async watches(actor, chance) {
    const uri = chance.pick(URIS);
    actor.watched.add(actor.user.way.uri('one', uri));
    assert.deepEqual((await actor.user.subscribe(uri)).result, {});
  },

  async 'watches no more'(actor, chance) {
    assert.deepEqual((await actor.user.unsubscribe(chance.pick(URIS))).result, {});
  },

  async touches(actor, chance) {
    assert.match(textOf(await actor.call('touch', { uri: chance.pick(URIS) })), /^(true|false)$/);
  },

  // Its level only rises, so that what comes late is known to be wrong only where it is.
  async 'wants to hear less'(actor) {
    const level = LEVELS[Math.min(++actor.levels, LEVELS.length - 1)];
    assert.deepEqual((await actor.user.ask('logging/setLevel', { level })).result, {});
  },

  async logs(actor, chance) {
    const params = { level: chance.pick(LEVELS), data: actor.payload(actor.ids) };
    assert.equal(textOf(await actor.call('say', { method: LOG, params })), 'said');
  },

  async 'says that a list changed'(actor, chance) {
    const method = `notifications/${chance.pick(['tools', 'prompts', 'resources'])}/list_changed`;
    assert.equal(textOf(await actor.call('say', { method })), 'said');
  },

  async 'is asked'(actor) {
    const message = actor.payload(actor.ids);
    actor.asking.add(message);
    const params = { message, requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } };
    const { result, error } = JSON.parse(textOf(await actor.call('ask', { method: ELICIT, params })));
    if (error) assert.equal(error.code, -32603);
    else assert.equal(result.content.name, message);
  },

  async lists(actor) {
    const { result } = await actor.user.ask('tools/list', {});
    assert.ok(result.tools.some(({ name }) => name.endsWith('echo')));
  },
};

// Comes, does some things, a few of them at once, and leaves, sometimes in the middle of a call.
async function play(stage, name, chance, end, done) {
  for (let round = 0; Date.now() < end; ++round) {
    const way = chance.pick([ALONE, ALONE, MERGED]);
    const user = await (await stage.user('one', way, undefined, { elicitation: {} })).listen();
    const actor = new Actor(`${name}.${round}`, user, chance);
    for (let steps = chance.between(1, 15); steps > 0 && Date.now() < end; --steps) {
      const names = Array.from({ length: chance.between(1, 3) }, () => chance.pick(Object.keys(ACTIONS)));
      await Promise.all(names.map((action) => ACTIONS[action](actor, chance)));
      for (const action of names) done[action] = (done[action] ?? 0) + 1;
      await actor.look();
    }
    const last = chance.below(2) && user.begin(++actor.ids, 'never', { message: name }).catch(() => {});
    await user.leave();
    await last;
    await actor.look();
  }
}

test(`a storm of ${SECONDS} seconds of ${SESSIONS} sessions mixes nothing up and leaves nothing (seed ${SEED})`, async (t) => {
  const stage = await stageOfOne(t, { sharing: 'shared' });
  await stage.measure();
  const done = {};
  const end = Date.now() + SECONDS * 1_000;
  const players = Array.from({ length: SESSIONS }, (_, n) => play(stage, `player ${n}`, random(SEED + n), end, done));
  const results = await Promise.allSettled(players);
  const failed = results.filter(({ status }) => status === 'rejected').map(({ reason }) => reason);
  assert.equal(failed.length, 0, `seed ${SEED}: ${failed.map(({ stack }) => stack).slice(0, 3).join('\n')}`);
  assert.equal(stage.heard('initialize').length, 1);
  const witness = await stage.user();
  await until(`it holds nothing for those who left (seed ${SEED})`, async () => {
    const { calls, subscriptions } = JSON.parse(textOf(await witness.call('holdings')));
    return calls.length === 0 && subscriptions.length === 0;
  });
  await witness.leave();
  await stage.back();
  t.diagnostic(JSON.stringify(done));
});
