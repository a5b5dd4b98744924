// The messages of a session as they pass.

import { follow, NeedsToken } from './api.js';
import { say } from './dialog.js';
import { button, h, mark, setText } from './dom.js';
import { bytes, count, several, timeOf } from './format.js';

const KEPT = 200;
// Of the content of a message, in characters.
const MOST_SHOWN = 64 * 1024;

const WAY = { client: 'client → server', server: 'server → client' };

// Only what is opened is written out: messages may be large, and many.
function contentOf(message) {
  const shown = h('pre');
  const show = () => {
    if (shown.textContent !== '') return;
    const text = JSON.stringify(message, null, 2);
    const left = text.length - MOST_SHOWN;
    shown.textContent = left > 0 ? `${text.slice(0, MOST_SHOWN)}…\n(${several(left, 'more character')})` : text;
  };
  return h('details', { ontoggle: show }, h('summary', {}, 'content'), shown);
}

function rowOf({ at_ms, from, kind, id, method, name, error, bytes: size, message }) {
  const what = [method, name].filter(Boolean).join(' ');
  const cell = (text, kindOf) => h('td', { class: kindOf }, text);
  const fault = error && h('span', { class: 'fault' }, h('bdi', {}, error));
  const content = message && contentOf(message);
  return h(
    'tr',
    {},
    cell(timeOf(at_ms)),
    cell(WAY[from] ?? from),
    cell(kind),
    h('td', { class: 'name' }, what || '–', fault && ' ', fault, content),
    cell(id ?? '', 'code wide'),
    cell(bytes(size), 'number wide'),
  );
}

const noteRow = (text) => h('tr', { class: 'note' }, h('td', { colspan: 6 }, text));

function messageTable() {
  const heads = ['Time', 'Way', 'Kind', 'What', 'Id', 'Size'];
  const classes = [, , , , 'wide', 'number wide'];
  const head = h('tr', {}, ...heads.map((title, at) => h('th', { scope: 'col', class: classes[at] }, title)));
  const body = h('tbody');
  const table = h(
    'table',
    { hidden: true },
    h('caption', { class: 'unseen' }, 'Messages, the latest first'),
    h('thead', {}, head),
    body,
  );
  const add = (row) => {
    mark(table, 'hidden', false);
    body.prepend(row);
    while (body.rows.length > KEPT) body.lastElementChild.remove();
  };
  return { table, add };
}

class Follower {
  #stopping;
  #number;
  #seen = 0;

  constructor(number, { content, failed }) {
    this.#number = number;
    this.failed = failed;
    this.toggle = button('Follow', () => (this.#stopping ? this.stop() : this.#start()));
    this.content = h('input', { type: 'checkbox', id: 'follow-content' });
    this.state = h('span', { class: 'hint' });
    Object.assign(this, messageTable());
    this.choice = h('label', { for: 'follow-content', class: 'check' }, this.content, ' with arguments and results');
    const row = h('p', { class: 'row' }, this.toggle, this.choice, this.state);
    this.element = h('div', { class: 'follow' }, row, this.table);
    this.refresh = () => mark(this.choice, 'hidden', !content());
    this.refresh();
  }

  stop = () => {
    this.#stopping?.abort();
    this.#stopping = undefined;
    setText(this.toggle, 'Follow');
  };

  #take({ event, data }) {
    if (event === 'lost') return this.add(noteRow(`${several(data.messages, 'message')} came too fast to be shown.`));
    if (event === 'end') return this.add(noteRow('The session ended.'));
    this.#seen += 1;
    setText(
      this.state,
      this.#seen > KEPT ? `the last ${count(KEPT)} of ${count(this.#seen)}` : several(this.#seen, 'message'),
    );
    this.add(rowOf(data));
  }

  async #start() {
    const stopping = (this.#stopping = new AbortController());
    setText(this.toggle, 'Stop');
    setText(this.state, 'waiting for messages');
    try {
      const params = { content: this.content.checked ? 'true' : '' };
      for await (const event of follow(['sessions', this.#number, 'follow'], params, stopping.signal))
        this.#take(event);
    } catch (error) {
      if (!stopping.signal.aborted) this.#fail(error);
    }
    if (this.#stopping === stopping) this.stop();
  }

  #fail(error) {
    setText(this.state, error.message);
    say(error.message);
    if (error instanceof NeedsToken) this.failed(error);
  }
}

// `content` tells whether arguments and results may be asked for; `failed` is told when the token is asked for.
export const follower = (number, options) => new Follower(number, options);
