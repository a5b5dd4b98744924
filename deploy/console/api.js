// What operators ask the gateway.

import { node, written } from './place.js';

const KEY = 'troupe-operators-token';
export const PATIENCE_MS = 10_000;

// The gateway said no, and why.
export class Refused extends Error {
  constructor(status, why) {
    super(why);
    this.status = status;
  }
}
// It wants to see the token.
export class NeedsToken extends Error {}
// It does not answer, or cannot now.
export class Unreachable extends Error {}

// Kept as long as this tab, and sent in no URL.
const storage = { token: sessionStorage.getItem(KEY) ?? '' };
export const hasToken = () => storage.token !== '';
export function setToken(token) {
  storage.token = token;
  if (token) sessionStorage.setItem(KEY, token);
  else sessionStorage.removeItem(KEY);
}

function headers(more) {
  return storage.token ? { ...more, Authorization: `Bearer ${storage.token}` } : more;
}

async function reasonOf(reply) {
  const text = await reply.text().catch(() => '');
  try {
    return JSON.parse(text).error ?? text;
  } catch {
    return text || `status ${reply.status}`;
  }
}

async function fetched(url, options, patience = PATIENCE_MS) {
  const limit = patience ? [AbortSignal.timeout(patience)] : [];
  const signal = AbortSignal.any([...(options.signal ? [options.signal] : []), ...limit]);
  const { credentials, cache } = { credentials: 'omit', cache: 'no-store' };
  const reply = await fetch(url, { ...options, headers: headers(options.headers), credentials, cache, signal }).catch(
    (error) => {
      if (options.signal?.aborted) throw error;
      throw new Unreachable('The gateway does not answer.');
    },
  );
  if (reply.ok) return reply;
  const why = await reasonOf(reply);
  if (reply.status === 401) throw new NeedsToken(why);
  if (reply.status >= 500) throw new Unreachable(`The gateway cannot answer now: ${why}`);
  throw new Refused(reply.status, why);
}

function urlOf(path, params) {
  return `api/${path.map(encodeURIComponent).join('/')}${written({ node: node(), ...params })}`;
}

async function bodyOf(reply, signal) {
  try {
    return await reply.json();
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Unreachable('The gateway broke off its answer.');
  }
}

// `ask(['sessions', 7], {}, signal)`; parameters that are empty are not sent.
export async function ask(path, params = {}, signal = undefined) {
  return bodyOf(await fetched(urlOf(path, params), { signal }), signal);
}

// The same, of what changes something; `at` is the node that does it.
export async function tell(method, path, { body, at = node() } = {}) {
  const sent = body && { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } };
  return bodyOf(await fetched(urlOf(path, { node: at }), { method, ...sent }));
}

// The metrics' text, of the node that is asked.
export async function metricsText(signal) {
  const reply = await fetched('metrics', { signal });
  return reply.text().catch((error) => {
    if (signal?.aborted) throw error;
    throw new Unreachable('The gateway broke off its answer.');
  });
}

// -- events --------------------------------------------------------------------------------

const BROKEN_OFF = 'The messages broke off.';

function eventIn(text) {
  const event = { event: 'message', data: '' };
  for (const line of text.split('\n')) {
    const [name, ...rest] = line.split(':');
    const value = rest.join(':').replace(/^ /, '');
    if (name === 'event') event.event = value;
    if (name === 'data') event.data += value;
  }
  return event;
}

// Server-Sent Events, as they come; fails when they break off without an `end`. The browser's own reader of them could
// not show the token.
export async function* follow(path, params, signal) {
  const reply = await fetched(urlOf(path, params), { signal, headers: { Accept: 'text/event-stream' } }, 0);
  let rest = '';
  for await (const part of chunks(reply.body.pipeThrough(new TextDecoderStream()), signal)) {
    const events = (rest + part.replaceAll('\r\n', '\n')).split('\n\n');
    rest = events.pop();
    for (const text of events) {
      const { event, data } = eventIn(text);
      if (data) yield { event, data: JSON.parse(data) };
      else if (event === 'end') yield { event, data: {} };
      if (event === 'end') return;
    }
  }
  throw new Unreachable(BROKEN_OFF);
}

async function* chunks(stream, signal) {
  const reader = stream.getReader();
  const read = () =>
    reader.read().catch((error) => {
      throw signal.aborted ? error : new Unreachable(BROKEN_OFF);
    });
  try {
    for (;;) {
      const { done, value } = await read();
      if (done) return;
      yield value;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}
