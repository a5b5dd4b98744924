// The handshake of a node, written by hand, for messages that no node of this version sends.
import { createHmac, pbkdf2Sync } from 'node:crypto';
import { once } from 'node:events';
import tls from 'node:tls';
import { KEY } from './cluster.mjs';
import { until } from './until.mjs';

const digest = (key, text) => createHmac('sha256', key).update(text).digest('hex').slice(0, 32);
// The keys that nodes derive from the cluster key: for their links, and for TLS.
const LINK_KEY = digest(pbkdf2Sync(KEY, 'troupe', 100_000, 32, 'sha256'), 'links');
const psk = Buffer.from(digest(LINK_KEY, 'tls'));
const IN_TLS = { minVersion: 'TLSv1.3', ciphers: 'TLS_AES_128_GCM_SHA256' };
// An incarnation that no node has.
const LIFE = 'fedcba9876543210'.repeat(2);

export const cardOf = (name, version) => `${version} ${LIFE} ${name}`;

// A side of the handshake. `speaks` is the handshake version, `card` the node's description.
class Peer {
  heard = '';
  closed = false;

  constructor(socket, { dials, card, speaks = '2' }) {
    Object.assign(this, { socket, dials, card, speaks });
    socket.setEncoding('latin1').on('data', (text) => this.#hear(text));
    socket.on('error', () => {});
    socket.on('close', () => (this.closed = true));
  }

  // The channel binding, which only the two ends of the connection know.
  greet() {
    this.binding = this.socket.exportKeyingMaterial(32, 'EXPORTER-troupe-node').toString('hex');
    const greeting = `troupe-node ${this.speaks} ${this.#proof(this.dials, this.card)} ${this.card.length}`;
    this.socket.write(`${greeting}\n${this.card}`);
  }

  // The node's hello, once it is complete.
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

  // Accepts the link. The called node decides first.
  consent() {
    this.socket.write('ok\n');
  }

  get isProvenTo() {
    return this.theirs?.proof === this.#proof(!this.dials, this.theirs?.hello);
  }

  #proof(ofDialler, hello) {
    return digest(LINK_KEY, `troupe-node 2 ${ofDialler ? 'dial' : 'accept'} ${this.binding} ${hello}`);
  }

  // Resolves with the node's reason for refusing the link.
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

// Listens for nodes; returns the address, and the callers so far.
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
