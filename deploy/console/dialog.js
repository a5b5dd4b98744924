// Questions before what cannot be undone, and what came of it.

import { button, byId, h } from './dom.js';

const SAID_FOR = 20_000;
let forgetting;

// Shown at the foot of the page, or of the dialog, as nothing else is read aloud then.
export function say(text) {
  const region = byId(byId('dialog').open ? 'dialog-said' : 'said');
  region.textContent = '';
  clearTimeout(forgetting);
  forgetting = setTimeout(() => (region.textContent = ''), SAID_FOR);
  requestAnimationFrame(() => (region.textContent = text));
}

// The focus goes back to where it was, or to the title when that is gone meanwhile.
function opened(content, whenClosed) {
  const dialog = byId('dialog');
  const before = document.activeElement;
  dialog.replaceChildren(...content, h('p', { id: 'dialog-said', class: 'hint', role: 'status' }));
  dialog.onclose = () => {
    if (!before?.isConnected) (document.querySelector('main h1') ?? byId('main')).focus();
    whenClosed(dialog.returnValue);
  };
  dialog.returnValue = '';
  dialog.showModal();
  return dialog;
}

const close = (value) => () => byId('dialog').close(value);

// What is asked is not wanted, as what it is about is not shown any more.
export function dismiss() {
  if (byId('dialog').open) close('')();
}

// Resolves with whether it is wanted. `lines` say what will happen.
export function confirmed({ title, lines, yes }) {
  const content = [
    h('h2', { id: 'dialog-title' }, title),
    ...lines.map((line) => h('p', {}, line)),
    h(
      'p',
      { class: 'buttons' },
      button('Cancel', close(''), { autofocus: true }),
      button(yes, close('yes'), { class: 'danger' }),
    ),
  ];
  return new Promise((resolve) => opened(content, (value) => resolve(value === 'yes')));
}

// Shows something until it is closed.
export function shown(title, ...content) {
  const end = h('p', { class: 'buttons' }, button('Close', close(''), { autofocus: true }));
  opened([h('h2', { id: 'dialog-title' }, title), ...content, end], () => {});
}
