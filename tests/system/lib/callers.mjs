// Clients that call the nodes of a cluster continuously, to check that no call fails.
import http from 'node:http';
import { request } from './http.mjs';
import { fieldsOf, modernRequest } from './modern.mjs';
import { POST_HEADERS, toolCall } from './session.mjs';

const CALL_MS = 300;

// A call of `echo` in a session, or as a stateless request (2026-07-28).
function callOf(client, id, ms) {
  const args = { message: id, ms };
  if (client.id) return { message: toolCall(id, 'echo', args), fields: client.headers };
  const message = modernRequest(id, 'tools/call', { name: 'echo', arguments: args });
  return { message, fields: { ...fieldsOf(message), ...client.headers } };
}

export class Callers {
  answered = 0;
  failed = [];
  #stopped = false;

  // `place` gives the URL and the agent of the next try. Unreachable nodes are skipped. The server takes `ms` for each
  // call.
  constructor(clients, place, ms = CALL_MS) {
    Object.assign(this, { place, ms });
    this.workers = clients.map((client, index) => this.#work(client, index));
  }

  async #work(client, index) {
    for (let n = 0; !this.#stopped; ++n) {
      const id = `${index}-${n}`;
      const told = await this.#call(client, id).catch((error) => error.stack);
      if (told === id) this.answered += 1;
      else this.failed.push(`${new Date().toISOString()} ${id}: ${told}`);
    }
  }

  async #call(client, id) {
    const { message, fields } = callOf(client, id, this.ms);
    const body = JSON.stringify(message);
    const { pathname } = new URL(client.url);
    const headers = { ...POST_HEADERS, ...fields };
    for (;;) {
      const { base, agent } = this.place();
      try {
        const reply = await request(new URL(pathname, base), { method: 'POST', headers, body, agent });
        await reply.done;
        const answer = reply.messages.at(-1);
        return answer?.result?.content[0].text ?? `${base} ${reply.status} ${reply.received}`;
      } catch (error) {
        // A kept connection may close exactly when a client uses it again (RFC 9112, 9.5).
        const isClosed = error.code === 'ECONNREFUSED' || (error.code === 'ECONNRESET' && error.wasKept);
        if (!isClosed) throw new Error(`${base}: ${error.code}`, { cause: error });
      }
    }
  }

  async stop() {
    this.#stopped = true;
    await Promise.all(this.workers);
  }
}

// The nodes in turn, whether they are ready or not.
export function inTurn(nodes, keepAlive) {
  const pools = nodes.map((node) => ({ base: node.at('/'), agent: keepAlive ? new http.Agent({ keepAlive }) : false }));
  let next = 0;
  return { place: () => pools[next++ % pools.length], end: () => pools.forEach(({ agent }) => agent?.destroy?.()) };
}
