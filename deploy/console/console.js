// The operators' console: which view is shown, and when it asks again.

import { ask, metricsText, NeedsToken, PATIENCE_MS } from './api.js';
import { whenDone, whenSame } from './acts.js';
import { callsView } from './calls.js';
import { byId, h, keep, mark, setText } from './dom.js';
import { named, timeOf } from './format.js';
import { buildMenu } from './menu.js';
import { History } from './metrics.js';
import { overviewView } from './overview.js';
import * as at from './place.js';
import { serversView, serverView } from './servers.js';
import { sessionsView } from './sessions.js';
import { sessionView } from './session.js';
import { askForToken } from './token.js';
import { treeView } from './tree.js';
import { dismiss, say } from './dialog.js';

const EVERY_MS = 2_000;
const LONGEST_PAUSE_MS = 30_000;

const VIEWS = [
  ['Overview', []],
  ['Calls', ['calls']],
  ['Sessions', ['sessions']],
  ['Servers', ['servers']],
  ['Tree', ['tree']],
];

const history = new History();
// What the node that is shown says of itself, and the name of the one that is asked.
let state = {};
let own = '';
let view;

// -- views -------------------------------------------------------------------------------------

async function readState(signal) {
  const told = await ask(['node'], {}, signal);
  if (at.node() === '') own = told.node;
  const isAnew = !isSameProcess(told);
  state = told;
  showState();
  if (isAnew) beginAnew();
  return told;
}

// Answers may overtake each other.
const isSameProcess = ({ pid, uptime_ms }) =>
  state.pid === undefined || (pid === state.pid && uptime_ms + PATIENCE_MS >= state.uptime_ms);

// The numbers of what is shown are those of a process that is gone.
function beginAnew() {
  dismiss();
  showView(!byId('main').contains(document.activeElement));
  wake(true);
}

const FOUND = {
  '': () => overviewView({ state: readState, history, own: () => own || 'that is asked' }),
  calls: callsView,
  sessions: (number) =>
    number === undefined ? sessionsView() : sessionView(number, { content: () => state.can?.content, failed }),
  servers: (name) => (name === undefined ? serversView() : serverView(name)),
  tree: () => treeView({ state: readState, at: at.node }),
};

// The same for pages and filters of one list.
const viewKey = () => JSON.stringify([at.place().path, at.node()]);

function showView(isFirst) {
  const [kind = '', name] = at.place().path;
  view?.close?.();
  view = FOUND[Object.hasOwn(FOUND, kind) ? kind : ''](name);
  Object.assign(view, { key: viewKey(), wake });
  document.title = `${view.title} – Troupe`;
  byId('main').replaceChildren(view.element);
  // Who goes through the nodes with the keyboard stays where they are chosen.
  const stays = isFirst || document.activeElement === byId('node');
  if (!stays) view.element.querySelector('h1').focus({ preventScroll: true });
  scrollTo(0, 0);
}

function moved() {
  dismiss();
  if (shownNode !== at.node()) forgetState();
  if (isAsking) return showNavigation();
  if (view?.key === viewKey()) view.moved?.();
  else showView(false);
  showNavigation();
  wake(true);
}

// -- the head of the page ----------------------------------------------------------------------

function showNavigation() {
  const [kind = ''] = at.place().path;
  const make = ([title]) => h('li', {}, h('a', {}, title));
  keep(
    byId('views'),
    VIEWS,
    ([title]) => title,
    make,
    (element, [, path]) => {
      mark(element.firstChild, 'href', at.linkTo(path));
      mark(element.firstChild, 'aria-current', (path[0] ?? '') === kind && 'page');
    },
  );
}

let showMenu;

function showState() {
  const region = byId('state');
  const name = state.node && !state.nodes.length ? `${named(state.node)}: ` : '';
  const left = state.drain ? `, ${state.drain.to_move} to move` : '';
  setText(region, name + (state.draining ? `draining${left}` : 'running'));
  mark(region, 'class', state.draining ? 'standing draining' : 'standing');
  showMenu(state);
  showNodes();
}

let shownNode = '';

// Nothing is known of another node until it answers.
function forgetState() {
  shownNode = at.node();
  state = {};
  byId('node').value = shownNode || own;
  setText(byId('state'), '');
  showMenu(state);
}

// All nodes of the cluster; the one that is asked is the empty one.
function showNodes() {
  const names = [own, ...state.nodes.map(({ name }) => name), state.node].filter(Boolean);
  const nodes = [...new Set(names)].sort();
  mark(byId('node-choice'), 'hidden', nodes.length < 2);
  const select = byId('node');
  keep(
    select,
    nodes,
    (name) => name,
    () => h('option'),
    (option, name) => {
      mark(option, 'value', name);
      setText(option, name);
    },
  );
  if (document.activeElement !== select) select.value = state.node;
}

function chooseNode({ target }) {
  const { path, params } = at.place();
  const [kind, ...rest] = path;
  // Numbers of sessions are those of their node.
  const stays = kind === 'servers' || rest.length === 0;
  const { node, after, ...others } = Object.fromEntries(params);
  at.go(at.linkTo(stays ? path : [kind], others, target.value === own ? '' : target.value));
}

// -- asking again and again --------------------------------------------------------------------

let [timer, running, answeredAt] = [];
let failures = 0;
let isAsking = false;

async function sample(signal) {
  if (history.latest && performance.now() - history.readAt < EVERY_MS / 2) return;
  history.add(await metricsText(signal), performance.now(), Date.now());
}

// Anew at once; what is under way is given up when it is for another place.
function wake(isForAnother = false) {
  if (isAsking) return;
  clearTimeout(timer);
  if (running && !isForAnother) return void (running.again = true);
  running?.abort();
  round();
}

async function round() {
  const mine = (running = new AbortController());
  try {
    const readsState = view.title === 'Overview' || view.title === 'Tree';
    await Promise.all([readsState ? undefined : readState(mine.signal), sample(mine.signal)]);
    await view.refresh(mine.signal);
    if (running === mine) succeeded();
  } catch (error) {
    if (running !== mine || mine.signal.aborted) return;
    failed(error);
  }
  if (running !== mine) return;
  running = undefined;
  if (mine.again) return round();
  schedule();
}

function schedule() {
  clearTimeout(timer);
  if (document.hidden || isAsking) return;
  timer = setTimeout(round, pauseNow());
}

const pauseNow = () => Math.min(EVERY_MS * 2 ** failures, LONGEST_PAUSE_MS);

// -- what goes wrong ---------------------------------------------------------------------------

function succeeded() {
  if (failures > 0) say('The gateway answers again.');
  failures = 0;
  answeredAt = Date.now();
  mark(byId('banner'), 'hidden', true);
  setText(byId('banner-text'), '');
  mark(document.body, 'class', false);
}

const sentence = (text) => (/[.!?]$/.test(text) ? text : `${text}.`);

// What is shown stays, and is said to be old.
function failed(error) {
  if (error instanceof NeedsToken) return needToken();
  failures += 1;
  const since = answeredAt ? ` What is shown is of ${timeOf(answeredAt)}.` : '';
  const banner = byId('banner');
  mark(banner, 'hidden', false);
  setText(byId('banner-text'), `${sentence(error.message || String(error))}${since}`);
  setText(byId('banner-next'), `The next try is in ${Math.round(pauseNow() / 1_000)} s.`);
  mark(document.body, 'class', 'old');
}

function needToken() {
  if (isAsking) return;
  isAsking = true;
  dismiss();
  clearTimeout(timer);
  running?.abort();
  running = undefined;
  view.close?.();
  mark(byId('banner'), 'hidden', true);
  askForToken(() => {
    isAsking = false;
    showView(true);
    wake(true);
    byId('main').focus();
  });
}

// -- the beginning -----------------------------------------------------------------------------

function begin() {
  showMenu = buildMenu(() => state);
  whenDone(() => wake());
  whenSame(isSameProcess);
  byId('node').addEventListener('change', chooseNode);
  byId('banner-button').addEventListener('click', () => wake());
  byId('skip').addEventListener('click', (event) => {
    event.preventDefault();
    byId('main').focus();
  });
  document.addEventListener('visibilitychange', () => (document.hidden ? clearTimeout(timer) : wake()));
  at.begin(moved);
  shownNode = at.node();
  showView(true);
  showNavigation();
  wake();
}

begin();
