// Which lines of the log are of a session or a server.

import { button, h } from './dom.js';
import { say, shown } from './dialog.js';

// The clipboard is for pages that came in safety, such as from this machine; elsewhere the text is selected.
async function copy(text, code) {
  try {
    await navigator.clipboard.writeText(text);
    say('Copied.');
  } catch {
    getSelection().selectAllChildren(code);
    say('Selected: copy it with the keyboard.');
  }
}

function line(what, text) {
  const code = h('code', {}, text);
  return [
    h('dt', {}, what),
    h(
      'dd',
      {},
      code,
      button('Copy', () => copy(text, code), { 'aria-label': `Copy: ${what}` }),
    ),
  ];
}

// As a shell takes it, whatever it has.
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

export function logLines(field, value) {
  const found = value.replace(/…$/, '');
  return h(
    'dl',
    { class: 'lines' },
    ...line('as text', `${field}=${value}`),
    ...line('as JSON', `${JSON.stringify(field)}:${JSON.stringify(value)}`),
    ...line('in the journal', `journalctl -u troupe --since -1h --no-pager | grep -F ${quoted(found)}`),
  );
}

export const showLog = (field, value, of) =>
  shown('In the log', h('p', {}, `Lines about ${of} have:`), logLines(field, value));
