// The question for the token, once for a tab.

import { hasToken, setToken } from './api.js';
import { byId, h } from './dom.js';

// Shows the question in the place of the view. `given` is called when there is a token to try.
export function askForToken(given) {
  const input = h('input', {
    id: 'token',
    type: 'password',
    required: true,
    autocomplete: 'off',
    spellcheck: 'false',
    'aria-describedby': 'token-why',
  });
  const why = hasToken() ? 'The gateway does not take this token.' : 'The gateway asks operators for their token.';
  const form = h(
    'form',
    { class: 'token' },
    h('h1', { tabindex: '-1' }, 'Token'),
    h('p', { id: 'token-why', role: 'alert' }, why),
    h('label', { for: 'token' }, 'Token of operators'),
    input,
    h('p', { class: 'hint' }, 'It is the line in the file of --admin-token-file. It is kept until this tab is closed.'),
    h('p', { class: 'buttons' }, h('button', { type: 'submit' }, 'Come in')),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    setToken(input.value.trim());
    given();
  });
  setToken('');
  byId('main').replaceChildren(form);
  input.focus();
}
