// The servers of a node, and one of them with its processes.

import { ask, Refused } from './api.js';
import { disableServer, enableServer, restartServer } from './acts.js';
import { h, keep, mark, panel, setText } from './dom.js';
import { age, bytes, count, named, several, statesText, timeOf } from './format.js';
import { logLines } from './log_lines.js';
import { linkTo, serverLink } from './place.js';
import { Table } from './table.js';

const MOST_PROCESSES = 200;

const actsOn = ({ name, enabled }) => {
  const act = (text, does, danger) => ({ text, name: `${text} ${named(name)}`, act: does, danger });
  return enabled
    ? [act('Restart', restartServer, true), act('Disable', disableServer, true)]
    : [act('Enable', enableServer)];
};

// In words, as colours are not seen by all.
export const stateText = ({ enabled, not_ready, states }) =>
  !enabled ? 'disabled' : not_ready ? `not ready: ${not_ready}` : statesText(states);

const isFailing = ({ ready = 0, resting = 0, waiting = 0 }) => resting > 0 || (waiting > 0 && ready === 0);
const isDown = ({ enabled, not_ready, states = {} }) => enabled && (not_ready || isFailing(states));
const lookOf = (server) => (!server.enabled ? 'off' : isDown(server) ? 'down' : undefined);

const COLUMNS = [
  {
    title: 'Server',
    head: true,
    kind: 'name',
    sort: ({ name }) => name,
    link: ({ name }) => ({ text: name, href: serverLink(name) }),
  },
  { title: 'State', text: stateText, sort: stateText, kind: 'state' },
  { title: 'Kind', text: ({ kind }) => kind, wide: true, sort: ({ kind }) => kind },
  { title: 'Users', number: true, text: ({ users }) => count(users), sort: ({ users }) => users },
  {
    title: 'Processes',
    number: true,
    wide: true,
    text: ({ processes = [] }) => count(processes.length),
    sort: ({ processes = [] }) => processes.length,
  },
  {
    title: 'Restarts',
    number: true,
    wide: true,
    text: ({ restarts }) => count(restarts),
    sort: ({ restarts }) => restarts,
  },
  {
    title: 'Failures',
    number: true,
    wide: true,
    text: ({ failures = 0 }) => count(failures),
    sort: ({ failures = 0 }) => failures,
  },
  { title: 'Last failure', kind: 'why', text: ({ why }) => why || '–' },
  { title: 'Acts', kind: 'acts', acts: actsOn },
];

export function serversView() {
  const table = new Table({
    caption: 'Servers',
    columns: COLUMNS,
    empty: 'There is no server.',
    look: lookOf,
    key: ({ name }) => name,
  });
  const total = h('p', { class: 'total' });
  const element = h('section', {}, h('h1', { tabindex: '-1' }, 'Servers'), total, table.element);
  return {
    title: 'Servers',
    element,
    async refresh(signal) {
      const { servers } = await ask(['servers'], {}, signal);
      const down = servers.filter(isDown).length;
      setText(total, several(servers.length, 'server') + (down ? `, ${count(down)} in trouble` : ''));
      table.show(servers);
    },
  };
}

// -- one ---------------------------------------------------------------------------------------

const factsOf = (server) => [
  ['State', stateText(server)],
  ['Kind', server.kind],
  ['Users', count(server.users)],
  ['Restarts', count(server.restarts)],
  ['Failures', count(server.failures ?? 0)],
  ['Last failure', server.why || '–'],
];

// A connection has no memory of its own, and not all of many processes are measured.
const measured = (number, text) => (number === undefined ? '–' : text(number));
const bySize = (name) => (one) => one[name] ?? -1;

const processTable = () =>
  new Table({
    caption: 'Processes',
    empty: 'No process runs.',
    key: ({ pid }) => pid,
    columns: [
      { title: 'Pid', number: true, head: true, text: ({ pid }) => String(pid), sort: ({ pid }) => pid },
      { title: 'Age', number: true, text: ({ age_ms }) => age(age_ms), sort: ({ age_ms }) => age_ms },
      { title: 'Memory', number: true, text: (one) => measured(one.rss_bytes, bytes), sort: bySize('rss_bytes') },
      { title: 'CPU time', number: true, text: (one) => measured(one.cpu_ms, age), sort: bySize('cpu_ms') },
      {
        title: 'Family',
        number: true,
        wide: true,
        text: (one) => measured(one.processes, count),
        sort: bySize('processes'),
      },
      { title: 'Users', number: true, text: ({ users = 0 }) => count(users), sort: bySize('users') },
      {
        title: 'Session',
        kind: 'code',
        sort: ({ session }) => session,
        link: ({ session }) =>
          session
            ? { text: session, href: linkTo(['sessions'], { id: session.replace(/…$/, '') }) }
            : { text: 'shared' },
      },
    ],
  });

const outputBlock = (text = '') => h('pre', { class: 'output', tabindex: '0' }, text);

// The newest first. A failure never changes, so that what is selected stays.
function showFailures(list, failures, total) {
  const newest = failures.map((one, at) => ({ ...one, number: total - failures.length + at })).reverse();
  const make = ({ at, why, after_ms, lines = [] }) =>
    h(
      'li',
      {},
      h('p', {}, h('time', { datetime: at }, timeOf(Date.parse(at))), ` after ${age(after_ms)}: `, h('bdi', {}, why)),
      lines.length ? outputBlock(lines.join('\n')) : undefined,
    );
  keep(
    list,
    newest,
    ({ number }) => number,
    make,
    () => {},
  );
}

function partsOf(name) {
  const facts = h('dl', { class: 'facts' });
  const processes = processTable();
  const total = h('p', { class: 'total' });
  const gone = h(
    'p',
    { class: 'gone', hidden: true },
    'There is no such server. ',
    h('a', { href: linkTo(['servers']) }, 'All servers'),
  );
  const buttons = h('p', { class: 'buttons' });
  const failures = h('ol', { class: 'failures' });
  const stderr = outputBlock();
  const failurePanel = panel('Last failures', failures);
  const stderrPanel = panel('Last lines on stderr', stderr);
  const element = h(
    'section',
    {},
    h('div', { class: 'row' }, h('h1', { tabindex: '-1' }, 'Server ', h('bdi', {}, name)), buttons),
    gone,
    facts,
    h('p', {}, h('a', { href: linkTo(['sessions'], { server: name }) }, 'Its sessions')),
    failurePanel,
    stderrPanel,
    panel('Processes', total, processes.element),
    panel('In the log', logLines('server', name)),
  );
  return { facts, failures, failurePanel, stderr, stderrPanel, processes, total, gone, buttons, element };
}

function showButtons(to, server) {
  const make = ({ text, danger }) =>
    h(
      'button',
      { type: 'button', class: danger && 'danger', onclick: ({ target }) => target.act() },
      `${text}${danger ? '…' : ''}`,
    );
  keep(
    to,
    actsOn(server),
    ({ text }) => text,
    make,
    (element, { act }) => (element.act = () => act(server)),
  );
}

function show(parts, server) {
  const make = () => h('div', {}, h('dt'), h('dd'));
  keep(
    parts.facts,
    factsOf(server),
    ([fact]) => fact,
    make,
    (element, [fact, value]) => {
      setText(element.firstChild, fact);
      setText(element.lastChild, value);
    },
  );
  showButtons(parts.buttons, server);
  const { processes = [], last_failures = [], stderr = [] } = server;
  showFailures(parts.failures, last_failures, server.failures);
  setText(parts.stderr, stderr.map(({ at, pid, line }) => `${timeOf(Date.parse(at))} ${pid} ${line}`).join('\n'));
  mark(parts.failurePanel, 'hidden', last_failures.length === 0);
  mark(parts.stderrPanel, 'hidden', stderr.length === 0);
  const oldest = [...processes].sort((a, b) => b.age_ms - a.age_ms).slice(0, MOST_PROCESSES);
  const isCut = processes.length > oldest.length;
  setText(parts.total, isCut ? `The ${oldest.length} oldest of ${count(processes.length)} processes` : '');
  parts.processes.show(oldest);
}

export function serverView(name) {
  const parts = partsOf(name);
  return {
    title: `Server ${name}`,
    element: parts.element,
    async refresh(signal) {
      try {
        show(parts, await ask(['servers', name], {}, signal));
        mark(parts.gone, 'hidden', true);
      } catch (error) {
        if (!(error instanceof Refused) || error.status !== 404) throw error;
        mark(parts.gone, 'hidden', false);
      }
    },
  };
}
