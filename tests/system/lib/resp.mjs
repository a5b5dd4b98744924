// Redis commands of a test, each on a new connection. A process for each would slow the nodes down.
import { once } from 'node:events';
import net from 'node:net';

const CRLF = '\r\n';
// A frozen Redis does not answer.
const PATIENCE = 10_000;

// The value at a position and the position after it; nothing when it is incomplete.
function read(said, from) {
  const end = said.indexOf(CRLF, from);
  if (end < 0) return undefined;
  const kind = said.toString('latin1', from, from + 1);
  const text = said.toString('utf8', from + 1, end);
  const after = end + CRLF.length;
  if (kind === '-') throw new Error(text);
  if (kind === '*') return readAll(said, after, Number(text));
  if (kind !== '$') return { value: text, after };
  const whole = after + Number(text) + CRLF.length;
  if (Number(text) < 0) return { value: '', after };
  return whole <= said.length ? { value: said.toString('utf8', after, whole - CRLF.length), after: whole } : undefined;
}

function readAll(said, from, count) {
  const value = [];
  let after = from;
  for (let n = 0; n < count; ++n) {
    const one = read(said, after);
    if (!one) return undefined;
    value.push(one.value);
    ({ after } = one);
  }
  return { value, after };
}

const word = (text) => `$${Buffer.byteLength(text)}${CRLF}${text}${CRLF}`;
const written = (words) => `*${words.length}${CRLF}${words.map(word).join('')}`;

export async function askRedis(port, words) {
  const socket = net.connect(port, '127.0.0.1');
  socket.setTimeout(PATIENCE, () => socket.destroy(new Error('Redis says nothing')));
  try {
    await once(socket, 'connect');
    socket.write(written(words));
    let said = Buffer.alloc(0);
    for await (const bytes of socket) {
      said = Buffer.concat([said, bytes]);
      const answer = read(said, 0);
      if (answer) return answer.value;
    }
    throw new Error('Redis hung up');
  } finally {
    socket.destroy();
  }
}
