// The sessions and leases of a node, page by page.

import { ask } from './api.js';
import { endSession } from './acts.js';
import { button, h, mark, setText } from './dom.js';
import { age, count, kindOf, ofWhichServer, several, streamsText, transportText } from './format.js';
import { go, linkTo, place, replace, sessionLink } from './place.js';
import { Table } from './table.js';

const PAGE = 100;
const TYPING_MS = 300;
const FILTERS = ['server', 'caller', 'id', 'idle'];

export function doingText({ calls = [], idle_ms, questions }) {
  const asked = questions ? `, ${several(questions, 'question')}` : '';
  if (calls.length)
    return `${several(calls.length, 'call')}, ${age(Math.max(...calls.map(({ age_ms }) => age_ms)))}${asked}`;
  return (idle_ms === undefined ? 'in use' : `idle ${age(idle_ms)}`) + asked;
}

const COLUMNS = [
  {
    title: 'No.',
    number: true,
    head: true,
    sorted: 'ascending',
    link: ({ number }) => ({ text: String(number), href: sessionLink(number) }),
  },
  { title: 'Id', text: ({ id }) => id, kind: 'code', wide: true },
  { title: 'Server', text: ofWhichServer, kind: 'name' },
  { title: 'Caller', text: ({ caller }) => caller || '–', kind: 'name' },
  { title: 'Doing', kind: 'short', text: doingText },
  { title: 'Age', number: true, wide: true, text: ({ age_ms }) => age(age_ms) },
  { title: 'Streams', wide: true, kind: 'short', text: ({ streams }) => streamsText(streams) },
  { title: 'Transport', wide: true, kind: 'short', text: ({ transport }) => transportText(transport) },
  {
    title: 'Acts',
    kind: 'acts',
    acts: (session) => [
      { text: 'End', name: `End ${kindOf(session)} ${session.number}`, act: endSession, danger: true },
    ],
  },
];

// -- filters -----------------------------------------------------------------------------------

const choice = (value, text) => h('option', { value }, text);

function field(name, label, control) {
  mark(control, 'id', `filter-${name}`);
  mark(control, 'name', name);
  return h('p', { class: 'field' }, h('label', { for: `filter-${name}` }, label), control);
}

const textField = (name, label) =>
  field(name, label, h('input', { type: 'search', autocomplete: 'off', spellcheck: 'false' }));

// `stop` forgets what was typed a moment ago.
function filterForm(changed) {
  const doing = h('select', {}, choice('', 'all'), choice('false', 'in use'), choice('true', 'idle'));
  const form = h(
    'form',
    { class: 'filters', role: 'search', 'aria-label': 'Filter sessions' },
    textField('server', 'Server'),
    textField('caller', 'Caller'),
    textField('id', 'Id'),
    field('idle', 'Doing', doing),
    button('Clear', () => {
      for (const control of form.querySelectorAll('input, select')) control.value = '';
      soon(0);
    }),
  );
  let later;
  const stop = () => clearTimeout(later);
  const soon = (pause) => {
    stop();
    later = setTimeout(changed, pause);
  };
  form.addEventListener('input', () => soon(TYPING_MS));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    soon(0);
  });
  return { form, stop };
}

const wanted = () => Object.fromEntries(FILTERS.map((name) => [name, place().params.get(name) ?? '']));
const valuesOf = (form) =>
  Object.fromEntries(FILTERS.map((name) => [name, form.elements.namedItem(name).value.trim()]));

// -- pages -------------------------------------------------------------------------------------

// Where the pages begun that led to this one: the gateway names the next one only.
let trail = [];
// The browser's own steps back leave later ones there.
const trailTo = (after) => trail.filter((start) => start < after);

const pageLink = (after) => linkTo(['sessions'], { ...wanted(), after });

function pager(after, turn) {
  const first = button('First page', () => turn([], 0));
  const previous = button('Previous', () => {
    const before = trailTo(after());
    turn(before.slice(0, -1), before.at(-1) ?? 0);
  });
  const next = button('Next', () => turn([...trailTo(after()), after()], next.after));
  const show = (following) => {
    next.after = following;
    mark(first, 'aria-disabled', after() === 0 && 'true');
    mark(previous, 'aria-disabled', after() === 0 && 'true');
    mark(next, 'aria-disabled', following === undefined && 'true');
  };
  return { element: h('p', { class: 'pager', role: 'group', 'aria-label': 'Pages' }, first, previous, next), show };
}

function totalText({ sessions, total }, after) {
  const all = several(total, 'session or lease', 'sessions and leases');
  if (sessions.length === total) return all;
  return `${count(sessions.length)} of ${all}${after ? `, from no. ${sessions[0]?.number ?? after}` : ''}`;
}

// It stays as it is when its page or its filter changes, so that the focus does.
export function sessionsView() {
  const table = new Table({
    caption: 'Sessions and leases',
    columns: COLUMNS,
    empty: 'There is no such session.',
    key: ({ number }) => number,
  });
  const after = () => Number(place().params.get('after') ?? 0);
  const total = h('p', { class: 'total' });
  const turn = (to, start) => {
    if (start === undefined || (start === 0 && after() === 0)) return;
    trail = to;
    go(pageLink(start || ''));
  };
  const pages = pager(after, turn);
  const { form, stop } = filterForm(() => {
    trail = [];
    mark(total, 'aria-live', 'polite');
    replace(linkTo(['sessions'], valuesOf(form)));
    view.wake(true);
  });
  const fillForm = () => {
    for (const [name, value] of Object.entries(wanted())) form.elements.namedItem(name).value = value;
  };
  fillForm();
  const element = h(
    'section',
    {},
    h('h1', { tabindex: '-1' }, 'Sessions'),
    form,
    h('div', { class: 'row' }, total, pages.element),
    table.element,
  );
  const view = {
    title: 'Sessions',
    element,
    close: stop,
    moved() {
      stop();
      fillForm();
    },
    async refresh(signal) {
      const told = await ask(['sessions'], { ...wanted(), after: after(), limit: PAGE }, signal);
      setText(total, totalText(told, after()));
      table.show(told.sessions);
      pages.show(told.next);
      mark(total, 'aria-live', false);
    },
  };
  return view;
}
