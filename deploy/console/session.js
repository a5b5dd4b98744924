// One session or lease: what it is, its streams and calls, its messages as they pass.

import { ask, Refused } from './api.js';
import { endSession } from './acts.js';
import { callTable } from './calls.js';
import { button, h, keep, mark, panel, setText } from './dom.js';
import { follower } from './follow.js';
import { age, count, kindOf, ofWhichServer, transportText } from './format.js';
import { logLines } from './log_lines.js';
import { linkTo, serverLink } from './place.js';
import { doingText } from './sessions.js';

const factsOf = (session) => [
  ['Id', session.id],
  ['Server', ofWhichServer(session), session.server && serverLink(session.server)],
  [
    'Caller',
    session.caller || 'nobody in particular',
    session.caller && linkTo(['sessions'], { caller: session.caller }),
  ],
  ['Transport', transportText(session.transport)],
  ['Age', age(session.age_ms)],
  ['Doing', doingText(session)],
  ['Open questions', count(session.questions ?? 0)],
  ...Object.entries(session.streams ?? {}).map(([kind, number]) => [`Streams: ${kind}`, count(number)]),
];

function showFacts(list, session) {
  const make = ([name, , href]) => h('div', {}, h('dt', {}, name), h('dd', {}, href ? h('a', { href }) : h('span')));
  keep(
    list,
    factsOf(session),
    ([name, , href]) => `${name} ${href}`,
    make,
    (element, [, value]) => setText(element.lastChild.firstChild, value),
  );
}

function partsOf(number, options) {
  let latest;
  const end = button('End…', () => endSession(latest), { class: 'danger', disabled: true });
  const calls = callTable('Calls of this session', 'No call is in flight.', true);
  const facts = h('dl', { class: 'facts' });
  const title = h('h1', { tabindex: '-1' }, `Session ${number}`);
  const log = h('div');
  const following = follower(number, options);
  const gone = h(
    'p',
    { class: 'gone', hidden: true },
    'It is not there any more. ',
    h('a', { href: linkTo(['sessions']) }, 'All sessions'),
  );
  const element = h(
    'section',
    {},
    h('div', { class: 'row' }, title, end),
    gone,
    facts,
    panel('Calls', calls.element),
    panel('Messages', following.element),
    panel('In the log', log),
  );
  const show = (session) => {
    if (latest?.id !== session.id) log.replaceChildren(logLines('session', session.id));
    latest = session;
    setText(title, kindOf(session) === 'lease' ? `Lease ${number}` : `Session ${number}`);
    showFacts(facts, session);
    calls.show((session.calls ?? []).map((call) => ({ ...call, session: session.number })));
  };
  return { element, show, end, calls, gone, following };
}

export function sessionView(number, options) {
  const { element, show, end, calls, gone, following } = partsOf(number, options);
  const isThere = (is) => {
    mark(gone, 'hidden', is);
    mark(end, 'disabled', !is);
    if (!is) calls.show([]);
  };
  return {
    title: `Session ${number}`,
    element,
    close: following.stop,
    async refresh(signal) {
      following.refresh();
      try {
        show(await ask(['sessions', number], {}, signal));
        isThere(true);
      } catch (error) {
        if (!(error instanceof Refused) || error.status !== 404) throw error;
        isThere(false);
      }
    },
  };
}
