// Finds mistakes in Prometheus expressions that Prometheus does not report: unknown names and labels.
import { parser } from '@prometheus-io/lezer-promql';

// The labels of every scraped series.
const TARGET = ['job', 'instance'];
const OF_COUNTERS = ['rate', 'irate', 'increase'];
const OF_GAUGES = ['delta', 'idelta', 'deriv', 'predict_linear'];
const SCALARS = ['NumberDurationLiteral', 'StringLiteral'];

class Reader {
  mistakes = [];

  constructor(text, series) {
    Object.assign(this, { text, series });
  }

  textOf(node) {
    return this.text.slice(node.from, node.to);
  }

  wrong(what, node) {
    this.mistakes.push(`${what}: ${this.textOf(node)}`);
  }

  names(node) {
    return node.getChildren('LabelName').map((one) => this.textOf(one));
  }

  known(labels, of, node) {
    for (const one of labels) if (of && !of.has(one)) this.wrong(`there is no label ${one}`, node);
  }

  // The labels of an expression's value; undefined for a number.
  labelsOf(node) {
    if (node.type.isError) return this.wrong('no expression', node.parent ?? node);
    if (SCALARS.includes(node.name)) return undefined;
    const read = this[`of${node.name}`];
    if (read) return read.call(this, node);
    const inner = this.children(node).map((one) => this.labelsOf(one));
    return inner.find((labels) => labels);
  }

  // Child nodes that are expressions or contain some.
  children(node) {
    const result = [];
    for (let one = node.firstChild; one; one = one.nextSibling)
      if (one.type.isError || /Expr$|Selector$|Call$|Body$|Literal$/.test(one.name)) result.push(one);
    return result.filter(({ name }) => !/Duration/.test(name) || SCALARS.includes(name));
  }

  // -- what is selected

  ofVectorSelector(node) {
    const matchers = node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? [];
    const matched = matchers.map((one) => ({
      label: this.textOf(one.getChild('LabelName')),
      value: JSON.parse(this.textOf(one.getChild('StringLiteral'))),
    }));
    const name = node.getChild('Identifier');
    const byLabel = matched.filter(({ label }) => label === '__name__').flatMap(({ value }) => value.split('|'));
    const found = (name ? [this.textOf(name)] : byLabel).map((one) => this.seriesNamed(one, node));
    const labels = new Set([...TARGET, ...found.flatMap((one) => one?.labels ?? [])]);
    this.known(matched.map(({ label }) => label).filter((label) => label !== '__name__'), labels, node);
    return labels;
  }

  seriesNamed(name, node) {
    const one = this.series.get(name);
    if (!one) return this.wrong(`there is no metric ${name}`, node);
    if (one.type === 'counter' && this.kind !== 'counter') this.wrong('a counter whose growth is not asked for', node);
    if (one.type === 'gauge' && this.kind === 'counter') this.wrong('a gauge is no counter', node);
    return one;
  }

  // -- what is made of it

  ofFunctionCall(node) {
    const name = this.textOf(node.getChild('FunctionIdentifier'));
    const before = this.kind;
    if (OF_COUNTERS.includes(name)) this.kind = 'counter';
    if (OF_GAUGES.includes(name)) this.kind = 'gauge';
    const given = this.children(node).map((one) => this.labelsOf(one));
    this.kind = before;
    const labels = given.find((one) => one);
    if (name === 'time' || name === 'scalar') return undefined;
    if (name === 'absent' || name === 'vector') return new Set();
    if (name !== 'histogram_quantile') return labels;
    this.known(['le'], labels, node);
    return new Set([...labels].filter((one) => one !== 'le'));
  }

  ofFunctionCallBody(node) {
    return this.children(node).map((one) => this.labelsOf(one)).find((one) => one);
  }

  ofAggregateExpr(node) {
    const labels = this.labelsOf(node.getChild('FunctionCallBody'));
    const modifier = node.getChild('AggregateModifier');
    if (!modifier) return new Set();
    const grouped = this.names(modifier.getChild('GroupingLabels'));
    this.known(grouped, labels, node);
    if (modifier.getChild('By')) return new Set(grouped);
    return new Set([...(labels ?? [])].filter((one) => !grouped.includes(one)));
  }

  ofBinaryExpr(node) {
    const [left, right] = this.children(node).map((one) => this.labelsOf(one));
    if (!left || !right) return left ?? right;
    const matching = node.getChild('MatchingModifierClause');
    const [grouped, added] = matching?.getChildren('GroupingLabels').map((one) => this.names(one)) ?? [];
    for (const side of [left, right]) this.known(grouped ?? [], side, node);
    if (node.getChild('Or')) return new Set([...left, ...right]);
    const [one, other] = [left, right].map((side) => [...side].toSorted().join());
    if (!matching && one !== other) this.wrong('the sides have different labels', node);
    const isSet = node.getChild('And') ?? node.getChild('Unless');
    if (isSet || !matching?.getChild('On')) return left;
    return matching.getChild('GroupLeft') ? new Set([...left, ...(added ?? [])]) : new Set(grouped);
  }
}

// The labels of an expression, and its errors. `series` maps names to types and labels.
export function read(text, series) {
  const reader = new Reader(text, series);
  const top = parser.parse(text).topNode;
  let isWhole = true;
  top.cursor().iterate((node) => void (node.type.isError && (isWhole = false)));
  if (!isWhole) return { labels: new Set(), mistakes: [`no expression: ${text}`] };
  const labels = reader.labelsOf(top) ?? new Set();
  return { labels, mistakes: reader.mistakes };
}
