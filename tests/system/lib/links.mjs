// The network between the nodes of a cluster: a proxy before each node, that knows who calls and lets each pair of
// nodes speak, or not. It has a thread of its own: a test that has much to do does not part nodes.
import { once } from 'node:events';
import { MessageChannel, Worker } from 'node:worker_threads';

const factsOf = ({ name, clusterPort, pid }) => ({ name, clusterPort, pid });

export class Links {
  #network = new Worker(new URL('./network.mjs', import.meta.url));

  // `all` tells which nodes there are.
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

  // Resolves with the address at which others reach the node.
  before(node) {
    return this.#ask('before', { node: factsOf(node) });
  }

  // How many connections there are between the two.
  count(one, other) {
    return this.#tell('count', one, other);
  }

  // Connections break, and new ones too.
  cut(one, other) {
    return this.#tell('cut', one, other);
  }

  // Connections stay, and nothing comes through.
  silence(one, other) {
    return this.#tell('silence', one, other);
  }

  // What is there already comes through by and by.
  slow(one, other) {
    return this.#tell('slow', one, other);
  }

  // What was on its way arrives now.
  mend(one, other) {
    return this.#tell('mend', one, other);
  }

  close() {
    return this.#network.terminate();
  }
}
