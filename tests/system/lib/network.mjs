// The proxies of links.mjs, in a thread of their own.
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import net from 'node:net';
import { parentPort } from 'node:worker_threads';
import { openFiles, SANITIZED } from './processes.mjs';

const hex = (port) => port.toString(16).toUpperCase().padStart(4, '0');

// The table of all connections on this machine, including recently closed ones. Next to other tests it takes a while to
// read, and bytes must pass meanwhile.
const readTable = () => readFile('/proc/net/tcp', 'latin1');

// The inode of the local socket with these ports. State 01 means established.
function inodeOf(table, [from, to]) {
  const place = table.indexOf(`:${hex(from)} 0100007F:${hex(to)} 01 `);
  if (place < 0) return undefined;
  const line = table.slice(table.lastIndexOf('\n', place) + 1, table.indexOf('\n', place));
  return line.trim().split(/\s+/)[9];
}

const hasSocket = (pid, inode) => [...openFiles(pid).values()].includes(`socket:[${inode}]`);

const portsOf = (socket) => [socket.remotePort, socket.localPort];

// The table changes while it is read, and may miss a line.
const TRIES = 5;

// 3 MiB take longer than a heartbeat of `faults.mjs`.
const SLOW = { bytes: 32 * 1024, pause: SANITIZED ? 75 : 50 };

// Passes bytes both ways until one side ends. A held pipe passes no data.
class Pipe {
  constructor(near, called) {
    this.called = called;
    this.ports = portsOf(near);
    this.sides = [near, net.connect(called.clusterPort, '127.0.0.1')];
    this.sides.forEach((from, index) => {
      const to = this.sides[1 - index];
      from.on('error', () => {});
      from.on('data', (bytes) => (this.slow ? this.#trickle(from, to, bytes) : to.write(bytes) || this.#rest(from, to)));
      from.on('close', () => to.destroy());
    });
  }

  #rest(from, to) {
    from.pause();
    to.once('drain', () => this.held || from.resume());
  }

  #trickle(from, to, bytes) {
    from.pause();
    to.write(bytes.subarray(0, SLOW.bytes));
    const rest = bytes.subarray(SLOW.bytes);
    setTimeout(() => (rest.length > 0 ? this.#trickle(from, to, rest) : from.resume()), SLOW.pause);
  }

  slowDown() {
    this.slow = true;
  }

  hold() {
    this.held = true;
    this.sides.forEach((side) => side.pause());
  }

  release() {
    this.held = false;
    this.sides.forEach((side) => side.resume());
  }

  end() {
    this.sides.forEach((side) => side.destroy());
  }
}

const nameOf = (...names) => names.toSorted().join(' ');

class Network {
  // The nodes known when a link was last changed. Later processes are unknown callers.
  nodes = [];
  // The pipes, each with its link once that is identified.
  #pipes = new Map();
  #faults = new Map();

  // Resolves with the proxy address of the node.
  async before(node) {
    const listener = net.createServer({ pauseOnConnect: true }, (socket) => this.#accept(socket, node));
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    return `127.0.0.1:${listener.address().port}`;
  }

  // While no link is disturbed, the caller need not be identified.
  async #accept(socket, node) {
    socket.on('error', () => {});
    const ports = portsOf(socket);
    const link = this.#faults.size > 0 ? this.#linkOf(ports, node, await readTable()) : undefined;
    const fault = this.#faults.size > 0 && (link ? this.#faults.get(link) : 'cut');
    if (fault === 'cut' || socket.destroyed) return socket.destroy();
    const pipe = new Pipe(socket, node);
    this.#pipes.set(pipe, link);
    pipe.sides[1].on('close', () => this.#pipes.delete(pipe));
    return fault ? pipe.hold() : pipe.release();
  }

  // Resolves with undefined when the caller has already exited.
  #linkOf(ports, called, table) {
    const inode = inodeOf(table, ports);
    const caller = inode && this.nodes.find(({ pid }) => pid && hasSocket(pid, inode));
    return caller && nameOf(caller.name, called.name);
  }

  get #strangers() {
    return [...this.#pipes].filter(([, link]) => !link).map(([pipe]) => pipe);
  }

  async #identify() {
    for (let tries = 0; tries < TRIES && this.#strangers.length > 0; ++tries) {
      const table = await readTable();
      for (const pipe of this.#strangers) this.#pipes.set(pipe, this.#linkOf(pipe.ports, pipe.called, table));
    }
  }

  async #each(link, action) {
    await this.#identify();
    for (const [pipe, name] of this.#pipes) if (name === link) pipe[action]();
  }

  async count(link) {
    await this.#identify();
    return [...this.#pipes.values()].filter((name) => name === link).length;
  }

  cut(link) {
    this.#faults.set(link, 'cut');
    return this.#each(link, 'end');
  }

  silence(link) {
    this.#faults.set(link, 'silent');
    return this.#each(link, 'hold');
  }

  slow(link) {
    return this.#each(link, 'slowDown');
  }

  mend(link) {
    this.#faults.delete(link);
    return this.#each(link, 'release');
  }
}

const network = new Network();

parentPort.on('message', async ({ action, node, nodes, pair, reply }) => {
  if (nodes) network.nodes = nodes;
  reply.postMessage(await network[action](node ?? nameOf(...pair)));
});
