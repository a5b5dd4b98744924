// What is done to a whole gateway.

import { drain, reload, setLogLevel } from './acts.js';
import { button, byId, h, mark, setText } from './dom.js';

const LEVELS = ['debug', 'info', 'warning', 'error'];

export function buildMenu(state) {
  const menu = byId('menu');
  const after = (act) => () => {
    menu.hidePopover();
    byId('menu-button').focus();
    return act();
  };
  // What is chosen stays until it is set, or the menu is closed.
  let isChosen = false;
  menu.addEventListener('toggle', ({ newState }) => (isChosen &&= newState === 'open'));
  const level = h(
    'select',
    { id: 'log-level', onchange: () => (isChosen = true) },
    ...LEVELS.map((value) => h('option', { value }, value)),
  );
  const set = async () => {
    await setLogLevel(level.value);
    isChosen = false;
  };
  const setting = button('Set', set, { 'aria-label': 'Set the log level' });
  const reloading = button('Reload the configuration…', after(reload));
  const draining = button(
    'Drain…',
    after(() => drain(state())),
    { class: 'danger' },
  );
  const note = h('p', { class: 'hint' });
  menu.replaceChildren(
    h('p', { class: 'field' }, h('label', { for: 'log-level' }, 'Log level'), level, setting),
    reloading,
    draining,
    note,
  );
  return ({ can = {}, log_level, draining: drains }) => {
    isChosen &&= log_level !== undefined;
    if (!isChosen && level.value !== log_level) level.value = log_level;
    for (const one of [level, setting]) mark(one, 'disabled', !can.log_level);
    mark(reloading, 'disabled', !can.reload);
    mark(draining, 'disabled', !can.drain || drains);
    const missing = [!can.log_level && 'log level', !can.reload && 'reload', !can.drain && 'drain'].filter(Boolean);
    setText(note, log_level && missing.length ? `Not here: ${missing.join(', ')}.` : '');
  };
}
