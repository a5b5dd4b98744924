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

// -- as the log writes it ----------------------------------------------------------------------

const SPECIAL = /["\\]|[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;
const SHORT = { '"': '\\"', '\\': '\\\\', '\n': '\\n', '\t': '\\t' };
const escaped = (text) =>
  text.replace(SPECIAL, (one) => SHORT[one] ?? `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
const inQuotes = (text) => `"${escaped(text)}"`;
const asText = (text) => (text === '' || /[ =]/.test(text) || escaped(text) !== text ? inQuotes(text) : text);

export function logLines(field, value) {
  const found = escaped(value.replace(/…$/, ''));
  return h(
    'dl',
    { class: 'lines' },
    ...line('as text', `${field}=${asText(value)}`),
    ...line('as JSON', `${inQuotes(field)}:${inQuotes(value)}`),
    ...line('in the journal', `journalctl -u troupe --since -1h --no-pager | grep -F -e ${quoted(found)}`),
  );
}

export const showLog = (field, value, of) =>
  shown('In the log', h('p', {}, `Lines about ${of} have:`), logLines(field, value));
