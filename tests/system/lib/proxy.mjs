// A TCP proxy between a client and the gateway that can break connections.
import { once } from 'node:events';
import net from 'node:net';

class Pair {
  constructor(client, port) {
    this.client = client;
    this.gateway = net.connect(port, '127.0.0.1');
    for (const [from, to] of [
      [this.client, this.gateway],
      [this.gateway, this.client],
    ]) {
      from.on('error', () => {});
      from.on('data', (bytes) => to.write(bytes));
      from.on('close', () => this.frozen || to.destroy());
    }
  }

  cut() {
    this.client.destroy();
    this.gateway.destroy();
  }

  // The client vanishes without a FIN: the gateway's side stays open and silent.
  hang() {
    this.frozen = true;
    this.gateway.removeAllListeners('data').resume();
    this.client.destroy();
  }
}

export async function proxyFor(test, port) {
  const pairs = new Set();
  const listener = net.createServer((client) => {
    const pair = new Pair(client, port);
    pairs.add(pair);
    pair.gateway.on('close', () => pairs.delete(pair));
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const each = (action) => () => pairs.forEach((pair) => pair[action]());
  const proxy = {
    url: `http://127.0.0.1:${listener.address().port}/mcp`,
    cut: each('cut'),
    hang: each('hang'),
    get size() {
      return pairs.size;
    },
    close() {
      proxy.cut();
      listener.close();
    },
  };
  test.after(() => proxy.close());
  return proxy;
}
