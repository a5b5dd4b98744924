// The contents of a mock gateway: many sessions, calls of growing age, and names with markup.

export const MARKUP = '<img src=x onerror="window.hurt=1"><b>bold</b>';
export const RIGHT_TO_LEFT = 'مرحبا \u202Eesrever';

const BOUNDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];
const CALLERS = ['alice', 'bob', '', 'ci-robot', MARKUP, RIGHT_TO_LEFT];
const SERVERS = ['files', 'github', '', 'search', 'weather'];
const TRANSPORTS = ['streamable_http', 'streamable_http', 'http_sse', 'stateless'];
const TOOLS = ['search', 'read_file', MARKUP, 'a_tool_with_quite_a_long_name_that_goes_on', RIGHT_TO_LEFT];

const shownId = (number) => `${((number * 2_654_435_761) >>> 0).toString(16).padStart(8, '0')}…`;

export class World {
  began = Date.now() - 3 * 3_600_000;
  draining = false;
  level = 'info';
  callNumber = 0;
  process = 123;
  operations = { ok: 0, failed: 0, buckets: BOUNDS.map(() => 0) };
  can = { reload: true, drain: true, log_level: true, content: true };

  // Every fiftieth session has a call.
  constructor({ sessions = 60, node = '', nodes = [], every = 50 } = {}) {
    Object.assign(this, { node, nodes, sessions: new Map(), servers: new Map() });
    for (const name of SERVERS.filter(Boolean)) this.#addServer(name);
    for (let number = 1; number <= sessions; ++number)
      this.addSession(number, number % every === 1 ? 1 + (number % 3) : 0);
    Object.assign(this.servers.get('weather'), {
      not_ready: 'its process ended 5 times within 10 s',
      states: { resting: 1 },
      why: `exited with status 1: ${MARKUP}`,
      restarts: 5,
      processes: [],
      failures: 7,
      last_failures: [5, 3, 1].map((minutes) => ({
        at: new Date(Date.now() - minutes * 60_000).toISOString(),
        why: `exited with status 1: ${MARKUP}`,
        after_ms: 30 * minutes,
        pid: 4_600 + minutes,
        session: '',
        lines: ['starting up', `Error: WEATHER_KEY is not set ${MARKUP}`],
      })),
      stderr: [{ at: new Date().toISOString(), pid: 4_601, line: `Error: WEATHER_KEY is not set ${MARKUP}` }],
    });
    Object.assign(this.servers.get('search'), { enabled: false, states: {}, processes: [] });
  }

  #addServer(name) {
    const kind = name === 'github' ? 'remote' : 'stdio';
    this.servers.set(name, {
      name,
      kind,
      enabled: true,
      not_ready: '',
      states: { ready: 2, waiting: 1 },
      restarts: 0,
      users: 3,
      why: '',
      failures: 0,
      last_failures: [],
      stderr: [],
      processes: kind === 'stdio' ? [this.#process(''), this.#process(shownId(1))] : [],
    });
  }

  #process(session) {
    this.pid = (this.pid ?? 4_700) + 11;
    const usage = { users: session ? 1 : 3, rss_bytes: this.pid * 10_000, cpu_ms: this.pid, processes: 2 };
    return { pid: this.pid, began: Date.now() - 100_000, session, ...usage };
  }

  addSession(number, calls = 0) {
    const session = {
      number,
      id: shownId(number),
      transport: TRANSPORTS[number % TRANSPORTS.length],
      server: SERVERS[number % SERVERS.length],
      caller: CALLERS[number % CALLERS.length],
      began: Date.now() - number * 1_357,
      calls: new Map(),
      streams: { primary: number % 2, shadow: number % 9 === 0 ? 1 : 0, call: calls ? 1 : 0, listen: 0 },
      questions: number % 50 === 0 ? 1 : 0,
      used: Date.now() - (number % 600) * 1_000,
    };
    this.sessions.set(number, session);
    for (let n = 0; n < calls; ++n) this.addCall(number, TOOLS[(number + n) % TOOLS.length], (number * 777) % 95_000);
    return session;
  }

  addCall(session, name, age = 0, server = 'files') {
    const number = ++this.callNumber;
    this.sessions
      .get(session)
      .calls.set(number, { number, method: 'tools/call', name, server, began: Date.now() - age });
    return number;
  }

  // Counts finished operations, of which some failed.
  operate(count, failed = 0) {
    this.operations.ok += count - failed;
    this.operations.failed += failed;
    for (let n = 0; n < count; ++n) {
      const took = 0.008 * Math.exp(((n * 7_919) % 1_000) / 220);
      BOUNDS.forEach((bound, at) => (this.operations.buckets[at] += took <= bound ? 1 : 0));
    }
  }

  restart(name) {
    const server = this.servers.get(name);
    server.restarts += 1;
    server.processes = server.processes.map(({ session }) => ({ ...this.#process(session), began: Date.now() }));
  }

  // -- presentation ----------------------------------------------------------------------------

  showNode() {
    const stateless = [...this.sessions.values()].filter(({ transport }) => transport === 'stateless').length;
    return {
      node: this.node,
      version: '0.1.0',
      pid: this.process,
      uptime_ms: Date.now() - this.began,
      draining: this.draining,
      sessions: this.sessions.size - stateless,
      leases: stateless,
      max_sessions: 10_000,
      log_level: this.level,
      nodes: this.nodes.map((name) => ({ name, draining: false })),
      can: this.can,
    };
  }

  showCall = ({ began, ...call }) => ({ ...call, age_ms: Date.now() - began });

  showSession = ({ began, used, calls, ...session }) => ({
    ...session,
    age_ms: Date.now() - began,
    ...(calls.size === 0 && !session.streams.primary && { idle_ms: Date.now() - used }),
    calls: [...calls.values()].map(this.showCall),
  });

  showSessions({ after = 0, limit = 100, server, caller, id, idle }) {
    const isIdle = ({ calls, streams }) => calls.size === 0 && !streams.primary;
    const matching = [...this.sessions.values()].filter(
      (one) =>
        (!server || one.server === server) &&
        (!caller || one.caller === caller) &&
        (!id || one.id.includes(id)) &&
        (!idle || String(isIdle(one)) === idle),
    );
    const rest = matching.filter(({ number }) => number > Number(after));
    const page = rest.slice(0, Number(limit));
    return {
      sessions: page.map(this.showSession),
      total: matching.length,
      ...(rest.length > page.length && { next: page.at(-1).number }),
    };
  }

  showCalls({ limit = 100 }) {
    const all = [...this.sessions.values()].flatMap(({ number, id, caller, calls }) =>
      [...calls.values()].map((call) => ({ ...this.showCall(call), session: number, session_id: id, caller })),
    );
    all.sort((a, b) => b.age_ms - a.age_ms);
    return { calls: all.slice(0, Number(limit)), total: all.length };
  }

  showServer = (server) => ({
    ...server,
    processes: server.processes.map(({ began, ...one }) => ({ ...one, age_ms: Date.now() - began })),
  });

  showMetrics() {
    const { ok, failed, buckets } = this.operations;
    const name = 'mcp_server_operation_duration_seconds';
    const labels = 'mcp_method_name="tools/call",gen_ai_tool_name="a \\"b\\"",server="files"';
    return (
      [
        ...BOUNDS.map((bound, at) => `${name}_bucket{${labels},le="${bound}"} ${buckets[at]}`),
        `${name}_bucket{${labels},le="+Inf"} ${ok + failed}`,
        `${name}_count{${labels}} ${ok}`,
        `${name}_count{${labels},error_type="tool_error"} ${failed}`,
        `troupe_sessions{transport="streamable_http"} ${this.sessions.size}`,
        'troupe_leases 0',
        `troupe_calls_in_flight ${this.showCalls({}).total}`,
        `troupe_connections ${this.sessions.size}`,
        'troupe_connections_limit 20000',
        'troupe_unsent_bytes 31457280',
        'troupe_unsent_bytes_limit 268435456',
        'troupe_event_bytes 900000000',
        'troupe_event_bytes_limit 1073741824',
        'troupe_processes 7',
        'troupe_processes_limit 20000',
        'process_open_fds 212',
        'process_max_fds 1024',
      ].join('\n') + '\n'
    );
  }
}
