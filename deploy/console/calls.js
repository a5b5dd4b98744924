// The calls in flight, the oldest first.

import { ask } from './api.js';
import { endCall } from './acts.js';
import { button, h, mark, setText } from './dom.js';
import { age, callText, count, named, several } from './format.js';
import { showLog } from './log_lines.js';
import { serverLink, sessionLink } from './place.js';
import { Table } from './table.js';

const [SLOW, HANGING] = [10_000, 60_000];
const [FEW, MANY] = [100, 1_000];

const lookOf = ({ age_ms }) => (age_ms >= HANGING ? 'hanging' : age_ms >= SLOW ? 'slow' : undefined);
const about = (call) => `${named(callText(call))} of session ${call.session}`;

function actsOn(call) {
  const log = {
    text: 'Log',
    name: `Log of session ${call.session}`,
    act: ({ session, session_id }) => showLog('session', session_id, `session ${session}`),
  };
  return [...(call.session_id ? [log] : []), { text: 'End', name: `End ${about(call)}`, act: endCall, danger: true }];
}

const COLUMNS = {
  age: { title: 'Age', text: ({ age_ms }) => age(age_ms), number: true, sorted: 'descending', kind: 'age' },
  call: { title: 'Call', text: callText, head: true, kind: 'name' },
  server: {
    title: 'Server',
    link: ({ server }) => ({ text: server || '–', href: server && serverLink(server) }),
    kind: 'name',
  },
  session: {
    title: 'Session',
    link: ({ session }) => ({ text: String(session), href: sessionLink(session) }),
    number: true,
  },
  caller: { title: 'Caller', text: ({ caller }) => caller || '–', wide: true, kind: 'name' },
  acts: { title: 'Acts', acts: actsOn, kind: 'acts' },
};

// Of all sessions, or of one.
export function callTable(caption, empty, isOfOne = false) {
  const { session, caller, ...rest } = COLUMNS;
  const columns = Object.values(isOfOne ? rest : COLUMNS);
  return new Table({ caption, columns, empty, look: lookOf, key: (call) => `${call.session}/${call.number}` });
}

export function callsView() {
  const table = callTable('Calls in flight, the oldest first', 'No call is in flight.');
  const total = h('p', { class: 'total' });
  let limit = FEW;
  const more = button(`Show up to ${count(MANY)}`, () => {
    limit = MANY;
    more.remove();
    element.querySelector('h1').focus({ preventScroll: true });
    view.wake(true);
  });
  const element = h('section', {}, h('h1', { tabindex: '-1' }, 'Calls in flight'), total, table.element, more);
  const view = {
    title: 'Calls',
    element,
    async refresh(signal) {
      const { calls, total: all } = await ask(['calls'], { limit }, signal);
      setText(
        total,
        calls.length < all ? `The ${count(calls.length)} oldest of ${several(all, 'call')}` : several(all, 'call'),
      );
      mark(more, 'hidden', calls.length >= all);
      table.show(calls);
    },
  };
  return view;
}
