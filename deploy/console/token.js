// The question for the token, once for a tab.

import { hasToken, setToken } from './api.js';
import { byId, h, setText } from './dom.js';

// What a header can have; anything else was copied along with it.
const TOKEN = /^[!-~]+$/;

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
  const reason = h('p', { id: 'token-why', role: 'alert' }, why);
  const form = h(
    'form',
    { class: 'token' },
    h('h1', { tabindex: '-1' }, 'Token'),
    reason,
    h('label', { for: 'token' }, 'Token of operators'),
    input,
    h(
      'p',
      { class: 'hint' },
      'It is the line in the file that the gateway names in its log (token_file), or in that of --admin-token-file. ',
      'It is kept until this tab is closed.',
    ),
    h('p', { class: 'buttons' }, h('button', { type: 'submit' }, 'Come in')),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const token = input.value.trim();
    if (!TOKEN.test(token))
      return setText(reason, 'A token has letters, digits and signs of ASCII only, and no blanks.');
    setToken(token);
    given();
  });
  setToken('');
  byId('main').replaceChildren(form);
  input.focus();
}
