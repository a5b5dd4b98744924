// All metrics, from the program's own table.
import { readFileSync } from 'node:fs';

const TABLE = new URL('../../../protocol/metrics/metric.cpp', import.meta.url);
const TEXTS = /(?:"(?:[^"\\]|\\.)*"\s*)+/;
const FAMILY = new RegExp(
  `\\{metric::\\w+,\\s*(?<type>counter|gauge|histogram),\\s*"(?<name>\\w+)",\\s*(?<help>${TEXTS.source}),?\\s*` +
    '(?:\\{(?<labels>[^}]*)\\})?\\s*\\}',
  'g',
);
const quoted = (text = '') => [...text.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, inner]) => inner);

// The families by name.
export function metricFamilies() {
  const text = readFileSync(TABLE, 'utf8');
  const families = [...text.matchAll(FAMILY)].map(({ groups: { name, type, help, labels } }) => [
    name,
    { name, type, help: quoted(help).join(''), labels: quoted(labels) },
  ]);
  if (families.length !== text.match(/\{metric::/g).length) throw new Error('the table of metrics has another form');
  return new Map(families);
}

// The series of a family in Prometheus by name, each with its type and labels.
function seriesOf({ name, type, labels }) {
  if (type !== 'histogram') return [[name, { type, labels }]];
  const one = (suffix, ...more) => [name + suffix, { type: 'counter', labels: [...labels, ...more] }];
  return [one('_bucket', 'le'), one('_sum'), one('_count')];
}

// All series that Prometheus has of the nodes: their metrics, and `up`, which Prometheus adds.
export function allSeries(families = metricFamilies()) {
  const own = [...families.values()].flatMap(seriesOf);
  return new Map([...own, ['up', { type: 'gauge', labels: [] }]]);
}
