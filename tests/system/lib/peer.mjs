// What a node says to another before there is a link, by hand: for what no node of this version says.
import { createHmac, pbkdf2Sync } from 'node:crypto';
import { once } from 'node:events';
import tls from 'node:tls';
import { KEY } from './cluster.mjs';
import { until } from './until.mjs';

const digest = (key, text) => createHmac('sha256', key).update(text).digest('hex').slice(0, 32);
// What nodes make of the secret that they share, for their links, and of that for TLS.
const LINK_KEY = digest(pbkdf2Sync(KEY, 'troupe', 100_000, 32, 'sha256'), 'links');
const psk = Buffer.from(digest(LINK_KEY, 'tls'));
const IN_TLS = { minVersion: 'TLSv1.3', ciphers: 'TLS_AES_128_GCM_SHA256' };
// A life that no node has.
const LIFE = 'fedcba9876543210'.repeat(2);

export const cardOf = (name, version) => `${version} ${LIFE} ${name}`;

// One side of the handshake. `speaks` is the version of the handshake, `card` what it says of itself.
class Peer {
  heard = '';
  closed = false;

  constructor(socket, { dials, card, speaks = '2' }) {
    Object.assign(this, { socket, dials, card, speaks });
    socket.setEncoding('latin1').on('data', (text) => this.#hear(text));
    socket.on('error', () => {});
    socket.on('close', () => (this.closed = true));
  }

  // What only the two ends of the connection know.
  greet() {
    this.binding = this.socket.exportKeyingMaterial(32, 'EXPORTER-troupe-node').toString('hex');
    const greeting = `troupe-node ${this.speaks} ${this.#proof(this.dials, this.card)} ${this.card.length}`;
    this.socket.write(`${greeting}\n${this.card}`);
  }

  // What the node said of itself, once all of that is there.
  get theirs() {
    const [greeting, proof, size] = /^troupe-node 2 ([0-9a-f]{32}) (\d+)\n/.exec(this.heard) ?? [];
    const said = greeting && this.heard.slice(greeting.length);
    if (said === undefined || said.length < Number(size)) return undefined;
    return { proof, hello: said.slice(0, Number(size)), rest: said.slice(Number(size)) };
  }

  #hear(text) {
    this.heard += text;
    if (!this.binding && this.theirs) this.greet();
  }

  // Says that it takes the link: who was called decides first.
  consent() {
    this.socket.write('ok\n');
  }

  get isProvenTo() {
    return this.theirs?.proof === this.#proof(!this.dials, this.theirs?.hello);
  }

  #proof(ofDialler, hello) {
    return digest(LINK_KEY, `troupe-node 2 ${ofDialler ? 'dial' : 'accept'} ${this.binding} ${hello}`);
  }

  // Resolves with why there is no link, as the node says it.
  refused() {
    return until('the node says why not', () => /^no (.*)\n/m.exec(this.theirs?.rest ?? this.heard)?.[1]);
  }
}

export function callNode(port, how) {
  const pskCallback = () => ({ psk, identity: 'troupe-node' });
  const checkServerIdentity = () => undefined;
  const socket = tls.connect({ port, host: '127.0.0.1', ...IN_TLS, pskCallback, checkServerIdentity });
  const peer = new Peer(socket, { ...how, dials: true });
  socket.on('secureConnect', () => peer.greet());
  return peer;
}

// Is called by nodes; the address, and all who called so far.
export async function peerThatIsCalled(t, how) {
  const callers = [];
  const listener = tls.createServer({ ...IN_TLS, pskCallback: () => psk }, (socket) => {
    callers.push(new Peer(socket, { ...how, dials: false }));
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  t.after(() => {
    listener.close();
    callers.forEach(({ socket }) => socket.destroy());
  });
  return { address: `127.0.0.1:${listener.address().port}`, callers };
}
