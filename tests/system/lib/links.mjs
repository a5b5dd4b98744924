// The network between the nodes of a cluster: a proxy for each node that identifies the caller, and can disturb each
// pair of nodes. The proxies run in a thread of their own, so that a busy test does not delay them.
import { once } from 'node:events';
import { MessageChannel, Worker } from 'node:worker_threads';

const factsOf = ({ name, clusterPort, pid }) => ({ name, clusterPort, pid });

export class Links {
  #network = new Worker(new URL('./network.mjs', import.meta.url));

  // `all` returns the nodes.
  constructor(all) {
    this.all = all;
  }

  async #ask(action, what) {
    const { port1: answers, port2: reply } = new MessageChannel();
    this.#network.postMessage({ action, ...what, reply }, [reply]);
    const [answer] = await once(answers, 'message');
    answers.close();
    return answer;
  }

  #tell(action, one, other) {
    return this.#ask(action, { nodes: this.all().map(factsOf), pair: [one.name, other.name] });
  }

  // Resolves with the proxy address of the node.
  before(node) {
    return this.#ask('before', { node: factsOf(node) });
  }

  // The number of connections between the two nodes.
  count(one, other) {
    return this.#tell('count', one, other);
  }

  // Breaks all connections between the two, and new ones.
  cut(one, other) {
    return this.#tell('cut', one, other);
  }

  // Keeps connections open, but passes no data.
  silence(one, other) {
    return this.#tell('silence', one, other);
  }

  // Passes data slowly.
  slow(one, other) {
    return this.#tell('slow', one, other);
  }

  // Restores the link, and delivers delayed data.
  mend(one, other) {
    return this.#tell('mend', one, other);
  }

  close() {
    return this.#network.terminate();
  }
}
