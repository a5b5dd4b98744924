// A real Prometheus scrapes three nodes that serve clients of all kinds.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parse } from 'yaml';
import { suite, test } from './lib/concurrently.mjs';
import { readDeployed } from './lib/balancer.mjs';
import { lasting, startCluster } from './lib/cluster.mjs';
import { bearer } from './lib/credentials.mjs';
import { exampleServer, fixture } from './lib/gateway.mjs';
import { rawConnection, request as ask } from './lib/http.mjs';
import { MeasuredSession, modernClient, refusedClient, sseClient, Tally } from './lib/measured-clients.mjs';
import { metricFamilies } from './lib/metric-families.mjs';
import { complaintsOf, startPrometheus } from './lib/prometheus.mjs';
import { scratch } from './lib/scratch.mjs';
import { debugState } from './lib/state.mjs';
import { until } from './lib/until.mjs';

const MADE_UP = 500;
const TOKEN = randomBytes(16).toString('hex');
const BY_KIND = 'mcp_method_name, gen_ai_tool_name, server, error_type';
// Gauges that must return to zero.
const GAUGES = ['sessions', 'leases', 'streams', 'calls_in_flight', 'parked_calls', 'server_processes', 'processes',
  'stopping_processes', 'brokers', 'connections', 'unsent_bytes', 'waiting_bytes', 'queue_length', 'relayed_exchanges']
  .map((name) => `troupe_${name}`);

const server = ([command, ...args], more = {}) => ({ command, args, ...more });
const CONFIG = {
  mcpServers: {
    example: server(exampleServer, { restart: true }),
    fragile: server(exampleServer, { restart: false }),
    modern: server(fixture('modern-stdio'), { era: 'modern', sharing: 'session' }),
  },
};

const adminOf = (node) => node.logged('listening for operators').url;

async function scraped(node) {
  const reply = await ask(`${adminOf(node)}/metrics`, { headers: bearer(TOKEN) });
  await reply.done;
  assert.equal(reply.status, 200);
  return reply.received;
}

// A node may count an operation a little after its answer. If the scrape came too early, the next one decides.
async function assertSoon(read, expected, what) {
  let told;
  await until(what, async () => isDeepStrictEqual((told = await read()), expected)).catch((error) => {
    assert.deepEqual(told, expected, `${what}: ${error.message}`);
    throw error;
  });
}

suite('three nodes that a Prometheus scrapes', () => {
  const t = lasting();
  const tally = new Tally();
  const madeUp = Array.from({ length: MADE_UP }, (_, index) => `made-up-${index}-${randomBytes(4).toString('hex')}`);
  const ids = [];
  let nodes;
  let prometheus;

  before(async () => {
    const file = join(scratch(), 'token');
    writeFileSync(file, TOKEN);
    const admin = ['--admin-listen', '127.0.0.1:0', '--admin-token-file', file];
    ({ nodes } = await startCluster(t, { config: CONFIG, flags: [...admin, '--lease-time', '1'] }));
    prometheus = await startPrometheus(t, nodes.map((node) => new URL(adminOf(node)).host), TOKEN);
    await prometheus.caughtUp();
  });
  after(() => t.end());

  // All measured requests, as the clients count them.
  async function operations(of, selector = '') {
    await prometheus.caughtUp();
    const counts = `mcp_${of}_operation_duration_seconds_count${selector}`;
    const values = await prometheus.query(`sum by (${BY_KIND}) (${counts})`);
    const rows = values.map(({ labels, value }) => {
      const row = BY_KIND.split(', ').map((label) => labels[label] ?? '').join(' | ');
      return [row, value];
    });
    return Object.fromEntries(rows.toSorted());
  }

  const assertOperations = (of, expected, selector) =>
    assertSoon(() => operations(of, selector), expected, `the operations of ${of}`);
  const assertValue = (query, expected, what = query) => assertSoon(() => prometheus.value(query), expected, what);
  const assertSum = (query, expected, what) => assertValue(`sum(${query})`, expected, what);

  async function open(node, server) {
    const client = await MeasuredSession.open(node, tally, server);
    ids.push(client.session.id);
    return client;
  }

  const isQuiet = async () => {
    const values = await prometheus.query(`{__name__=~"${GAUGES.join('|')}"} != 0`);
    return values.map(({ labels, value }) => `${labels.__name__} ${value}`);
  };

  test('have nothing at the beginning, and say so as promtool wants it', async () => {
    await assertSum('up', 3);
    assert.deepEqual(await isQuiet(), []);
    assert.deepEqual(await operations('server'), {});
    await assertSum('troupe_nodes{state="up"}', 6);
    await assertSum('troupe_nodes{state="draining"}', 0);
    await assertSum('troupe_unready', 0);
    await assertValue('count(troupe_unready{what="cluster"})', 3);
    const busy = 'max by (instance) (troupe_io_thread_cpu_seconds_total)';
    await assertValue(`count((${busy}) > 0 < 60)`, 3);
    for (const node of nodes) assert.equal(await complaintsOf(await scraped(node)), '', node.name);
  });

  test('count what clients of all kinds do, each request once', async () => {
    const sessions = await Promise.all(nodes.map((node) => open(node)));
    for (const client of sessions)
      for (const node of nodes) {
        await client.call('add', { a: 1, b: 2 }, { node });
        await client.call('fail', {}, { node, error: 'tool_error' });
      }
    const [one] = sessions;
    await one.ask('tools/list');
    await one.ask('ping', {}, { server: '' });
    await one.ask('no/such', {}, { error: -32601, measured: 'other' });
    const streams = await Promise.all([one.session.listen(), one.session.listen()]);
    const slow = { steps: 10_000, delay_ms: 60_000 };
    await one.cancelled('slow', slow, async () => (await debugState(nodes[0])).calls === 1);
    const merged = await open(nodes[1], 'merged');
    await merged.call('example__add', { a: 1, b: 2 }, { node: nodes[2], server: 'example' });
    // A call that waits for its server is counted without the server's name.
    const isReady = ({ name, state }) => name === 'modern' && state === 'ready';
    await until('the server is ready', async () => (await debugState(nodes[1])).servers.some(isReady));
    await merged.call('modern__echo', { message: 'x' }, { server: 'modern' });
    await merged.call('neither__this', {}, { error: -32602, measured: 'other', server: '' });
    const sse = await sseClient(nodes[2], tally);
    ids.push(sse.id);
    const callers = [];
    for (const of of ['modern', 'example']) callers.push(await modernClient(nodes[0], tally, of));
    const listening = await callers[0].listen({ toolsListChanged: true });
    await refusedClient(nodes[0]);

    await assertOperations('server', tally.rows);
    await assertSum('troupe_sessions{transport="streamable_http"}', 4);
    await assertSum('troupe_sessions{transport="http_sse"}', 1);
    await assertSum('troupe_streams{role="primary"}', 2, 'the streams of a session, and of HTTP+SSE');
    await assertSum('troupe_streams{role="shadow"}', 1);
    await assertSum('troupe_streams{role="listen"}', 1);
    await assertSum('troupe_calls_in_flight', 0);
    await assertSum('troupe_connections', 4, 'the connections are the streams');
    const reasons = async () => (await prometheus.query('sum by (reason) (troupe_refused_total)'))
      .map(({ labels, value }) => [labels.reason, value]).toSorted();
    await assertSoon(reasons, [['bad_request', 1], ['not_found', 1]], 'why was refused');
    for (const stream of [...streams, listening]) stream.destroy();
    tally.add('subscriptions/listen', { server: '', error: 'cancelled' });
    sse.close();
    for (const client of [...sessions, merged]) await client.end();
  });

  test('count clients that are refused before a request of theirs is read', async () => {
    const client = rawConnection(nodes[1].port, 'no request at all\r\n\r\n');
    await until('it is refused', () => client.closed);
    assert.match(client.received, /^HTTP\/1.1 400 /);
    await prometheus.caughtUp();
    const refused = async () => (await prometheus.query('troupe_connections_refused_total > 0'))
      .map(({ labels: { reason }, value }) => [reason, value]);
    await assertSoon(refused, [['unreadable', 1]], 'why connections were refused');
  });

  test('count what of it went to servers, by the names that these know', async () => {
    const seen = new Tally();
    seen.add('tools/call', { tool: 'add', count: 9 + 1 + 3 + 5 });
    seen.add('tools/call', { tool: 'fail', error: 'tool_error', count: 9 + 1 });
    seen.add('tools/call', { tool: 'other', error: 'cancelled' });
    seen.add('tools/call', { tool: 'echo', server: 'modern', count: 5 + 1 });
    await assertOperations('client', seen.rows, '{mcp_method_name="tools/call"}');
  });

  test('tell of a server that crashes, and whether it is there again', async () => {
    const [one, other] = [await open(nodes[0]), await open(nodes[1], 'fragile')];
    const crashed = { error: -32603, type: 'server_lost', measured: 'other' };
    for (const client of [one, other]) await client.call('crash', {}, crashed);
    await one.call('add', { a: 1, b: 2 });
    await one.end();
    await until('the session has ended', async () => (await other.session.ping()).status === 404);
    await assertOperations('server', tally.rows);
    const restarts = async () => (await prometheus.query('sum by (server) (troupe_server_restarts_total)'))
      .map(({ labels, value }) => [labels.server, value]);
    await assertSoon(restarts, [['example', 1]], 'what was started again');
    await assertOperations('client', {
      'tools/call | other | example | server_lost': 1,
      'tools/call | other | fragile | server_lost': 1,
    }, '{mcp_method_name="tools/call", error_type=~"server_lost|-32603"}');
  });

  test('have one name for all tools that nobody offers, and no label that a client chose', async () => {
    const client = await open(nodes[0]);
    for (const name of madeUp) await client.call(name, {}, { error: -32602, measured: 'other' });
    await client.ask(`method-${madeUp[0]}`, {}, { error: -32601, measured: 'other' });
    await assertOperations('server', tally.rows);
    await client.end();
    const families = metricFamilies();
    for (const node of nodes) {
      const text = await scraped(node);
      for (const told of [...ids, ...madeUp, '://', TOKEN]) assert.ok(!text.includes(told), `${node.name}: ${told}`);
      for (const [, name, type] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm))
        assert.equal(families.get(name)?.type, type, name);
      for (const [, name, labels] of text.matchAll(/^(\w+)\{(.*)\} \S+$/gm)) {
        const known = families.get(name) ?? families.get(name.replace(/_(bucket|sum|count)$/, ''));
        const of = [...labels.matchAll(/(\w+)="[^"]*"/g)].map(([, label]) => label).filter((label) => label !== 'le');
        assert.deepEqual(of.filter((label) => !known.labels.includes(label)), [], name);
      }
      assert.equal(await complaintsOf(text), '', node.name);
    }
  });

  test('have nothing when the clients have gone', async () => {
    let left;
    await prometheus.caughtUp();
    await until('all is zero', async () => (left = await isQuiet()).length === 0).catch((error) => {
      throw new Error(`${error.message}: ${left.join(', ')}`);
    });
    for (const gauge of ['troupe_sessions', 'troupe_leases', 'troupe_streams', 'troupe_server_processes'])
      await assertSum(gauge, 0);
    const begun = 'mcp_server_operation_duration_seconds_count{mcp_method_name="initialize"}';
    const sumOf = (query) => prometheus.value(`sum(${query})`);
    const living = async (all, ended) => (await sumOf(all)) - (await sumOf(ended));
    await assertSoon(() => living(begun, 'mcp_server_session_duration_seconds_count'), 0, 'all sessions have ended');
    const started = 'troupe_server_starts_total';
    await assertSoon(() => living(started, 'mcp_client_session_duration_seconds_count'), 0, 'all processes have ended');
  });

  test('are asked by the dashboard and the alerts for what Prometheus can answer', async () => {
    const { panels } = JSON.parse(readDeployed('prometheus/dashboard.json'));
    const shown = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })));
    for (const { title, expr } of shown) {
      const query = expr.replace(/\$(__rate_interval|__range)\b/g, '5m').replace(/\$\w+/g, '.*');
      await assert.doesNotReject(prometheus.query(query), title);
    }
    const rules = await until('all alerts were looked at', async () => {
      const all = (await prometheus.ask('rules')).groups.flatMap(({ rules }) => rules);
      return all.every(({ health }) => health !== 'unknown') && all;
    });
    const written = parse(readDeployed('prometheus/alerts.yml')).groups.flatMap((group) => group.rules);
    assert.deepEqual(rules.map(({ name }) => name).toSorted(), written.map(({ alert }) => alert).toSorted());
    assert.deepEqual(rules.filter(({ health }) => health !== 'ok'), []);
    assert.deepEqual(rules.filter(({ state }) => state === 'firing').map(({ name }) => name), []);
  });

  test('are missed when they are gone: the alert says which', async () => {
    const [, , gone] = nodes;
    const instance = new URL(adminOf(gone)).host;
    await gone.stop();
    // On a busy machine, Prometheus may miss another node for a moment.
    const told = await until('the alert is there', async () => {
      const { alerts } = await prometheus.ask('alerts');
      return alerts.find(({ labels }) => labels.alertname === 'TroupeNodeDown' && labels.instance === instance);
    });
    assert.equal(told.annotations.summary, `Troupe at ${instance} cannot be scraped`);
    await assertSum('up', 2);
  });
});
