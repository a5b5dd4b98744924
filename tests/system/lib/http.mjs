import http from 'node:http';
import net from 'node:net';
import { until, within } from './until.mjs';

function parseEvent(block) {
  const event = {};
  for (const line of block.split(/\r\n|\r|\n/)) {
    const [, field, value] = /^([^:]*):? ?(.*)$/s.exec(line);
    if (field) event[field] = field in event ? `${event[field]}\n${value}` : value;
  }
  return event;
}

// The complete events in a part of a stream, and the length of the incomplete rest. Comments are skipped.
function parseEvents(text) {
  const blocks = text.split(/\r\n\r\n|\n\n|\r\r/);
  const rest = blocks.pop().length;
  return { events: blocks.map(parseEvent).filter((event) => Object.keys(event).length > 0), rest };
}

// An answer whose head has arrived. The body arrives later.
class Reply {
  received = '';
  ended = false;
  // Set when the body is complete.
  isWhole = false;
  // Cached, because tests look repeatedly.
  #events = [];
  #messages = [];
  #readTo = 0;
  #toldTo = 0;

  constructor(outgoing, incoming) {
    this.status = incoming.statusCode;
    this.headers = incoming.headers;
    this.socket = outgoing.socket;
    incoming.setEncoding('utf8').on('data', (chunk) => (this.received += chunk));
    incoming.on('error', () => {});
    this.done = new Promise((resolve) => incoming.on('close', resolve)).then(() => {
      this.ended = true;
      this.isWhole = incoming.complete;
    });
  }

  get isStream() {
    return this.headers['content-type']?.startsWith('text/event-stream') ?? false;
  }

  #read() {
    const { events, rest } = parseEvents(this.received.slice(this.#readTo));
    for (const event of events) this.#events.push(event);
    this.#readTo = this.received.length - rest;
  }

  get events() {
    this.#read();
    return [...this.#events];
  }

  get messages() {
    if (this.isStream) {
      this.#read();
      for (; this.#toldTo < this.#events.length; ++this.#toldTo) {
        const { data } = this.#events[this.#toldTo];
        if (data) this.#messages.push(JSON.parse(data));
      }
      return [...this.#messages];
    }
    return this.received ? [JSON.parse(this.received)].flat() : [];
  }

  async all() {
    await this.done;
    return this.messages;
  }

  async message(what, matches, limit) {
    return until(what, () => this.messages.find(matches), limit);
  }

  // Closes the connection immediately.
  destroy() {
    this.socket.destroy();
  }
}

// Sends a request on a new connection; resolves with the head of the answer.
export function request(url, { method = 'GET', headers = {}, body, agent = false } = {}) {
  return new Promise((resolve, reject) => {
    const outgoing = http.request(url, { method, headers, agent });
    outgoing.on('response', (incoming) => resolve(new Reply(outgoing, incoming)));
    outgoing.on('error', (error) => reject(Object.assign(error, { wasKept: outgoing.reusedSocket })));
    outgoing.end(body);
  });
}

// The reply to a request, once its body is complete. A head or an end that does not come in time fails by its name.
export async function complete(what, asked, limit) {
  const reply = await within(`the head of ${what}`, asked, limit);
  await within(`the end of ${what}, whose head has come`, reply.done, limit);
  return reply;
}

// The complete answer to a request, without its date.
export async function whole(asked) {
  const reply = await asked;
  if (reply.isStream) reply.destroy();
  await reply.done;
  const { date, ...headers } = reply.headers;
  return { status: reply.status, headers, body: reply.received };
}

// Writes raw bytes, and collects the answer.
export function rawConnection(port, bytes = '') {
  const socket = net.connect(port, '127.0.0.1');
  const connection = { socket, received: '', closed: false };
  socket.setEncoding('utf8').on('data', (chunk) => (connection.received += chunk));
  socket.on('error', () => {});
  socket.on('close', () => (connection.closed = true));
  socket.write(bytes);
  return connection;
}

export function refusesConnections(port) {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    socket.on('error', ({ code }) => resolve(code === 'ECONNREFUSED'));
    socket.on('connect', () => {
      socket.destroy();
      resolve(false);
    });
  });
}
