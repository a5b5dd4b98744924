// Small plots of the last minutes.

import { h, mark, setText, shape } from './dom.js';
import { timeOf } from './format.js';
import { GAP_MS } from './metrics.js';

const [WIDTH, HEIGHT] = [600, 120];

// How far back plots go: as far as something is known.
const SPANS = [1, 2, 5, 10].map((minutes) => minutes * 60_000);
const spanOf = (points, now) => SPANS.find((span) => !points.length || now - points[0].at <= span) ?? SPANS.at(-1);

// The next of 1, 2, 3, 5, 10 … that is not less.
function roundUp(value) {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 3, 5, 10].map((step) => step * power).find((step) => step >= value * 0.999);
}

// Lines through the points that have a value; they break where nothing is known.
function lineOf(points, name, x, y) {
  let [path, last] = ['', undefined];
  for (const point of points) {
    if (point[name] === undefined) {
      last = undefined;
      continue;
    }
    const joined = last !== undefined && point.at - last < GAP_MS;
    path += `${joined ? 'L' : 'M'}${x(point.at).toFixed(1)} ${y(point[name]).toFixed(1)}`;
    last = point.at;
  }
  return path;
}

// `lines` are `{name, label}`, `text` writes a value, `least` is the least that the plot reaches up to.
export class Plot {
  #points = [];
  #hovered;

  constructor({ title, lines, text, least = 0, wide = false }) {
    Object.assign(this, { title, lines, text, least });
    this.paths = lines.map((_, at) => shape('path', { class: `line line-${at}` }));
    this.pointer = shape('line', { class: 'pointer', y1: 0, y2: HEIGHT, visibility: 'hidden' });
    const grid = shape('path', {
      class: 'grid',
      d: `M0 ${HEIGHT / 2}H${WIDTH}M0 .5H${WIDTH}M0 ${HEIGHT - 0.5}H${WIDTH}`,
    });
    const box = { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', role: 'img' };
    this.svg = shape('svg', box, grid, ...this.paths, this.pointer);
    this.top = h('span', { class: 'most', 'aria-hidden': 'true' });
    this.values = lines.map(() => h('b'));
    this.start = h('span');
    this.time = h('span', { class: 'time' });
    this.element = h(
      'figure',
      { class: wide ? 'plot spread' : 'plot' },
      this.#captionOf(),
      h('div', { class: 'canvas' }, this.svg, this.top),
      h('p', { class: 'axis', 'aria-hidden': 'true' }, this.start, h('span', {}, 'now')),
    );
    this.svg.addEventListener('pointermove', (event) => this.#hover(event));
    this.svg.addEventListener('pointerleave', () => this.#hover(undefined));
  }

  #captionOf() {
    const keys = this.lines.map(({ label }, at) =>
      h(
        'span',
        { class: 'key' },
        label && h('i', { class: `swatch swatch-${at}` }),
        label && `${label} `,
        this.values[at],
      ),
    );
    return h(
      'figcaption',
      {},
      h('span', { class: 'title' }, this.title),
      this.time,
      h('span', { class: 'keys' }, ...keys),
    );
  }

  #hover(event) {
    const box = event && this.svg.getBoundingClientRect();
    this.#hovered = event && (event.clientX - box.left) / box.width;
    this.#tell();
  }

  show(points, now) {
    [this.#points, this.now, this.span] = [points, now, spanOf(points, now)];
    const values = points.flatMap((point) => this.lines.map(({ name }) => point[name] ?? 0));
    const most = roundUp(Math.max(this.least, ...values) * 1.05);
    const x = (at) => this.#x(at);
    const y = (value) => 1 + (HEIGHT - 2) * (1 - value / most);
    this.lines.forEach(({ name }, at) => mark(this.paths[at], 'd', lineOf(points, name, x, y)));
    setText(this.top, this.text(most));
    setText(this.start, `${this.span / 60_000} min ago`);
    this.#tell();
    const told = this.lines.map(({ name, label }) => this.#summary(name, label)).join('; ');
    mark(this.svg, 'aria-label', `${this.title}, the last ${this.span / 60_000} min: ${told}`);
  }

  #x(at) {
    return WIDTH * (1 - (this.now - at) / this.span);
  }

  #summary(name, label) {
    const values = this.#points.map((point) => point[name]).filter((value) => value !== undefined);
    const said = values.length
      ? `now ${this.text(this.#points.at(-1)[name])}, at most ${this.text(Math.max(...values))}`
      : 'none';
    return label ? `${label} ${said}` : said;
  }

  // The values now, or those under the pointer.
  #tell() {
    const at = this.#hovered === undefined ? undefined : this.now - this.span * (1 - this.#hovered);
    const near = (best, point) => (Math.abs(point.at - at) < Math.abs(best.at - at) ? point : best);
    const point = at === undefined || !this.#points.length ? this.#points.at(-1) : this.#points.reduce(near);
    this.lines.forEach(({ name }, line) => setText(this.values[line], this.text(point?.[name])));
    const isPast = at !== undefined && point !== undefined;
    setText(this.time, isPast ? timeOf(Date.now() - (performance.now() - point.at)) : '');
    mark(this.pointer, 'visibility', isPast ? 'visible' : 'hidden');
    if (isPast) for (const end of ['x1', 'x2']) mark(this.pointer, end, this.#x(point.at));
  }
}
