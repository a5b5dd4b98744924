// What a node says to another before there is a link, by hand: for what no node of this version says.
import { createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import net from 'node:net';
import { KEY } from './cluster.mjs';
import { until } from './until.mjs';

const digest = (key, text) => createHmac('sha256', key).update(text).digest('hex').slice(0, 32);
// What nodes make of the secret that they share, for their links.
const LINK_KEY = digest(pbkdf2Sync(KEY, 'troupe', 100_000, 32, 'sha256'), 'links');
// A life that no node has.
const LIFE = 'fedcba9876543210'.repeat(2);

export const cardOf = (name, version) => `${version} ${LIFE} ${name}`;

const sized = (hello) => ` ${hello.length}\n${hello}`;

// One side of the handshake. `speaks` is the version of the handshake, `card` what it says of itself.
class Peer {
  heard = '';
  closed = false;
  nonce = randomBytes(16).toString('hex');

  constructor(socket, { dials, card, speaks = '1' }) {
    Object.assign(this, { socket, dials, card, speaks });
    socket.setEncoding('latin1').on('data', (text) => this.#hear(text));
    socket.on('error', () => {});
    socket.on('close', () => (this.closed = true));
    socket.write(`troupe-node ${speaks} ${this.nonce}${sized(card)}`);
  }

  // What the node said of itself, once all of that is there.
  get theirs() {
    const [greeting, nonce, size] = /^troupe-node 1 ([0-9a-f]{32}) (\d+)\n/.exec(this.heard) ?? [];
    const said = greeting && this.heard.slice(greeting.length);
    if (said === undefined || said.length < Number(size)) return undefined;
    return { nonce, hello: said.slice(0, Number(size)), rest: said.slice(Number(size)) };
  }

  #hear(text) {
    this.heard += text;
    if (this.proven || this.speaks !== '1' || !this.theirs) return;
    this.proven = true;
    this.socket.write(`proof ${this.#proof(this.dials)}\n`);
  }

  // Says that it takes the link: who was called decides first.
  consent() {
    this.socket.write('ok\n');
  }

  get isProvenTo() {
    return this.theirs?.rest.startsWith(`proof ${this.#proof(!this.dials)}\n`) ?? false;
  }

  #proof(ofDialler) {
    const us = { nonce: this.nonce, hello: this.card };
    const [dialler, called] = this.dials ? [us, this.theirs] : [this.theirs, us];
    const said = `${dialler.nonce} ${called.nonce}${sized(dialler.hello)}${sized(called.hello)}`;
    const text = `troupe-node 1 ${ofDialler ? 'dial' : 'accept'} ${said}`;
    return digest(LINK_KEY, text);
  }

  // Resolves with why there is no link, as the node says it.
  refused() {
    return until('the node says why not', () => /^no (.*)\n/m.exec(this.theirs?.rest)?.[1]);
  }
}

export const callNode = (port, how) => new Peer(net.connect(port, '127.0.0.1'), { ...how, dials: true });

// Is called by nodes; the address, and all who called so far.
export async function peerThatIsCalled(t, how) {
  const callers = [];
  const listener = net.createServer((socket) => callers.push(new Peer(socket, { ...how, dials: false })));
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  t.after(() => {
    listener.close();
    callers.forEach(({ socket }) => socket.destroy());
  });
  return { address: `127.0.0.1:${listener.address().port}`, callers };
}
