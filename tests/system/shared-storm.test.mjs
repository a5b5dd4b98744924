// Many sessions use one process at once: every message must reach the right session.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { ALONE, MERGED, stageOfOne, textOf } from './fixture/witness-stage.mjs';
import { LONG } from './lib/long.mjs';
import { random, SEED } from './lib/random.mjs';
import { until } from './lib/until.mjs';

const SECONDS = LONG ? 30 : 4;
const SESSIONS = 50;
const LIMIT = 30_000;
const URIS = Array.from({ length: 6 }, (_, n) => `test://resource/${n}`);
const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];
const UPDATED = 'notifications/resources/updated';
const LOG = 'notifications/message';
const CANCELLED = 'notifications/cancelled';
const ELICIT = 'elicitation/create';

// The server exited meanwhile, which is no failure when the test kills it.
class Lost extends Error {}

const isListChanged = ({ method }) => /^notifications\/\w+\/list_changed$/.test(method);

// A client that checks its messages. All clients use the same ids and tokens.
class CheckingClient {
  ids = 0;
  // By URI: the number of pending subscriptions, the start of the last one, and the time since when there is none.
  watches = new Map();
  // The chosen log levels, each with its time. Levels only rise.
  levels = [];
  wish = Promise.resolve();
  asking = new Set();
  marks = new Set();
  read = 0;

  constructor(name, user, { chance, seen, isKilled }) {
    Object.assign(this, { name, user, chance, seen, isKilled });
  }

  watchOf(uri) {
    const exposed = this.user.way.uri('one', uri);
    if (!this.watches.has(exposed)) this.watches.set(exposed, { pending: 0, begun: 0, ended: 0 });
    return this.watches.get(exposed);
  }

  mark() {
    return { mark: `${this.name} ${++this.ids}`, sent: Date.now() };
  }

  payload(id) {
    return `${this.name} ${id} ${'x'.repeat(this.chance.below(200))}`;
  }

  // Handles messages before an answer, on either stream.
  async take(message, progress = () => assert.fail(`${this.name}: no progress was asked for`)) {
    const { method, params, id } = message;
    if (method === 'notifications/progress') return progress(params);
    this.seen[method] = (this.seen[method] ?? 0) + 1;
    if (method === ELICIT) return this.reply(id, params);
    if (method === UPDATED) return this.takeUpdate(params);
    if (method === LOG) return this.takeLog(params);
    assert.ok(isListChanged(message) || method === CANCELLED, `${this.name} got ${JSON.stringify(message)}`);
  }

  // Asserts that a mark with a time arrives once only.
  takeMark({ mark, sent }) {
    assert.ok(!this.marks.has(mark), `${this.name} is told twice: ${mark}`);
    this.marks.add(mark);
    return sent;
  }

  takeUpdate({ uri, _meta }) {
    const sent = this.takeMark(_meta.mark);
    const watch = this.watches.get(uri);
    assert.ok(watch, `${this.name} never watched ${uri}`);
    const isWatched = watch.ended === 0 || sent <= watch.ended;
    assert.ok(isWatched, `${this.name} watches ${uri} no more`);
  }

  takeLog({ level, data }) {
    const sent = this.takeMark(data);
    const least = this.levels.findLast(({ since }) => since < sent)?.level ?? 'debug';
    assert.ok(LEVELS.indexOf(level) >= LEVELS.indexOf(least), `${this.name} wants ${least}, and got ${level}`);
  }

  async reply(id, { message }) {
    assert.ok(this.asking.has(message), `${this.name} was asked for ${message}`);
    const result = { action: 'accept', content: { name: message } };
    assert.equal((await this.user.post({ jsonrpc: '2.0', id, result })).status, 202);
  }

  // Handles the messages on the listening stream since the last call.
  async look() {
    const all = this.user.stream.messages;
    while (this.read < all.length) await this.take(all[this.read++]);
  }

  // Runs the named actions, and calls `look` until all of them have ended.
  async during(names) {
    let under = true;
    const act = (name) =>
      ACTIONS[name](this, this.chance).catch((error) => {
        if (!(error instanceof Lost)) throw error;
      });
    const done = Promise.all(names.map(act)).finally(() => (under = false));
    const looked = until(`${this.name}: ${names} end`, async () => (await this.look(), !under), 2 * LIMIT);
    await Promise.all([done, looked]);
    return this.look();
  }

  async call(name, args, token, progress) {
    const id = ++this.ids;
    const reply = await this.user.begin(id, name, args, token);
    const answers = [];
    let seen = 0;
    await until(`${this.name}: ${name} ends`, async () => {
      const { ended, messages } = reply;
      for (; seen < messages.length; ++seen)
        if (messages[seen].method) await this.take(messages[seen], progress);
        else answers.push(messages[seen]);
      return ended;
    }, LIMIT);
    assert.deepEqual(answers.map((answer) => answer.id), [id], `${this.name}: one answer`);
    return this.unlessLost(answers[0]);
  }

  async ask(method, params) {
    return this.unlessLost(await this.user.ask(method, params)).result;
  }

  unlessLost(answer) {
    if (this.isKilled && answer.error?.code === -32603) throw new Lost();
    return answer;
  }
}

const ACTIONS = {
  async echoes(player, chance) {
    const message = player.payload(player.ids);
    assert.equal(textOf(await player.call('echo', { message, ms: chance.below(40) })), message);
  },

  async 'echoes with progress'(player, chance) {
    const message = player.payload(player.ids);
    const token = chance.pick([1, 'token', player.ids]);
    const steps = chance.between(1, 5);
    let last = 0;
    const progress = (params) =>
      assert.deepEqual([params.progressToken, params.progress, params.message], [token, ++last, message]);
    const answer = await player.call('echo', { message, steps, ms: chance.below(20) }, token, progress);
    assert.deepEqual([textOf(answer), last], [message, steps]);
  },

  async cancels(player, chance) {
    const id = ++player.ids;
    const args = { message: player.payload(id), ms: chance.below(60) };
    let reply;
    const call = player.user.begin(id, chance.pick(['echo', 'never']), args).then((begun) => (reply = begun));
    await pause(chance.below(20));
    // The cancellation may overtake the call, or the call may have been answered before.
    await until(`${player.name}: what was cancelled ends`, async () => {
      assert.equal((await player.user.cancel(id)).status, 202);
      return reply?.ended;
    }, LIMIT);
    for (const message of (await call).messages)
      if (message.method) await player.take(message);
      else if (message.result) assert.deepEqual([message.id, textOf(message)], [id, args.message]);
      else assert.equal(message.id, id);
  },

  async watches(player, chance) {
    const uri = chance.pick(URIS);
    const watch = player.watchOf(uri);
    Object.assign(watch, { pending: watch.pending + 1, begun: Date.now(), ended: 0 });
    try {
      assert.deepEqual(await player.ask('resources/subscribe', { uri: player.user.way.uri('one', uri) }), {});
    } finally {
      --watch.pending;
    }
  },

  async 'watches no more'(player, chance) {
    const uri = chance.pick(URIS);
    const watch = player.watchOf(uri);
    const { begun, pending } = watch;
    assert.deepEqual(await player.ask('resources/unsubscribe', { uri: player.user.way.uri('one', uri) }), {});
    if (pending === 0 && watch.begun === begun && watch.ended === 0) watch.ended = Date.now();
  },

  async touches(player, chance) {
    const args = { uri: chance.pick(URIS), mark: player.mark() };
    assert.match(textOf(await player.call('touch', args)), /^(true|false)$/);
  },

  // In sequence, because the order of two concurrent ones is unknown.
  async 'wants to hear less'(player) {
    const before = player.wish;
    player.wish = (async () => {
      await before.catch(() => {});
      const level = LEVELS[Math.min(player.levels.length + 1, LEVELS.length - 1)];
      assert.deepEqual(await player.ask('logging/setLevel', { level }), {});
      player.levels.push({ since: Date.now(), level });
    })();
    await player.wish;
  },

  async logs(player, chance) {
    const params = { level: chance.pick(LEVELS), data: player.mark() };
    assert.equal(textOf(await player.call('say', { method: LOG, params })), 'said');
  },

  async 'says that a list changed'(player, chance) {
    const method = `notifications/${chance.pick(['tools', 'prompts', 'resources'])}/list_changed`;
    assert.equal(textOf(await player.call('say', { method })), 'said');
  },

  async 'is asked'(player) {
    const message = player.payload(player.ids);
    player.asking.add(message);
    const params = { message, requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } };
    const { result, error } = JSON.parse(textOf(await player.call('ask', { method: ELICIT, params })));
    if (error) assert.equal(error.code, -32603);
    else assert.equal(result.content.name, message);
  },

  async lists(player) {
    const { tools } = await player.ask('tools/list', {});
    assert.ok(tools.some(({ name }) => name.endsWith('echo')) || (player.isKilled && tools.length === 0));
  },
};

// Opens a new session. While the server is down that may fail.
function come(stage, way, isKilled) {
  return until('a session begins', async () => {
    try {
      return await stage.user('one', way, undefined, { elicitation: {} });
    } catch (error) {
      if (!isKilled || !error.message.includes('-32603')) throw error;
      return undefined;
    }
  });
}

// The storm ends after its time when all events were seen, which a busy machine delays.
const isOver = ({ end, seen }) =>
  Date.now() > end + 4 * LIMIT || (Date.now() > end && [UPDATED, LOG].every((method) => seen[method] > 0));

// A session that runs some random operations, several at once, and ends, sometimes during a call.
async function play(stage, name, storm, chance) {
  for (let round = 0; !isOver(storm); ++round) {
    const way = chance.pick([ALONE, ALONE, MERGED]);
    const user = await (await come(stage, way, storm.isKilled)).listen();
    const player = new CheckingClient(`${name}.${round}`, user, { ...storm, chance });
    for (let steps = chance.between(1, 15); steps > 0 && !isOver(storm); --steps) {
      const names = Array.from({ length: chance.between(1, 3) }, () => chance.pick(Object.keys(ACTIONS)));
      await player.during(names);
      for (const action of names) storm.done[action] = (storm.done[action] ?? 0) + 1;
    }
    const last = chance.below(2) && user.begin(++player.ids, 'never', { message: name }).catch(() => {});
    await user.leave();
    await last;
    await player.look();
  }
}

async function kill(stage, storm, chance) {
  while (!isOver(storm)) {
    await pause(chance.between(300, 900));
    stage.killAll();
  }
}

function assertNoneTwice(stage) {
  const marks = ['touch', 'say']
    .flatMap((tool) => stage.heardCalls(tool))
    .map(({ params }) => (params.arguments.mark ?? params.arguments.params?.data)?.mark)
    .filter(Boolean);
  assert.equal(new Set(marks).size, marks.length, 'no call arrives twice');
}

async function rage(t, stage, isKilled) {
  await stage.measure();
  const storm = { done: {}, seen: {}, isKilled, end: Date.now() + SECONDS * 1_000 };
  const players = Array.from({ length: SESSIONS }, (_, n) => play(stage, `player ${n}`, storm, random(SEED + n)));
  if (isKilled) players.push(kill(stage, storm, random(SEED - 1)));
  const results = await Promise.allSettled(players);
  const failed = results.filter(({ status }) => status === 'rejected').map(({ reason }) => reason.stack);
  assert.equal(failed.length, 0, `seed ${SEED}: ${failed.slice(0, 3).join('\n')}`);
  const witness = await come(stage, ALONE, isKilled);
  await until(`the server holds nothing for those who left (seed ${SEED})`, async () => {
    const answer = await witness.call('holdings');
    if (isKilled && answer.error) return false;
    const { calls, subscriptions } = JSON.parse(textOf(answer));
    return calls.length === 0 && subscriptions.length === 0;
  });
  await witness.leave();
  await stage.back();
  assertNoneTwice(stage);
  for (const method of [UPDATED, LOG]) assert.ok(storm.seen[method] > 0, `no ${method} was seen`);
  t.diagnostic(JSON.stringify({ done: storm.done, seen: storm.seen, starts: stage.heard('start').length }));
}

test(`a storm of ${SESSIONS} sessions on one server mixes nothing up and leaves nothing (seed ${SEED})`, async (t) => {
  const stage = await stageOfOne(t, { sharing: 'shared' });
  await rage(t, stage, false);
  assert.equal(stage.heard('initialize').length, 1);
});

test(`nor does it while the server is killed again and again (seed ${SEED})`, async (t) => {
  const restart = { firstDelay: '20ms', longestDelay: '50ms', attempts: 1_000 };
  const stage = await stageOfOne(t, { sharing: 'shared', restart });
  await rage(t, stage, true);
  assert.ok(stage.heard('start').length > 2);
});
