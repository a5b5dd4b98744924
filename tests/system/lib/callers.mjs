// Clients that call nodes of a cluster all the time, to see that no call fails.
import http from 'node:http';
import { request } from './http.mjs';
import { toolCall } from './session.mjs';

const CALL_MS = 300;

export class Callers {
  answered = 0;
  failed = [];
  #stopped = false;

  // `place` gives the URL and the agent of the next try; a node that cannot be reached is passed over.
  constructor(sessions, place) {
    this.place = place;
    this.workers = sessions.map((session, index) => this.#work(session, index));
  }

  async #work(session, index) {
    for (let n = 0; !this.#stopped; ++n) {
      const id = `${index}-${n}`;
      const told = await this.#call(session, id).catch((error) => error.stack);
      if (told === id) this.answered += 1;
      else this.failed.push(`${new Date().toISOString()} ${id}: ${told}`);
    }
  }

  async #call(session, id) {
    const body = JSON.stringify(toolCall(id, 'echo', { message: id, ms: CALL_MS }));
    const { pathname } = new URL(session.url);
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-session-id': session.id,
      'mcp-protocol-version': session.version,
    };
    for (;;) {
      const { base, agent } = this.place();
      try {
        const reply = await request(new URL(pathname, base), { method: 'POST', headers, body, agent });
        await reply.done;
        const answer = reply.messages.at(-1);
        return answer?.result?.content[0].text ?? `${base} ${reply.status} ${reply.received}`;
      } catch (error) {
        // A kept connection may close at the very moment at which a client uses it again (RFC 9112, 9.5).
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

// Turn by turn, whatever the nodes say of themselves.
export function inTurn(nodes, keepAlive) {
  const pools = nodes.map((node) => ({ base: node.at('/'), agent: keepAlive ? new http.Agent({ keepAlive }) : false }));
  let next = 0;
  return { place: () => pools[next++ % pools.length], end: () => pools.forEach(({ agent }) => agent?.destroy?.()) };
}
