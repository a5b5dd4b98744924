// Tables whose rows change in place.

import { button, h, keep, mark, setText } from './dom.js';

const filled = Symbol('what a cell has');

// What a cell shows: `text`, or a `link`, or `acts`; each takes the row's item.
function fillCell(cell, column, item) {
  if (column.text) return setText(cell, column.text(item));
  if (column.link) return fillLink(cell, column.link(item));
  return fillActs(cell, column.acts(item), item);
}

// Without an `href` it is text.
function fillLink(cell, { text, href }) {
  if (!href) return setText(cell, text);
  if (cell.firstElementChild?.tagName !== 'A') cell.replaceChildren(h('a', {}));
  mark(cell.firstElementChild, 'href', href);
  setText(cell.firstElementChild, text);
}

// Buttons: `{text, name, act, danger}`; `name` says for screen readers what it is about.
function fillActs(cell, acts, item) {
  cell[filled] = item;
  const make = ({ text, danger }) =>
    button(text, (event) => event.target.act(cell[filled]), { class: danger && 'danger' });
  keep(
    cell,
    acts,
    ({ text }) => text,
    make,
    (element, { name, act }) => {
      element.act = act;
      mark(element, 'aria-label', name);
    },
  );
}

const classesOf = ({ number, wide, kind }) =>
  [number && 'number', wide && 'wide', kind].filter(Boolean).join(' ') || undefined;

// A column may have `sort`, the value to sort by; where the gateway has sorted, `sorted` says how.
export class Table {
  #sorting;
  #items = [];

  constructor({ caption, columns, key, empty, look }) {
    Object.assign(this, { columns, key, look });
    this.caption = h('caption', { class: 'unseen' }, caption);
    this.heads = columns.map((column) => this.#headOf(column));
    this.body = h('tbody');
    this.table = h('table', {}, this.caption, h('thead', {}, h('tr', {}, ...this.heads)), this.body);
    this.none = h('p', { class: 'none', hidden: true }, empty);
    this.element = h('div', { class: 'table' }, this.table, this.none);
  }

  #headOf(column) {
    const options = { scope: 'col', class: classesOf(column), 'aria-sort': column.sorted };
    if (!column.sort) return h('th', options, column.title);
    return h(
      'th',
      options,
      button(column.title, () => this.#sortBy(column), { class: 'sort' }),
    );
  }

  #sortBy(column) {
    const wasDown = this.#sorting?.column === column && this.#sorting.order === 1;
    this.#sorting = { column, order: wasDown ? -1 : 1 };
    this.columns.forEach((one, at) => {
      const order = one === column && (wasDown ? 'descending' : 'ascending');
      if (one.sort) mark(this.heads[at], 'aria-sort', order);
    });
    this.show(this.#items);
  }

  #sorted(items) {
    if (!this.#sorting) return items;
    const { column, order } = this.#sorting;
    const compare = (a, b) => (a < b ? -order : a > b ? order : 0);
    return [...items].sort((a, b) => compare(column.sort(a), column.sort(b)));
  }

  #rowOf() {
    const cells = this.columns.map((column) => {
      const { head, number, acts, title } = column;
      const named = (!head || number) && !acts && title;
      return h(head ? 'th' : 'td', { scope: head && 'row', class: classesOf(column), 'data-title': named });
    });
    return h('tr', {}, ...cells);
  }

  #fillRow(row, item) {
    this.columns.forEach((column, at) => fillCell(row.children[at], column, item));
    if (this.look) mark(row, 'class', this.look(item));
  }

  show(items) {
    this.#items = items;
    mark(this.table, 'hidden', items.length === 0);
    mark(this.none, 'hidden', items.length > 0);
    keep(
      this.body,
      this.#sorted(items),
      this.key,
      () => this.#rowOf(),
      (row, item) => this.#fillRow(row, item),
    );
  }
}
