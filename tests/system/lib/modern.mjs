// Stateless requests (2026-07-28) written by hand. Each repeats in its parameters and header fields what a
// session-based client sends once.
import assert from 'node:assert/strict';
import { fixture, startGateway } from './gateway.mjs';
import { freePort } from './ports.mjs';
import { post } from './session.mjs';
import { RemoteServer } from './via.mjs';

export const MODERN = '2026-07-28';
export const key = (name) => `io.modelcontextprotocol/${name}`;
export const SUBSCRIPTION = key('subscriptionId');
export const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';
export const ALL = { sampling: {}, elicitation: { form: {}, url: {} }, roots: {} };

export const envelope = (capabilities = {}) => ({
  [key('protocolVersion')]: MODERN,
  [key('clientCapabilities')]: capabilities,
  [key('clientInfo')]: { name: 'by-hand', version: '1' },
});

const NAMED = {
  'tools/call': 'name', 'prompts/get': 'name', 'resources/read': 'uri',
  'tasks/get': 'taskId', 'tasks/update': 'taskId', 'tasks/cancel': 'taskId',
};

// The header fields that a message requires.
export function fieldsOf({ method, params }) {
  const name = params?.[NAMED[method]];
  return { 'mcp-protocol-version': MODERN, 'mcp-method': method, ...(name !== undefined && { 'mcp-name': name }) };
}

export const modernRequest = (id, method, params = {}, meta = envelope()) => ({
  jsonrpc: '2.0',
  id,
  method,
  params: { ...params, _meta: meta },
});

export const textOf = ({ result, error }) => {
  assert.ok(result?.content, JSON.stringify(error ?? result));
  return result.content[0].text;
};

// A stateless client. `can` are its capabilities, `headers` its extra header fields.
export class Caller {
  #next = 0;

  constructor(url, { can = {}, headers = {} } = {}) {
    Object.assign(this, { url, can, headers });
  }

  // A copy of the client with some properties changed.
  as(how) {
    return new Caller(this.url, { can: this.can, headers: this.headers, ...how });
  }

  post(message, headers = {}) {
    return post(this.url, message, { ...fieldsOf(message), ...this.headers, ...headers });
  }

  // Resolves with the head of the answer. `meta` are additional members of the parameters.
  begin(method, params = {}, meta = {}, id = `${method} ${++this.#next}`) {
    return this.post(modernRequest(id, method, params, { ...envelope(this.can), ...meta }));
  }

  beginCall(name, args = {}, meta = {}) {
    return this.begin('tools/call', { name, arguments: args }, meta);
  }

  // Resolves with the last message of the answer.
  async ask(method, params, meta) {
    return (await (await this.begin(method, params, meta)).all()).at(-1);
  }

  call(name, args = {}, meta = {}) {
    return this.ask('tools/call', { name, arguments: args }, meta);
  }

  // Opens a stream of notifications, and waits for the first one.
  async listen(notifications, id = `listen ${++this.#next}`) {
    const stream = await this.begin('subscriptions/listen', { notifications }, {}, id);
    assert.equal(stream.status, 200, stream.received);
    await stream.message('the acknowledgement', ({ method }) => method === ACKNOWLEDGED);
    return stream;
  }
}

// -- questions --------------------------------------------------------------------------------------------------------

export function assertAsked(message, ...methods) {
  const { result } = message;
  assert.equal(result?.resultType, 'input_required', JSON.stringify(message));
  const asked = Object.values(result.inputRequests ?? {}).map(({ method }) => method);
  assert.deepEqual(asked.toSorted(), methods.toSorted());
  assert.equal(typeof result.requestState, 'string');
  return result;
}

// The parameters of a retry, with an answer to each question.
export function answersTo({ inputRequests, requestState }, answer) {
  const told = Object.entries(inputRequests).map(([name, question]) => [name, answer(question)]);
  return { inputResponses: Object.fromEntries(told), requestState };
}

export const accepted = (content) => ({ action: 'accept', content });
export const said = (text) => ({ role: 'assistant', model: 'none', content: { type: 'text', text } });

// -- answering node ---------------------------------------------------------------------------------------------------

export const REFERENCE = process.env.TROUPE_REFERENCE === '1';

// The fixture `stdio` behind a gateway. With TROUPE_REFERENCE=1, the official SDK's server replaces the gateway, to
// verify the tests themselves.
export async function startModern(...flags) {
  if (!REFERENCE) return startGateway(fixture('stdio'), ...flags);
  const server = await startRemoteModern();
  return Object.assign(server, { at: (path) => new URL(path, server.url).href });
}

// The fixture without a gateway.
export async function startRemoteModern() {
  const port = await freePort();
  return new RemoteServer(fixture('modern-server', String(port)), port, '/mcp').listening();
}

export const ofTheGateway = REFERENCE && 'the official SDK does not do that';

// Asserts the status, the code and the id of a refusal.
export async function assertRefused(reply, status, code, id, what = '') {
  const told = `${what} ${reply.status} ${(await reply.done, reply.received)}`;
  assert.equal(reply.status, status, told);
  const [{ error, id: echoed }] = reply.messages;
  assert.equal(error?.code, code, told);
  assert.equal(echoed ?? undefined, id, told);
  return error;
}
