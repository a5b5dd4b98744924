// The queries of deploy/prometheus/ match the metrics of the program.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse, stringify } from 'yaml';
import { test } from './lib/concurrently.mjs';
import { readDeployed } from './lib/balancer.mjs';
import { allSeries, metricFamilies } from './lib/metric-families.mjs';
import { read } from './lib/promql.mjs';
import { scratch } from './lib/scratch.mjs';

const run = promisify(execFile);
const series = allSeries();
const alerts = parse(readDeployed('prometheus/alerts.yml')).groups.flatMap(({ rules }) => rules);
const dashboard = JSON.parse(readDeployed('prometheus/dashboard.json'));
const panels = dashboard.panels.filter(({ type }) => type !== 'row');
const variables = dashboard.templating.list;

// Resolves with the output of promtool. Fails when promtool does.
const promtool = (...args) => run('promtool', args).then(({ stdout }) => stdout);

// Replaces variables as Grafana does.
const filled = (expr) => expr.replace(/\$(__rate_interval|__range)\b/g, '5m').replace(/\$\w+/g, '.*');
const mistakesIn = (expr) => read(filled(expr), series).mistakes;

// -- alerts -----------------------------------------------------------------------------------------------------------

test('the alerts name only metrics and labels that exist', () => {
  for (const { alert, expr } of alerts) assert.deepEqual(read(expr, series).mistakes, [], alert);
});

test('each alert says how grave it is, what it means, and of whom, by labels that it has', () => {
  assert.equal(new Set(alerts.map(({ alert }) => alert)).size, alerts.length);
  for (const { alert, expr, labels, annotations, for: patience } of alerts) {
    assert.match(patience, /^\d+m$/, alert);
    assert.match(labels.severity, /^(warning|critical)$/, alert);
    assert.deepEqual(Object.keys(annotations), ['summary', 'description'], alert);
    assert.ok(annotations.summary.length < 100 && annotations.description.length > 100, alert);
    const has = read(expr, series).labels;
    for (const [, label] of Object.values(annotations).join().matchAll(/\$labels\.(\w+)/g))
      assert.ok(has.has(label), `${alert}: ${label}`);
  }
});

test('the alerts fire when they should, and only then', async () => {
  const folder = scratch();
  // The texts of alerts are not compared, only that they exist.
  const bare = parse(readDeployed('prometheus/alerts.yml'));
  for (const { rules } of bare.groups) for (const rule of rules) delete rule.annotations;
  writeFileSync(join(folder, 'alerts.yml'), stringify(bare));
  const told = readFileSync(new URL('fixture/alerts.yml', import.meta.url), 'utf8');
  writeFileSync(join(folder, 'tests.yml'), told);
  assert.match(await promtool('test', 'rules', join(folder, 'tests.yml')), /SUCCESS/);
  const tested = new Set([...told.matchAll(/alertname: (\w+)/g)].map(([, name]) => name));
  assert.deepEqual(alerts.map(({ alert }) => alert).filter((name) => !tested.has(name)), [], 'each has a test');
});

test('promtool finds nothing wrong with the alerts and the configuration', async () => {
  const folder = scratch();
  for (const name of ['alerts.yml', 'prometheus.yml'])
    writeFileSync(join(folder, name), readDeployed(`prometheus/${name}`));
  writeFileSync(join(folder, 'troupe.token'), 'a token');
  const found = new RegExp(`SUCCESS: ${alerts.length} rules found`);
  assert.match(await promtool('check', 'rules', join(folder, 'alerts.yml')), found);
  assert.match(await promtool('check', 'config', join(folder, 'prometheus.yml')), /is valid/);
});

// -- the dashboard ----------------------------------------------------------------------------------------------------

test('the dashboard names only metrics and labels that exist', () => {
  const targets = panels.flatMap(({ title, targets }) => targets.map((one) => ({ title, ...one })));
  const annotations = dashboard.annotations.list.map(({ name, expr, textFormat }) => {
    return { title: name, expr, legendFormat: textFormat };
  });
  for (const { title, expr, legendFormat } of [...targets, ...annotations]) {
    const { labels, mistakes } = read(filled(expr), series);
    assert.deepEqual(mistakes, [], title);
    for (const [, label] of legendFormat.matchAll(/\{\{(\w+)\}\}/g)) assert.ok(labels.has(label), `${title}: ${label}`);
  }
});

test('the variables of the dashboard are of metrics and labels that exist, and all that it uses', () => {
  for (const { name, query, type } of variables) {
    if (type === 'datasource') continue;
    const [, selector, label] = /^label_values\((.+), (\w+)\)$/.exec(query.query);
    const { labels, mistakes } = read(`rate(${filled(selector)}[5m])`, series);
    const { mistakes: asGauge } = read(filled(selector), series);
    assert.ok(mistakes.length === 0 || asGauge.length === 0, `${name}: ${mistakes}`);
    assert.ok(labels.has(label), name);
  }
  const names = new Set(variables.map(({ name }) => name));
  const used = [...JSON.stringify(dashboard).matchAll(/\$\{?(?!__)(\w+)/g)].map(([, name]) => name);
  assert.deepEqual(new Set(used), names);
});

test('each panel of the dashboard has a description, a unit, legends, and the data source of who looks', () => {
  for (const { title, description, fieldConfig, targets, datasource } of panels) {
    assert.ok(description?.endsWith('.'), title);
    assert.ok(fieldConfig.defaults.unit, title);
    assert.ok(targets.length > 0 && targets.every(({ legendFormat, expr }) => legendFormat && expr), title);
    assert.equal(new Set(targets.map(({ refId }) => refId)).size, targets.length, title);
    assert.deepEqual(datasource, { type: 'prometheus', uid: '${datasource}' }, title);
  }
  const ids = dashboard.panels.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
});

test('the panels of the dashboard do not overlap, and lie within its width', () => {
  const taken = new Map();
  for (const { title, gridPos: { x, y, w, h } } of dashboard.panels) {
    assert.ok(x >= 0 && w > 0 && h > 0 && x + w <= 24, title);
    for (let row = y; row < y + h; ++row)
      for (let column = x; column < x + w; ++column) {
        assert.equal(taken.get(`${row} ${column}`), undefined, title);
        taken.set(`${row} ${column}`, title);
      }
  }
});

test('whatever is measured is on the dashboard', () => {
  const shown = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)).join();
  const unseen = [...metricFamilies().keys()].filter((name) => !shown.includes(name));
  assert.deepEqual(unseen, ['troupe_stopping_processes', 'process_virtual_memory_bytes']);
});

// -- observers --------------------------------------------------------------------------------------------------------

test('a name or a label that is mistyped is found', () => {
  const wrong = {
    'troupe_session': /no metric troupe_session/,
    'sum(troupe_sessions{transprot="x"})': /no label transprot/,
    'sum by (rol) (troupe_streams)': /no label rol/,
    'sum by (transport) (sum(troupe_sessions))': /no label transport/,
    'rate(mcp_server_operation_duration_seconds[5m])': /no metric/,
    'rate(mcp_server_operation_duration_bucket[5m])': /no metric/,
    'rate(mcp_server_operation_duration_seconds_counts[5m])': /no metric/,
    'rate(troupe_refused_total_count[5m])': /no metric/,
    'rate(mcp_server_operation_duration_seconds_count{le="1"}[5m])': /no label le/,
    'histogram_quantile(0.5, sum by (server) (rate(mcp_client_operation_duration_seconds_bucket[5m])))': /no label le/,
    '{__name__=~"troupe_sessions|troupe_lease"}': /no metric troupe_lease/,
    'troupe_sessions / troupe_sessions_limit': /different labels/,
    'troupe_connections and on (nod) troupe_build_info': /no label nod/,
    'rate(troupe_sessions[5m])': /no counter/,
    'troupe_refused_total > 1': /growth/,
    'sum(': /no expression/,
  };
  for (const [expr, what] of Object.entries(wrong)) assert.match(mistakesIn(expr).join(), what, expr);
  const right = [
    'histogram_quantile(0.5, sum by (le) (rate(mcp_client_operation_duration_seconds_bucket{server="a"}[5m])))',
    'rate(mcp_server_session_duration_seconds_sum[5m]) / rate(mcp_server_session_duration_seconds_count[5m])',
    'sum by (job) (up) > 1 or vector(0)',
  ];
  for (const expr of right) assert.deepEqual(mistakesIn(expr), [], expr);
});

test('a name or a label that is mistyped anywhere in what is there is found', () => {
  const words = new Set([...series].flatMap(([name, { labels }]) => [name, ...labels, 'job', 'instance']));
  const asked = panels.flatMap(({ targets }) => targets.map(({ expr }) => filled(expr)));
  for (const expr of [...asked, ...alerts.map(({ expr }) => expr)]) {
    const places = [...expr.matchAll(/\w+/g)].filter(([word]) => words.has(word));
    assert.ok(places.length > 0, expr);
    for (const { 0: word, index } of places) {
      if (/[!=]~?"[^"]*$/.test(expr.slice(0, index)) && !word.startsWith('troupe_')) continue;
      const end = index + word.length;
      const mistyped = `${expr.slice(0, end - 1)}_x${expr.slice(end)}`;
      assert.ok(read(mistyped, series).mistakes.length > 0, mistyped);
    }
  }
});

test('the table of metrics is read whole: kinds, labels and texts', () => {
  const families = metricFamilies();
  const { type, labels, help } = families.get('mcp_server_operation_duration_seconds');
  assert.deepEqual([type, labels.length], ['histogram', 5]);
  assert.match(help, /to the answer$/);
  assert.deepEqual(families.get('troupe_leases').labels, []);
  assert.match(families.get('troupe_streams').help, /own messages \(primary\).*\(call\)/);
});
