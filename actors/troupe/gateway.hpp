#pragma once

#include "access_record.hpp"
#include "admin_options.hpp"
#include "auth_options.hpp"
#include "limits.hpp"
#include "server_options.hpp"
#include "session_request.hpp"
#include "tls_options.hpp"
#include "trace_options.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace caf {
class actor;
class actor_system;
} // namespace caf

namespace troupe {

/// How much an event matters.
enum class log_level {
  debug,
  info,
  warning,
  error,
  /// No event has it: from this level on, nothing is logged.
  none
};

/// One event for the host's log: a sentence and its facts, none of them secret.
struct log_record {
  log_level level = log_level::info;
  std::string text = {};
  /// Names and values, such as `server` and the server's name.
  std::vector<std::pair<std::string, std::string>> fields = {};
};

/// Where events go. Called from several threads at once; must not block and must not throw.
using log_sink = std::function<void(const log_record&)>;

/// What operators may order that is the host program's to do; each may be empty, and is refused then. Called on threads
/// of the gateway's own, one order at a time; must not throw.
struct operator_orders {
  /// Reads the configuration again and calls `gateway::reload`. Gives why that cannot be done, in one line; empty when
  /// it was.
  std::function<std::string()> reload = {};
  /// Begins to stop, and returns at once.
  std::function<void()> drain = {};
  /// From which level on events are logged, and that it is another from now on. The first is asked for at any time,
  /// also while an order is carried out, and must not block.
  std::function<log_level()> level = {};
  std::function<void(log_level)> set_level = {};
};

/// A gateway that is one node of several. Behind any load balancer, each of them serves the sessions of all.
struct cluster_options {
  /// The node's name, unlike that of every other: 1 to 64 letters, digits, `.`, `_` and `-`.
  std::string name;
  /// Where it listens for the other nodes; port 0 picks a free one.
  std::string host = "127.0.0.1";
  std::uint16_t port = 7946;
  /// `HOST:PORT` at which the others reach it; where it listens when empty.
  std::string advertise = {};
  /// `HOST:PORT` of other nodes; of a name, all addresses, looked up again and again. Members tell each other of the
  /// rest. A node may name itself.
  std::vector<std::string> join = {};
  /// The cluster's secret, the same on all nodes, at least 16 bytes: nobody else can make an id that leads to a node.
  /// Up to four of them, one a line, while it is changed: a node shows the first and accepts each.
  std::string key;
  /// A file of the same form, read again whenever it changes: `key` is what was read of it, or empty.
  std::string key_file = {};
  /// PEM files for TLS between nodes: the node's certificate and its key, and what signed those of all nodes. Read
  /// again when they change. Without them nodes speak TLS by the key alone, which is refused beyond loopback unless
  /// `plain` allows it.
  std::string certificate = {};
  std::string private_key = {};
  std::string ca_file = {};
  bool plain = false;
  /// A node that is silent for this long is lost; 0.2 to 300 seconds.
  std::chrono::milliseconds heartbeat = std::chrono::seconds{5};
  /// `redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE]`, or `rediss://` in TLS, of what keeps sessions that are to
  /// survive their node; none when empty.
  std::string store = {};
  /// With `rediss://` a file of certificates (PEM) that Redis' may be signed by, besides the system's; read again when
  /// it has changed.
  std::string store_ca_file = {};
  /// Sessions of other nodes that may begin again here in a second: each starts a process, unless its server is shared.
  /// Others wait for their turn, or are told to come again. 1 to 10000.
  std::size_t restores_per_second = 50;
};

/// Sockets that listen, as descriptors; below zero is none.
struct listening_sockets {
  int clients = -1;
  int admin = -1;
};

/// The two ends of a link between a gateway and the one in another process that takes its place, as descriptors.
struct process_link {
  /// For `gateway::hand_over`.
  int here = -1;
  /// For `gateway_options::predecessor` of the other process.
  int there = -1;
};
/// Both are the caller's to close, unless a gateway has taken them. Throws `std::runtime_error` with one line when no
/// descriptor is left.
process_link make_process_link();

/// Everything a gateway can be told. The defaults are those of the program `troupe`. Timeouts, `list_patience` and
/// limits are above zero unless they say what zero means.
struct gateway_options {
  /// Address to listen on, numeric or a name; loopback unless told otherwise. `unix:PATH` is a unix socket, which only
  /// the user of this process can connect to.
  std::string host = "127.0.0.1";
  /// Port to listen on; 0 picks a free one, see `gateway::port()`.
  std::uint16_t port = 8080;
  /// A socket that listens already, such as one of systemd's; none when it is below zero. The gateway takes it over and
  /// closes it, and `host` and `port` become where it listens. Unless it is a node, it accepts nobody any more once it
  /// drains: who connects then waits for the next process that has the socket.
  int socket = -1;
  /// The end of a `process_link` whose other end the process has that served here before; none when it is below zero.
  /// The gateway takes it over. It has the sessions of that process, too, for as long as that keeps them.
  int predecessor = -1;
  /// How long this process keeps its sessions, at most, once it has handed over to another.
  std::chrono::milliseconds upgrade_time = std::chrono::hours{1};
  /// The servers, 1000 at most; a single one is served at `/mcp` as it is, several are merged there. Each has paths of
  /// its own, too.
  std::vector<server_options> servers = {};
  /// Merge at `/mcp` even when there is one server.
  bool merge = false;
  /// Where servers are merged, one that takes longer is left out of a list; its part is announced when it is there.
  std::chrono::milliseconds list_patience = std::chrono::seconds{5};
  /// Where servers are merged, the answer to `initialize` waits this long for the instructions of those of which
  /// nothing is known yet; not at all when zero. Eager ones are waited for up to `initialize_timeout`.
  std::chrono::milliseconds instructions_patience = std::chrono::seconds{2};
  /// Who may use it: by default all who reach it, which then is this machine alone.
  auth_options auth = {};
  /// Asked before a session begins, of whoever has come in and may use its server; all may begin one when it is empty.
  /// On threads of the gateway's own, at most four at a time, which it may block: the client waits meanwhile, and
  /// nobody else. A session that another node has begun is not asked for again when it moves here.
  session_judge refuse_session = {};
  /// Clients speak TLS when it is given.
  std::optional<tls_options> tls = {};
  /// What clients may call it in `Host`: names or addresses, with any port or with that one; `*` admits all. Those of
  /// this machine are always good. When it is empty any other is refused on loopback, against DNS rebinding, and
  /// admitted elsewhere.
  std::vector<std::string> allowed_hosts = {};
  /// Origins that browsers may come from, besides those of this machine; `*` admits all.
  std::vector<std::string> allow_origins = {};
  /// Paths besides the gateway's own, which stay, where it answers as at `/mcp`, `/sse`, `/messages` and `/healthz`:
  /// each begins with `/` and is told once. Clients of HTTP+SSE are told the first of `message_paths`.
  std::vector<std::string> mcp_paths = {};
  std::vector<std::string> sse_paths = {};
  std::vector<std::string> message_paths = {};
  std::vector<std::string> health_paths = {};
  /// Threads that sockets and pipes are served by, 1024 at most; 0 means one for two processors.
  std::size_t threads = 0;
  /// Threads that handlers of hosted servers run on, once there are any: so many may block at the same time. 1024 at
  /// most.
  std::size_t handler_threads = 4;
  /// Calls of hosted servers that may wait for such a thread; a further one fails at once.
  std::size_t handler_queue = 1000;
  /// Sessions that may live at the same time. When one more begins, one ends of the address that has most: the one that
  /// was idle for longest, if that is ten seconds at least. Otherwise the newcomer is answered 503.
  std::size_t max_sessions = 10'000;
  /// The soft limit of descriptors (RLIMIT_NOFILE) that processes of servers begin with; the host's when zero.
  std::size_t server_descriptors = 0;
  /// Longest request body, in bytes; a longer one is answered 413.
  std::size_t max_body = 4 * 1024 * 1024;
  /// What all clients may use together, and those of one address.
  troupe::limits limits = {};
  /// A session ends after this long without a request, a call in flight or an open stream.
  std::chrono::milliseconds session_timeout = std::chrono::minutes{30};
  /// The same for a session whose client had a stream open and lost it, and did not come back; `session_timeout` when
  /// that is shorter.
  std::chrono::milliseconds abandoned_timeout = std::chrono::minutes{5};
  /// What a caller of revision 2026-07-28 uses (processes of servers, calls that wait for its answer, subscriptions) is
  /// kept for this long after its last call, see `affinity`.
  std::chrono::milliseconds lease_time = std::chrono::minutes{5};
  /// A call fails after this long without an answer or progress.
  std::chrono::milliseconds request_timeout = std::chrono::minutes{5};
  /// A server that has not answered `initialize` after this long has failed.
  std::chrono::milliseconds initialize_timeout = std::chrono::seconds{30};
  /// How long calls in flight may still run once the gateway drains; not at all when zero.
  std::chrono::milliseconds grace = std::chrono::seconds{5};
  /// A stream's connection is closed after this long and its client told to come back for the rest; never when zero.
  /// Only for clients that know of it (2025-11-25 and later).
  std::chrono::milliseconds stream_time = std::chrono::milliseconds::zero();
  /// Where operators ask, when they do: never where clients do.
  std::optional<admin_options> admin = {};
  /// What they may order besides what the gateway does itself.
  operator_orders orders = {};
  /// Count what `gateway::metrics` tells, as is done for operators, too.
  bool metrics = false;
  /// Where requests are traced to, when they are.
  std::optional<trace_options> traces = {};
  /// The other nodes, when there are any.
  std::optional<cluster_options> cluster = {};
  /// Answer `/debug/state`, which has counts of sessions, servers and streams, to this machine only.
  bool debug_state = false;
  /// The host's log; nothing is logged without one.
  log_sink log = {};
  /// Told of each request, once it is answered; none is when it is empty.
  access_sink access_log = {};
  /// How many lines of its logs the host could not keep so far, for who watches the gateway; may be empty. Called from
  /// several threads at once, and must not block.
  std::function<std::uint64_t()> lost_log_lines = {};
};

/// Throws as the constructor of a gateway with these options would, for what can be found out without beginning one:
/// options that do not go together, files of keys and certificates that cannot be used. Reads these files.
void check_options(const gateway_options& options);

/// A gateway serves MCP servers to many clients over Streamable HTTP and HTTP+SSE, on threads of its own. A process may
/// have several.
///
/// Constructed means listening; destroyed means drained: calls in flight finish within the grace, then every
/// session ends and its server process is stopped. Installs no signal handler and writes no output.
///
/// It takes descriptors, and leaves the host's limit of them (RLIMIT_NOFILE) as it is: a host raises the soft limit
/// before, if it can. Half of them are for clients' connections unless `limits::connections` says otherwise; each
/// process of a server takes four. A warning in the log tells when they are too few for `max_sessions`.
class gateway {
public:
  /// Throws `std::runtime_error` with one line that says why it could not start, such as a port in use, or options that
  /// do not go together.
  explicit gateway(gateway_options options);
  /// The same with its actors in a system of the host's, which outlives it; see also `troupe/caf.hpp`.
  gateway(caf::actor_system& system, gateway_options options);
  ~gateway();
  gateway(const gateway&) = delete;
  gateway& operator=(const gateway&) = delete;

  /// The port that it listens on. Callable from any thread.
  std::uint16_t port() const noexcept;
  /// The port that it listens on for operators; 0 without `gateway_options::admin`, and for a unix socket. Callable
  /// from any thread.
  std::uint16_t admin_port() const noexcept;
  /// The token that it has made for operators, when it listens for them on loopback and `admin_options` give none.
  /// Callable from any thread.
  made_admin_token admin_token() const;

  /// What is counted and measured, in Prometheus' text format, as operators have it at `/metrics` but for what is said
  /// of the process as a whole: a host has its own numbers of that, and may add this to a page of its own. Without
  /// `gateway_options::metrics` and `admin` there is nothing in it that is counted. Empty once the gateway has been
  /// drained. Callable from any thread; no thread of the gateway waits for it.
  std::string metrics() const;

  /// Serves these servers from now on. Those that have not changed keep their processes and sessions; what is removed
  /// or changed takes nothing new, and ends when its calls have finished. Throws as the constructor does when they
  /// cannot be served; then all is as it was. Callable from any thread.
  void reload(std::vector<server_options> servers);

  // -- when another process, of a newer program say, is to take its place: both serve until that is ready

  /// Where it listens, once more, for `gateway_options::socket` and `admin_options::socket` of that process; the
  /// caller's to close. Throws `std::runtime_error` with one line when it cannot hand over: it is a node of a cluster,
  /// which others take the place of, or the process before it has sessions yet.
  listening_sockets sockets() const;
  /// Leaves new clients to the other process, which has begun: its end of the link is readable then. Sessions and calls
  /// that are here stay, and are reached through that process, until they end by themselves or `upgrade_time` is over.
  /// `then` is called once, on a thread of the gateway's, when none is left, or the other process is gone: the host
  /// calls `drain`. Requests of operators that are open end. Takes the link over, and closes it, whatever comes of it.
  /// Throws `std::runtime_error` with one line when the other end is not a gateway that can take over; then all is as
  /// it was. Not while it drains.
  void hand_over(int link, std::function<void()> then);

  /// Takes no new sessions, tells streams to come back elsewhere, lets calls in flight finish within the grace, ends
  /// every session and waits until the last server process is gone and the last handler has returned. Blocks the
  /// calling thread; a second call does nothing, and does not wait for the first. The gateway outlives the call.
  ///
  /// On a thread of the gateway's own, such as one that runs a handler, it does not wait: what it begins is over when
  /// the gateway has been destroyed, which only another thread may do.
  void drain();
  /// Ends the grace of a `drain` that another thread waits for, and kills server processes instead of asking them to
  /// stop. Callable from any thread.
  void hurry();
  /// The same as a `drain` that is hurried.
  void stop();

private:
  friend caf::actor root_of(const gateway& of);

  class state;
  std::unique_ptr<state> state_;
};

} // namespace troupe
