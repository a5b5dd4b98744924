// An OpenTelemetry collector that decodes requests with OpenTelemetry's own code.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import { createRequire } from 'node:module';
import { text } from 'node:stream/consumers';
import { until } from './until.mjs';

const { opentelemetry } = createRequire(import.meta.url)('@opentelemetry/otlp-transformer/build/src/generated/root.js');
const Request = opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;

const IDS = ['traceId', 'spanId', 'parentSpanId'];

// The JSON of OTLP is that of Protocol Buffers, except that ids are hexadecimal instead of Base64.
const withIds = (request, change) => ({
  ...request,
  resourceSpans: request.resourceSpans.map((resource) => ({
    ...resource,
    scopeSpans: resource.scopeSpans.map((scope) => ({
      ...scope,
      spans: scope.spans.map((span) => {
        const ids = IDS.filter((id) => span[id] !== undefined).map((id) => [id, change(span[id])]);
        return { ...span, ...Object.fromEntries(ids) };
      }),
    })),
  })),
});

// The request after encoding and decoding, which drops unknown fields.
function decoded(body) {
  const told = JSON.parse(body);
  const message = Request.fromObject(withIds(told, (id) => Buffer.from(id, 'hex')));
  assert.equal(Request.verify(message), null);
  const read = Request.toObject(Request.decode(Request.encode(message).finish()), { longs: String, json: true });
  const result = withIds(read, (id) => Buffer.from(id).toString('hex'));
  assert.deepEqual(result, told);
  return result;
}

const valueOf = ({ stringValue, intValue }) => stringValue ?? Number(intValue);
const named = (attributes) => Object.fromEntries(attributes.map(({ key, value }) => [key, valueOf(value)]));

const spansIn = ({ resourceSpans }) =>
  resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ scope, spans }) =>
      spans.map(({ attributes, ...span }) => ({
        ...span, attributes: named(attributes), resource: named(resource.attributes), scope,
      })),
    ),
  );

class Collector {
  requests = [];
  spans = [];

  // `answer` returns the status and fields for a request, or nothing for no answer.
  constructor(answer) {
    this.answer = answer;
    this.listener = http.createServer((request, response) => void this.#take(request, response));
  }

  get origin() {
    return `http://127.0.0.1:${this.listener.address().port}`;
  }

  async #take(request, response) {
    const body = await text(request);
    this.requests.push({ path: request.url, headers: request.headers, body });
    const how = await this.answer(this.requests.length);
    if (!how) return;
    const { status = 200, headers = {}, said = {} } = how;
    if (status === 200) this.spans.push(...spansIn(decoded(body)));
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(said));
  }

  // The received spans of a trace, once there are so many, of that method if given.
  spansOf(trace, count, method = undefined) {
    const isOf = ({ attributes }) => !method || attributes['mcp.method.name'] === method;
    const those = () => this.spans.filter((span) => span.traceId === trace && isOf(span));
    return until(`${count} spans of ${trace}`, () => those().length >= count && those());
  }
}

// The collector lives as long as the test.
export async function startCollector(t, answer = () => ({})) {
  const collector = new Collector(answer);
  await once(collector.listener.listen(0, '127.0.0.1'), 'listening');
  t.after(() => {
    collector.listener.close();
    collector.listener.closeAllConnections();
  });
  return collector;
}

// The trace context of a client.
export class Trace {
  id = randomBytes(16).toString('hex');
  span = randomBytes(8).toString('hex');

  parent(flags = '01') {
    return `00-${this.id}-${this.span}-${flags}`;
  }
}

// The parts of a `traceparent`.
export function partsOf(traceparent) {
  const [, trace, span, flags] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(traceparent) ?? [];
  assert.ok(trace, traceparent);
  return { trace, span, flags };
}

// The only span of that kind, service and method.
export function spanOf(spans, service, kind, method) {
  const isIt = (span) =>
    span.resource['service.name'] === service && span.kind === kind && span.attributes['mcp.method.name'] === method;
  const found = spans.filter(isIt);
  assert.equal(found.length, 1, JSON.stringify(spans, null, 1));
  return found[0];
}

export const SERVER = 2;
export const CLIENT = 3;
