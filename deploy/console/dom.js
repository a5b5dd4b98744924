// The elements of the page. What comes from elsewhere goes in as text, never as markup.

const SVG = 'http://www.w3.org/2000/svg';
const FOCUSABLE = 'a[href], button, input, select, summary';

function fill(element, options, children) {
  for (const [name, value] of Object.entries(options)) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else mark(element, name, value);
  }
  element.append(...children.filter((child) => child !== undefined));
  return element;
}

// An element; options that begin with `on` listen, the others are attributes.
export const h = (tag, options = {}, ...children) => fill(document.createElement(tag), options, children);
export const shape = (tag, options = {}, ...children) => fill(document.createElementNS(SVG, tag), options, children);

export const button = (text, onclick, options = {}) => h('button', { type: 'button', onclick, ...options }, text);

// A part of a view.
export const panel = (title, ...content) =>
  h('section', { class: 'panel' }, h('h2', { tabindex: '-1' }, title), ...content);

export const byId = (id) => document.getElementById(id);

// These change nothing that is as it should be: a selection stays, and nothing is read aloud again.
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

export function mark(element, name, value) {
  if (value === undefined || value === false) element.removeAttribute(name);
  else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value === true ? '' : value);
}

// -- lists that change ---------------------------------------------------------------------

const kept = new WeakMap();

// Where the focus is among the children: in which of them, and at which of its controls.
function focusIn(parent) {
  const active = document.activeElement;
  if (!active || active === parent || !parent.contains(active)) return undefined;
  const row = [...parent.children].findIndex((child) => child.contains(active));
  const control = [...parent.children[row].querySelectorAll(FOCUSABLE)].indexOf(active);
  return { active, row, control };
}

// It stays where it was; when that is gone, it goes to what stands there now.
function restoreFocus(parent, { active, row, control }) {
  if (document.activeElement === active && active.isConnected) return;
  if (active.isConnected) return active.focus({ preventScroll: true });
  const next = parent.children[Math.min(row, parent.children.length - 1)];
  const there = next && [...next.querySelectorAll(FOCUSABLE)][Math.max(control, 0)];
  (there ?? parent.closest('section, main')?.querySelector('h1, h2') ?? byId('main')).focus({ preventScroll: true });
}

// Brings the children of `parent` to one for each item, in this order: those that are there stay, by their key.
export function keep(parent, items, keyOf, make, update) {
  const before = kept.get(parent) ?? new Map();
  const now = new Map(items.map((item) => [keyOf(item), before.get(keyOf(item)) ?? make(item)]));
  const focus = focusIn(parent);
  for (const [key, element] of before) if (!now.has(key)) element.remove();
  let place = parent.firstElementChild;
  for (const item of items) {
    const element = now.get(keyOf(item));
    if (element === place) place = place.nextElementSibling;
    else parent.insertBefore(element, place);
    update(element, item);
  }
  kept.set(parent, now);
  if (focus) restoreFocus(parent, focus);
}
