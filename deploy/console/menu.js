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
  const level = h(
    'select',
    { id: 'log-level', onchange: () => setLogLevel(level.value) },
    ...LEVELS.map((value) => h('option', { value }, value)),
  );
  const reloading = button('Reload the configuration…', after(reload));
  const draining = button(
    'Drain…',
    after(() => drain(state())),
    { class: 'danger' },
  );
  const note = h('p', { class: 'hint' });
  menu.replaceChildren(
    h('p', { class: 'field' }, h('label', { for: 'log-level' }, 'Log level'), level),
    reloading,
    draining,
    note,
  );
  return ({ can = {}, log_level, draining: drains }) => {
    if (document.activeElement !== level && level.value !== log_level) level.value = log_level;
    mark(level, 'disabled', !can.log_level);
    mark(reloading, 'disabled', !can.reload);
    mark(draining, 'disabled', !can.drain || drains);
    const missing = [!can.log_level && 'log level', !can.reload && 'reload', !can.drain && 'drain'].filter(Boolean);
    setText(note, missing.length ? `Not here: ${missing.join(', ')}.` : '');
  };
}
