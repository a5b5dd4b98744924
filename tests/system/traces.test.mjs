// Traces: the client's trace context is passed to servers, and spans go to a collector, which may misbehave.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from './lib/concurrently.mjs';
import { at, startCluster } from './lib/cluster.mjs';
import { gatewayWith } from './lib/config.mjs';
import { exampleServer, PROGRAM, serveBy, serving } from './lib/gateway.mjs';
import { Caller } from './lib/modern.mjs';
import { adminOf, ANY_PORT } from './lib/operator.mjs';
import { heardBy, recordedCommand } from './lib/recorded-input.mjs';
import { scratch } from './lib/scratch.mjs';
import { openSession, toolCall } from './lib/session.mjs';
import { CLIENT, partsOf, SERVER, spanOf, startCollector, Trace } from './lib/traces.mjs';
import { until } from './lib/until.mjs';

const EXAMPLE = basename(PROGRAM);
const QUICK = { OTEL_BSP_SCHEDULE_DELAY: '50' };

const assignments = (variables) => Object.entries(variables).map(([name, value]) => `${name}=${value}`);

// A gateway with these variables, for one test.
async function gatewayIn(t, variables, ...args) {
  const gateway = await serveBy(['env', ...assignments(variables), ...serving(...args)]);
  t.after(() => gateway.stop());
  return gateway;
}

const tracing = (collector, more = {}) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.origin, ...QUICK, ...more });

// The example server, with its input recorded.
function heardServer() {
  const journal = join(scratch(), 'journal');
  const calls = () => heardBy(journal).filter(({ method }) => method === 'tools/call');
  return { command: recordedCommand(journal, exampleServer), calls };
}

const ECHO = { name: 'echo', arguments: { message: 'x' } };
const callWith = (id, meta) => ({ ...toolCall(id, 'echo'), params: { ...ECHO, _meta: meta } });
const metaOf = ({ params }) => params._meta ?? {};

async function numbersOf(gateway) {
  const { body } = await adminOf(gateway).ask('/metrics');
  const number = (name) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(body)?.[1] ?? 0);
  return { exported: number('troupe_spans_exported_total'), dropped: number('troupe_spans_dropped_total') };
}

// -- one trace --------------------------------------------------------------------------------------------------------

// A client, a gateway, a second gateway as its remote server, and a stdio server behind that.
async function startChain(t) {
  const collector = await startCollector(t);
  const server = heardServer();
  const named = (name) => tracing(collector, { OTEL_SERVICE_NAME: name });
  const far = await gatewayIn(t, named('far'), '--', ...server.command);
  const file = join(scratch(), 'mcp.json');
  writeFileSync(file, JSON.stringify({ mcpServers: { far: { url: far.url } } }));
  const near = await gatewayIn(t, named('near'), '--config', file);
  return { collector, server, near, far };
}

async function assertOneTrace({ collector, server }, trace, parent) {
  const spans = await collector.spansOf(trace.id, 4, 'tools/call');
  const [asked, passed] = [SERVER, CLIENT].map((kind) => spanOf(spans, 'near', kind, 'tools/call'));
  const [heard, told] = [SERVER, CLIENT].map((kind) => spanOf(spans, 'far', kind, 'tools/call'));
  assert.deepEqual(
    [asked, passed, heard, told].map(({ parentSpanId }) => parentSpanId),
    [parent, asked.spanId, passed.spanId, heard.spanId],
  );
  assert.equal(new Set(spans.map(({ spanId }) => spanId)).size, spans.length);
  const meta = metaOf(server.calls().at(-1));
  assert.deepEqual(partsOf(meta.traceparent), { trace: trace.id, span: told.spanId, flags: '01' });
  for (const span of spans) {
    assert.ok(BigInt(span.startTimeUnixNano) <= BigInt(span.endTimeUnixNano));
    assert.ok(Math.abs(Number(BigInt(span.endTimeUnixNano) / 1_000_000n) - Date.now()) < 60_000);
  }
  return { asked, passed, heard, told, meta };
}

test('a call is one trace from the header of the client to the last server', async (t) => {
  const chain = await startChain(t);
  const trace = new Trace();
  const session = await openSession(chain.near.url);
  const headers = { traceparent: trace.parent(), tracestate: 'vendor=1,other=2', baggage: 'user=somebody' };
  const [answer] = await (await session.post(toolCall(1, 'echo', { message: 'swordfish' }), headers)).all();
  assert.equal(answer.result.content[0].text, 'swordfish');
  const { asked, passed, meta } = await assertOneTrace(chain, trace, trace.span);
  assert.equal(meta.tracestate, headers.tracestate);
  assert.equal(meta.baggage, headers.baggage);
  assert.equal(asked.name, 'tools/call echo');
  assert.equal(asked.traceState, headers.tracestate);
  assert.equal(asked.scope.name, 'troupe');
  assert.ok(asked.resource['service.version']);
  const { 'mcp.session.id': id, 'troupe.server': server, ...rest } = asked.attributes;
  assert.ok(session.id.startsWith(id.replace('…', '')) && id.length < session.id.length, id);
  assert.ok(server);
  assert.deepEqual(rest, {
    'mcp.method.name': 'tools/call',
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'echo',
    'jsonrpc.request.id': '1',
    'mcp.protocol.version': session.version,
    'network.transport': 'tcp',
    'client.address': '127.0.0.1',
  });
  assert.equal(passed.attributes['server.address'], '127.0.0.1');
  assert.equal(passed.attributes['server.port'], chain.far.port);
  for (const { body } of chain.collector.requests) assert.ok(!body.includes('swordfish') && !body.includes(session.id));
});

test('a call is one trace from the parameters of the client, whatever its header says', async (t) => {
  const chain = await startChain(t);
  const trace = new Trace();
  const session = await openSession(chain.near.url);
  const meta = { traceparent: trace.parent(), tracestate: 'vendor=1', baggage: 'user=somebody', other: { a: 1 } };
  await (await session.post(callWith('one', meta), { traceparent: new Trace().parent(), tracestate: 'x=1' })).all();
  const { asked, meta: told } = await assertOneTrace(chain, trace, trace.span);
  assert.equal(asked.attributes['jsonrpc.request.id'], 'one');
  assert.deepEqual([told.tracestate, told.baggage, told.other], ['vendor=1', 'user=somebody', { a: 1 }]);
});

test('a call without a session is one trace', async (t) => {
  const chain = await startChain(t);
  const caller = new Caller(chain.near.url);
  for (const inMeta of [true, false]) {
    const trace = new Trace();
    const said = { traceparent: trace.parent() };
    const asker = inMeta ? caller : caller.as({ headers: said });
    await asker.ask('tools/call', ECHO, inMeta ? said : {});
    const { asked, passed } = await assertOneTrace(chain, trace, trace.span);
    assert.equal(asked.attributes['mcp.session.id'], undefined);
    assert.equal(asked.attributes['mcp.protocol.version'], '2026-07-28');
    assert.equal(passed.name, 'tools/call echo');
  }
});

test('a client without a trace begins one', async (t) => {
  const { collector, server, near } = await startChain(t);
  const session = await openSession(near.url);
  await session.call(1, 'echo', { message: 'x' });
  const { trace } = partsOf(metaOf(server.calls()[0]).traceparent);
  const spans = await collector.spansOf(trace, 4, 'tools/call');
  assert.equal(spanOf(spans, 'near', SERVER, 'tools/call').parentSpanId, undefined);
});

// -- contents of spans ------------------------------------------------------------------------------------------------

test('spans tell how a call failed', async (t) => {
  const collector = await startCollector(t);
  const gateway = await gatewayIn(t, tracing(collector), '--', ...exampleServer);
  const session = await openSession(gateway.url);
  const trace = new Trace();
  await (await session.post(toolCall(1, 'no-such-tool'), { traceparent: trace.parent() })).all();
  const spans = await collector.spansOf(trace.id, 2);
  for (const { status, attributes } of spans) {
    assert.equal(status.code, 2);
    assert.equal(attributes['error.type'], '-32602');
    assert.equal(attributes['rpc.response.status_code'], '-32602');
  }
});

test('where servers are merged, what is asked of each is a part of what the client asks', async (t) => {
  const collector = await startCollector(t);
  const [command, ...args] = exampleServer;
  const mcpServers = { one: { command, args }, two: { command, args } };
  const gateway = await gatewayWith(t, {
    mcpServers, gateway: { traces: { endpoint: `${collector.origin}/v1/traces`, serviceName: 'merging' } },
  });
  const session = await openSession(gateway.url);
  const trace = new Trace();
  await (await session.post({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, { traceparent: trace.parent() })).all();
  await gateway.stop();
  const spans = await collector.spansOf(trace.id, 3);
  const asked = spanOf(spans, 'merging', SERVER, 'tools/list');
  const lists = spans.filter(({ kind, name }) => kind === CLIENT && name === 'tools/list');
  assert.deepEqual(lists.map(({ attributes }) => attributes['troupe.server']).toSorted(), ['one', 'two']);
  for (const { parentSpanId } of lists) assert.equal(parentSpanId, asked.spanId);
});

test('the access log names the trace, sampled or not', async (t) => {
  const collector = await startCollector(t);
  const file = join(scratch(), 'access.log');
  const gateway = await gatewayIn(t, tracing(collector), '--access-log', file, '--', ...exampleServer);
  const session = await openSession(gateway.url);
  for (const flags of ['01', '00']) {
    const trace = new Trace();
    await (await session.ping()).all();
    await (await session.post(toolCall(1, 'echo', { message: 'x' }), { traceparent: trace.parent(flags) })).all();
    await until('its line', () => readFileSync(file, 'utf8').includes(`"trace_id":"${trace.id}"`));
  }
});

test('a call that another node answers is a part of the trace that its client is in', async (t) => {
  const collector = await startCollector(t);
  const config = { endpoint: `${collector.origin}/v1/traces` };
  const [command, ...args] = exampleServer;
  const cluster = await startCluster(t, {
    nodes: 2, config: { mcpServers: { example: { command, args } }, gateway: { traces: config } },
  });
  const [one, two] = cluster.nodes;
  const session = await openSession(one.at('/mcp'));
  const trace = new Trace();
  await (await at(two, session).post(toolCall(7, 'echo', { message: 'x' }), { traceparent: trace.parent() })).all();
  const spans = await collector.spansOf(trace.id, 2);
  const asked = spanOf(spans, 'troupe', SERVER, 'tools/call');
  assert.equal(asked.parentSpanId, trace.span);
  assert.equal(spanOf(spans, 'troupe', CLIENT, 'tools/call').parentSpanId, asked.spanId);
});

// -- sampling ---------------------------------------------------------------------------------------------------------

test('what is not sampled has no spans, and goes on as what it is', async (t) => {
  const collector = await startCollector(t);
  const server = heardServer();
  const gateway = await gatewayIn(t, tracing(collector), '--', ...server.command);
  const session = await openSession(gateway.url);
  const [inHeader, inMeta, last] = [new Trace(), new Trace(), new Trace()];
  await (await session.post(toolCall(1, 'echo', { message: 'x' }), { traceparent: inHeader.parent('00') })).all();
  await (await session.post(callWith(2, { traceparent: inMeta.parent('00') }))).all();
  await (await session.post(toolCall(3, 'echo', { message: 'x' }), { traceparent: last.parent() })).all();
  await collector.spansOf(last.id, 2);
  const [first, second] = server.calls().map(metaOf);
  assert.equal(first.traceparent, inHeader.parent('00'));
  assert.equal(second.traceparent, inMeta.parent('00'));
  const seen = new Set(collector.spans.map(({ traceId }) => traceId));
  assert.ok(!seen.has(inHeader.id) && !seen.has(inMeta.id));
});

test('a sampler decides about traces that begin here, and one that follows nobody about all', async (t) => {
  const collector = await startCollector(t);
  const sampled = async (sampler, arg, flags) => {
    const server = heardServer();
    const variables = { OTEL_TRACES_SAMPLER: sampler, ...(arg && { OTEL_TRACES_SAMPLER_ARG: arg }) };
    const gateway = await gatewayIn(t, tracing(collector, variables), '--', ...server.command);
    const session = await openSession(gateway.url);
    const headers = flags ? { traceparent: new Trace().parent(flags) } : {};
    await (await session.post(toolCall(1, 'echo', { message: 'x' }), headers)).all();
    return partsOf(metaOf(server.calls()[0]).traceparent).flags === '01';
  };
  const cases = [
    ['always_on', '', '00', true],
    ['always_off', '', '01', false],
    ['traceidratio', '0', '01', false],
    ['traceidratio', '1', '00', true],
    ['parentbased_always_off', '', '01', true],
    ['parentbased_always_off', '', '', false],
    ['parentbased_traceidratio', '0', '', false],
    ['parentbased_traceidratio', '1', '', true],
    ['parentbased_traceidratio', '1', '00', false],
  ];
  for (const [sampler, arg, flags, wanted] of cases)
    assert.equal(await sampled(sampler, arg, flags), wanted, `${sampler} ${arg} ${flags}`);
});

test('without a collector a request goes on as it came', async (t) => {
  for (const off of [{}, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_SDK_DISABLED: 'true' }]) {
    const server = heardServer();
    const gateway = await gatewayIn(t, off, '--', ...server.command);
    const session = await openSession(gateway.url);
    const meta = { traceparent: new Trace().parent(), tracestate: 'vendor=1' };
    await (await session.post(callWith(1, meta))).all();
    await (await session.post(toolCall(2, 'echo', { message: 'x' }), { traceparent: meta.traceparent })).all();
    assert.deepEqual(server.calls().map(metaOf), [meta, {}]);
  }
});

// -- the collector ----------------------------------------------------------------------------------------------------

const callsOf = async (session, count) => {
  for (let id = 1; id <= count; ++id)
    assert.equal((await session.call(id, 'echo', { message: 'x' })).result.content[0].text, 'x');
};

test('what a collector gets is what the variables say', async (t) => {
  const collector = await startCollector(t);
  const gateway = await gatewayIn(
    t,
    {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.origin}/a/path?x=1`,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-key=none',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-key=a%20key, x-tenant=b',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,deployment.environment.name=te%73t',
      OTEL_SERVICE_NAME: 'named',
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '2',
      OTEL_BSP_SCHEDULE_DELAY: '60000',
    },
    '--', ...exampleServer,
  );
  const session = await openSession(gateway.url);
  await callsOf(session, 2);
  await until('two requests', () => collector.requests.length >= 2);
  const [{ path, headers }] = collector.requests;
  assert.equal(path, '/a/path?x=1');
  assert.equal(headers['x-key'], 'a key');
  assert.equal(headers['x-tenant'], 'b');
  assert.equal(headers['content-type'], 'application/json');
  const { 'service.version': version, ...resource } = collector.spans[0].resource;
  assert.deepEqual(resource, { 'service.name': 'named', 'deployment.environment.name': 'test' });
  assert.equal(scopeVersion(collector), version);
  assert.ok(gateway.log.some((line) => line.includes('OTEL_EXPORTER_OTLP_PROTOCOL is http/protobuf')));
});

const scopeVersion = ({ spans }) => spans[0].scope.version;

test('the last spans are sent when the gateway stops', async (t) => {
  const collector = await startCollector(t);
  const gateway = await gatewayIn(
    t, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.origin, OTEL_BSP_SCHEDULE_DELAY: '60000' }, '--', ...exampleServer);
  const session = await openSession(gateway.url);
  await callsOf(session, 3);
  assert.equal(collector.spans.length, 0);
  await gateway.stop();
  const echoes = () => collector.spans.filter(({ name }) => name === 'tools/call echo').length;
  await until('they have come', () => echoes() >= 6);
  assert.equal(echoes(), 6);
});

test('a collector that is busy is asked again, when it says', async (t) => {
  const collector = await startCollector(t, (count) =>
    count === 1 ? { status: 503, headers: { 'retry-after': '1' } } : {});
  const gateway = await gatewayIn(t, tracing(collector), ...ANY_PORT, '--', ...exampleServer);
  const session = await openSession(gateway.url);
  await callsOf(session, 3);
  await until('spans are exported', async () => (await numbersOf(gateway)).exported >= 8);
  assert.equal(collector.requests[0].body, collector.requests[1].body);
  assert.equal((await numbersOf(gateway)).dropped, 0);
});

test('spans that a collector rejects are counted as dropped', async (t) => {
  const said = { partialSuccess: { rejectedSpans: '1', errorMessage: 'no' } };
  const collector = await startCollector(t, () => ({ said }));
  const gateway = await gatewayIn(t, tracing(collector), ...ANY_PORT, '--', ...exampleServer);
  await callsOf(await openSession(gateway.url), 1);
  await until('one is dropped', async () => (await numbersOf(gateway)).dropped > 0);
});

// Asserts that calls continue, and that the number of stored spans is limited.
async function assertGoesOn(t, answer, endpoint = undefined) {
  const collector = await startCollector(t, answer);
  const small = { OTEL_BSP_MAX_QUEUE_SIZE: '10', OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '5', OTEL_BSP_EXPORT_TIMEOUT: '1500' };
  const variables = tracing(collector, { ...small, ...(endpoint && { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }) });
  const gateway = await gatewayIn(t, variables, ...ANY_PORT, '--', ...exampleServer);
  await callsOf(await openSession(gateway.url), 50);
  const began = 2 * 51; // including those of `initialize`
  await until('all but what may wait is dropped', async () => (await numbersOf(gateway)).dropped >= began - 15);
  assert.equal((await numbersOf(gateway)).exported, 0);
  assert.ok(gateway.log.filter((line) => line.includes('spans could not be exported')).length <= 1);
  const stopped = Date.now();
  await gateway.stop();
  assert.ok(Date.now() - stopped < 20_000, 'nobody waits for the collector for long');
}

test('calls go on when no collector is there', (t) => assertGoesOn(t, () => ({}), 'http://127.0.0.1:1'));
test('calls go on when a collector is busy', (t) => assertGoesOn(t, () => ({ status: 503 })));
test('calls go on when a collector refuses', (t) => assertGoesOn(t, () => ({ status: 401 })));
test('calls go on when a collector does not answer', (t) => assertGoesOn(t, () => undefined));
