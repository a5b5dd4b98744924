// How it goes: state, plots, what is used of each limit, the other nodes, the oldest calls.

import { ask, NeedsToken } from './api.js';
import { callTable } from './calls.js';
import { h, keep, mark, panel, setText } from './dom.js';
import { age, bytes, count, rate, seconds } from './format.js';
import { linkTo, node } from './place.js';
import { Plot } from './plots.js';
import { Table } from './table.js';

const OLDEST = 5;
const NODE_PATIENCE_MS = 1_500;
// Of the metrics' buckets of durations, in seconds.
const LEAST_BOUND = 0.01;

const perSecond = (value) => (value === undefined ? '–' : `${rate(value)}/s`);
// Shorter ones are counted together.
const latency = (value) => (value < LEAST_BOUND ? '< 10 ms' : seconds(value));
const whole = (value) => (value === undefined ? '–' : count(value));

const plots = () => [
  new Plot({
    title: 'Latency',
    lines: ['p50', 'p95', 'p99'].map((name) => ({ name, label: name })),
    text: latency,
    least: LEAST_BOUND,
    wide: true,
  }),
  new Plot({ title: 'Requests', lines: [{ name: 'requests' }], text: perSecond }),
  new Plot({ title: 'Errors', lines: [{ name: 'errors' }], text: perSecond }),
  new Plot({ title: 'Sessions and leases', lines: [{ name: 'sessions' }], text: whole, least: 10 }),
  new Plot({ title: 'Calls in flight', lines: [{ name: 'calls' }], text: whole, least: 10 }),
];

// -- facts -----------------------------------------------------------------------------------

const factsOf = (state) => [
  ['Sessions and leases', `${count(state.sessions + state.leases)} of ${count(state.max_sessions)}`],
  ['Leases', count(state.leases)],
  ['Up for', age(state.uptime_ms)],
  ['Log level', state.log_level],
  ['Version', state.version],
  ['Process', String(state.pid)],
];

function showFacts(list, state) {
  const make = () => h('div', {}, h('dt'), h('dd'));
  keep(
    list,
    factsOf(state),
    ([name]) => name,
    make,
    (element, [name, value]) => {
      setText(element.firstChild, name);
      setText(element.lastChild, value);
    },
  );
}

// -- limits ----------------------------------------------------------------------------------

const LIMITS = [
  ['Connections', 'troupe_connections', count],
  ['Processes', 'troupe_processes', count],
  ['Unsent bytes', 'troupe_unsent_bytes', bytes],
  ['Kept events', 'troupe_event_bytes', bytes],
  ['Waiting messages', 'troupe_waiting_bytes', bytes],
  ['Open files', 'process_open_fds', count, 'process_max_fds'],
];

function limitsIn(sums) {
  const some = LIMITS.map(([title, name, text, limit = `${name}_limit`]) => ({
    title,
    text,
    used: sums.get(name),
    most: sums.get(limit),
  }));
  return some.filter(({ used, most }) => used !== undefined && most > 0);
}

function showLimits(list, sums) {
  const make = ({ title }) => h('li', {}, h('span', {}, title), h('meter', { min: 0, 'aria-label': title }), h('span'));
  keep(
    list,
    limitsIn(sums),
    ({ title }) => title,
    make,
    (element, { used, most, text }) => {
      const [, meter, told] = element.children;
      for (const [name, value] of Object.entries({ max: most, high: most * 0.8, optimum: 0, value: used }))
        mark(meter, name, value);
      setText(told, `${text(used)} of ${text(most)}`);
    },
  );
}

// -- nodes -----------------------------------------------------------------------------------

const stateText = ({ draining, lost }) => lost ?? (draining ? 'draining' : 'running');

const nodeTable = () =>
  new Table({
    caption: 'Nodes',
    empty: 'There is no cluster.',
    key: ({ name }) => name,
    columns: [
      {
        title: 'Node',
        head: true,
        kind: 'name',
        sort: ({ name }) => name,
        link: ({ name, at, here }) => ({ text: here ? `${name} (shown)` : name, href: linkTo([], {}, at) }),
      },
      { title: 'State', text: stateText },
      {
        title: 'Sessions',
        number: true,
        text: ({ sessions }) => whole(sessions),
        sort: ({ sessions }) => sessions ?? -1,
      },
      { title: 'Leases', number: true, wide: true, text: ({ leases }) => whole(leases) },
      { title: 'Up for', number: true, wide: true, text: ({ uptime_ms }) => (uptime_ms ? age(uptime_ms) : '–') },
    ],
  });

// What the others say of themselves; one that does not answer holds up the page no longer than that.
async function nodesOf(state, signal) {
  const soon = AbortSignal.any([signal, AbortSignal.timeout(NODE_PATIENCE_MS)]);
  const others = state.nodes.map(async (one) => {
    const told = await ask(['node'], { node: one.name }, soon).catch((error) => {
      if (signal.aborted || error instanceof NeedsToken) throw error;
      return { lost: 'does not answer' };
    });
    return { ...one, ...told, name: one.name, at: one.name };
  });
  return [{ ...state, name: state.node, at: node(), here: true }, ...(await Promise.all(others))];
}

// -- the view --------------------------------------------------------------------------------

function parts() {
  const result = {
    facts: h('dl', { class: 'facts' }),
    plots: plots(),
    limits: h('ul', { class: 'limits' }),
    calls: callTable('The oldest calls in flight', 'No call is in flight.'),
    nodes: nodeTable(),
    all: h('a', { href: linkTo(['calls']) }, 'All calls'),
    whose: h('p', { class: 'hint', hidden: true }),
  };
  result.cluster = panel('Nodes', result.nodes.element);
  result.element = h(
    'section',
    {},
    h('h1', { tabindex: '-1' }, 'Overview'),
    result.facts,
    result.whose,
    h('div', { class: 'plots' }, ...result.plots.map(({ element }) => element)),
    panel('Oldest calls', result.calls.element, h('p', {}, result.all)),
    h('div', { class: 'panels' }, result.cluster, panel('Limits', result.limits)),
  );
  return result;
}

export function overviewView({ state, history, own }) {
  const { element, ...to } = parts();
  const refresh = async (signal) => {
    const [told, { calls, total }] = await Promise.all([state(signal), ask(['calls'], { limit: OLDEST }, signal)]);
    showFacts(to.facts, told);
    to.calls.show(calls);
    setText(to.all, total > calls.length ? `All ${count(total)} calls` : 'All calls');
    for (const plot of to.plots) plot.show(history.points, performance.now());
    if (history.latest) showLimits(to.limits, history.latest);
    setText(to.whose, `Plots and limits are those of the node ${own()}, which this page comes from.`);
    mark(to.whose, 'hidden', node() === '');
    mark(to.cluster, 'hidden', told.nodes.length === 0);
    if (told.nodes.length) to.nodes.show(await nodesOf(told, signal));
  };
  return { title: 'Overview', element, refresh };
}
