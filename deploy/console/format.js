// Numbers and names as people read them.

const WHOLE = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const TENTHS = new Intl.NumberFormat('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

export const count = (number) => WHOLE.format(number);
export const rate = (number) => (number >= 100 ? WHOLE : TENTHS).format(number);
export const several = (number, one, more = `${one}s`) => `${count(number)} ${number === 1 ? one : more}`;

export function bytes(number) {
  let unit = 0;
  for (; number >= 1024 && unit < UNITS.length - 1; ++unit) number /= 1024;
  return `${unit === 0 || number >= 100 ? WHOLE.format(number) : TENTHS.format(number)} ${UNITS[unit]}`;
}

// 850 ms, 12.3 s, 4 min 05 s, 3 h 20 min, 5 d 3 h
export function age(ms) {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${TENTHS.format(Math.floor(ms / 100) / 10)} s`;
  const parts = (big, bigName, small, smallName) => `${big} ${bigName} ${String(small).padStart(2, '0')} ${smallName}`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return parts(minutes, 'min', Math.floor(ms / 1_000) % 60, 's');
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return parts(hours, 'h', minutes % 60, 'min');
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

export const seconds = (value) => (value === undefined ? '–' : age(value * 1_000));

// A name within a sentence: whichever way it is written, it turns nothing else round, and it is not the whole sentence.
export function named(name, most = 80) {
  const letters = [...name];
  return `\u2068${letters.length > most ? `${letters.slice(0, most).join('')}…` : name}\u2069`;
}

export const timeOf = (ms) => new Date(ms).toLocaleTimeString([], { hour12: false });

// What a call does: its method, and what that names.
export const callText = ({ method, name }) => (name ? `${method} ${name}` : method);

export const TRANSPORTS = { streamable_http: 'Streamable HTTP', http_sse: 'HTTP+SSE', stateless: 'stateless (lease)' };
export const transportText = (transport) => TRANSPORTS[transport] ?? transport;

// A lease of 2026-07-28 is listed with the sessions.
export const kindOf = ({ transport }) => (transport === 'stateless' ? 'lease' : 'session');

export const ofWhichServer = ({ server }) => server || 'all servers';

export function streamsText(streams = {}) {
  const some = Object.entries(streams).filter(([, number]) => number > 0);
  return some.map(([kind, number]) => `${number} ${kind}`).join(', ') || 'none';
}

export function statesText(states = {}) {
  const some = Object.entries(states).filter(([, number]) => number > 0);
  return some.map(([state, number]) => `${count(number)} ${state}`).join(', ') || 'not running';
}
