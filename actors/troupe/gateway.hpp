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

/// Severity of an event.
enum class log_level {
  debug,
  info,
  warning,
  error,
  /// No event has this level: as a threshold, it disables the log.
  none
};

/// Event for the host's log: a sentence and its facts, none of them secret.
struct log_record {
  log_level level = log_level::info;
  std::string text = {};
  /// Names and values, such as `server` and the server's name.
  std::vector<std::pair<std::string, std::string>> fields = {};
};

/// Receives events. Called from several threads at once; must not block and must not throw.
using log_sink = std::function<void(const log_record&)>;

/// Orders of operators that the host program carries out. An empty function refuses the order. Called on threads of the
/// gateway, one order at a time; must not throw.
struct operator_orders {
  /// Reads the configuration again and calls `gateway::reload`. Returns an error in one line, or an empty text on
  /// success.
  std::function<std::string()> reload = {};
  /// Begins to stop the program, and returns at once.
  std::function<void()> drain = {};
  /// Return and set the level from which events are logged. `level` must not block: it is called at any time, also
  /// during an order.
  std::function<log_level()> level = {};
  std::function<void(log_level)> set_level = {};
};

/// Cluster of which a gateway is a node. Behind any load balancer, each node serves the sessions of all.
struct cluster_options {
  /// Unique name of the node: 1 to 64 letters, digits, `.`, `_` and `-`.
  std::string name;
  /// Address to listen on for other nodes; port 0 picks a free port.
  std::string host = "127.0.0.1";
  std::uint16_t port = 7946;
  /// `HOST:PORT` at which other nodes reach this one; if empty, the address that it listens on.
  std::string advertise = {};
  /// `HOST:PORT` of other nodes. All addresses of a name are used, and the name is looked up again and again. Members
  /// announce the other members. A node may name itself.
  std::vector<std::string> join = {};
  /// Secret of the cluster, the same on all nodes, at least 16 bytes; without it, nobody can make an id that leads to a
  /// node. During a change, up to four secrets, one per line: a node presents the first and accepts all.
  std::string key;
  /// File of the same form, read again when it changes; `key` is then its text as read, or empty.
  std::string key_file = {};
  /// PEM files for TLS between nodes: certificate and private key of the node, and the authorities of all nodes'
  /// certificates. Read again when they change. Without them, TLS relies on `key` alone, which is refused outside of
  /// loopback unless `plain` allows it.
  std::string certificate = {};
  std::string private_key = {};
  std::string ca_file = {};
  bool plain = false;
  /// Silence after which a node counts as lost; 0.2 to 300 seconds.
  std::chrono::milliseconds heartbeat = std::chrono::seconds{5};
  /// Redis that keeps sessions which are to survive their node: `redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE]`, or
  /// `rediss://` with TLS; none if empty.
  std::string store = {};
  /// File of certificates (PEM) that may sign the certificate of a `rediss://` server, besides the system's; read again
  /// when it changes.
  std::string store_ca_file = {};
  /// Sessions of other nodes that may be restored here per second, 1 to 10000. Each starts a process, unless its server
  /// is shared. Further requests wait for their turn, or are answered 503 with `Retry-After`.
  std::size_t restores_per_second = 50;
  /// File in which this node keeps the addresses of the other nodes for its next start; none if empty. With it, the
  /// node is ready as soon as each of them has answered or refused, or at once if it was alone.
  std::string members_file = {};
};

/// Descriptors of listening sockets; below zero: none.
struct listening_sockets {
  int clients = -1;
  int admin = -1;
};

/// The two ends, as descriptors, of a link between a gateway and the one in another process that replaces it.
struct process_link {
  /// For `gateway::hand_over`.
  int here = -1;
  /// For `gateway_options::predecessor` of the other process.
  int there = -1;
};
/// Makes a link. The caller closes both ends, unless a gateway has taken them over. Throws `std::runtime_error` with
/// one line if there is no descriptor left.
process_link make_process_link();

/// Options of a gateway. The defaults are those of the program `troupe`. Timeouts, `list_patience` and limits must be
/// above zero unless they say what zero means.
struct gateway_options {
  /// Address to listen on, numeric or a name. `unix:PATH` is a unix socket that only the user of this process can
  /// connect to.
  std::string host = "127.0.0.1";
  /// Port to listen on; 0 picks a free port, see `gateway::port()`.
  std::uint16_t port = 8080;
  /// Descriptor of a socket that listens already, such as one from systemd; below zero: none. The gateway owns and
  /// closes it, and `host` and `port` become its address. A gateway that is no cluster node stops accepting when it
  /// drains: new connections then wait for the next process that has the socket.
  int socket = -1;
  /// End of a `process_link` to the process that served here before; below zero: none. The gateway owns it. It also
  /// serves the sessions of that process, for as long as they are kept there.
  int predecessor = -1;
  /// Maximum time that this process keeps its sessions after it has handed over to another.
  std::chrono::milliseconds upgrade_time = std::chrono::hours{1};
  /// Servers, up to 1000. A single one is served unchanged at `/mcp`; several are merged there. Each also has paths of
  /// its own.
  std::vector<server_options> servers = {};
  /// Merge at `/mcp` even if there is only one server.
  bool merge = false;
  /// Time that a merged list waits for each server. The part of a slower server is announced when it arrives.
  std::chrono::milliseconds list_patience = std::chrono::seconds{5};
  /// Time that `initialize` of merged servers waits for the instructions of servers not known yet; zero: no wait. For
  /// eager servers the wait is up to `initialize_timeout`.
  std::chrono::milliseconds instructions_patience = std::chrono::seconds{2};
  /// Authentication; by default all clients are allowed, from this machine only.
  auth_options auth = {};
  /// Called before a session begins, for a caller that is authenticated and may use the server; if empty, all may
  /// begin. Runs on up to four threads of the gateway and may block them: only that client waits. Not called again for
  /// a session of another node that moves here.
  session_judge refuse_session = {};
  /// TLS for clients; plain HTTP if not set.
  std::optional<tls_options> tls = {};
  /// Names or addresses that clients may send as `Host`, with any port or with the one given; `*` allows all. Those of
  /// this machine are always allowed. If empty, any other is refused on loopback, against DNS rebinding, and allowed
  /// elsewhere.
  std::vector<std::string> allowed_hosts = {};
  /// Origins that browsers may come from, besides those of this machine; `*` allows all.
  std::vector<std::string> allow_origins = {};
  /// Additional paths that answer as `/mcp`, `/sse`, `/messages` and `/healthz`, which remain. Each begins with `/` and
  /// is given once. Clients of HTTP+SSE are sent to the first of `message_paths`.
  std::vector<std::string> mcp_paths = {};
  std::vector<std::string> sse_paths = {};
  std::vector<std::string> message_paths = {};
  std::vector<std::string> health_paths = {};
  /// Threads for sockets and pipes, up to 1024; 0 means one for two processors.
  std::size_t threads = 0;
  /// Threads for handlers of hosted servers, up to 1024: as many handlers may block at the same time. Started only if
  /// there is a hosted server.
  std::size_t handler_threads = 4;
  /// Calls of hosted servers that may wait for a handler thread; a further one fails at once.
  std::size_t handler_queue = 1000;
  /// Sessions at the same time. One more ends the longest idle session of the address with the most sessions, if idle
  /// for at least ten seconds; otherwise the new client is answered 503.
  std::size_t max_sessions = 10'000;
  /// Soft limit of descriptors (RLIMIT_NOFILE) of server processes at their start; zero: the host's.
  std::size_t server_descriptors = 0;
  /// Longest request body, in bytes; a longer one is answered 413.
  std::size_t max_body = 4 * 1024 * 1024;
  /// Limits for all clients together, and for those at one address.
  troupe::limits limits = {};
  /// Time after which a session without a request, a call in flight or an open stream ends.
  std::chrono::milliseconds session_timeout = std::chrono::minutes{30};
  /// As `session_timeout`, for a session whose client had a stream open, disconnected and did not come back. Never
  /// longer than `session_timeout`.
  std::chrono::milliseconds abandoned_timeout = std::chrono::minutes{5};
  /// Time after the last call for which the lease of a stateless (2026-07-28) client is kept: server processes, calls
  /// that wait for the client's answer, subscriptions. See `affinity`.
  std::chrono::milliseconds lease_time = std::chrono::minutes{5};
  /// Time without an answer or progress after which a call fails.
  std::chrono::milliseconds request_timeout = std::chrono::minutes{5};
  /// Time without an answer to `initialize` after which a server has failed.
  std::chrono::milliseconds initialize_timeout = std::chrono::seconds{30};
  /// Time that calls in flight may still run once the gateway drains; zero: none.
  std::chrono::milliseconds grace = std::chrono::seconds{5};
  /// Time after which a stream's connection is closed, and its client told to reconnect for the rest; zero: never. Only
  /// for clients that support it (2025-11-25 and later).
  std::chrono::milliseconds stream_time = std::chrono::milliseconds::zero();
  /// Listener for operators, if any; never the one for clients.
  std::optional<admin_options> admin = {};
  /// Orders of operators that the host program carries out.
  operator_orders orders = {};
  /// Count for `gateway::metrics`; counting is always on with `admin`.
  bool metrics = false;
  /// Export of traces, if any.
  std::optional<trace_options> traces = {};
  /// Cluster of this node, if any.
  std::optional<cluster_options> cluster = {};
  /// Answer `/debug/state`, which has counts of sessions, servers and streams, to this machine only.
  bool debug_state = false;
  /// Log of the host; nothing is logged if empty.
  log_sink log = {};
  /// Access log: receives each request, once it is answered; may be empty.
  access_sink access_log = {};
  /// Returns how many log lines the host has lost so far, for monitoring; may be empty. Called from several threads at
  /// once, and must not block.
  std::function<std::uint64_t()> lost_log_lines = {};
};

/// Throws as the constructor of a gateway does, for errors that can be found without starting one: options that
/// contradict each other, unusable files of keys and certificates. Reads these files.
void check_options(const gateway_options& options);

/// Serves MCP servers to many clients over Streamable HTTP and HTTP+SSE, on threads of its own. A process may have
/// several gateways.
///
/// The constructor returns when the gateway listens. The destructor drains: calls in flight finish within the grace,
/// then every session ends and its server process is stopped. Installs no signal handler and writes no output.
///
/// Needs many descriptors, but does not change the host's limit of them (RLIMIT_NOFILE): a host should raise the soft
/// limit before. Half of them are for clients' connections unless `limits::connections` is set; each process of a
/// server takes four. If they are too few for `max_sessions`, a warning is logged.
class gateway {
public:
  /// Throws `std::runtime_error` with one line if the gateway cannot start, for instance because a port is in use or
  /// options contradict each other.
  explicit gateway(gateway_options options);
  /// Runs the actors in an actor system of the host, which must outlive the gateway; see also `troupe/caf.hpp`.
  gateway(caf::actor_system& system, gateway_options options);
  ~gateway();
  gateway(const gateway&) = delete;
  gateway& operator=(const gateway&) = delete;

  /// Port that the gateway listens on. Callable from any thread.
  std::uint16_t port() const noexcept;
  /// Port that the gateway listens on for operators; 0 without `gateway_options::admin`, and for a unix socket.
  /// Callable from any thread.
  std::uint16_t admin_port() const noexcept;
  /// Token that the gateway made for operators, if it listens for them on loopback and `admin_options` give none.
  /// Callable from any thread.
  made_admin_token admin_token() const;

  /// Returns counters and durations in Prometheus' text format, as `/metrics` does for operators, but without those of
  /// the whole process: a host has its own, and may add this text to a page of its own. Nothing is counted without
  /// `gateway_options::metrics` and `admin`. Empty after a drain. Callable from any thread; blocks no thread of the
  /// gateway.
  std::string metrics() const;

  /// Replaces the servers. Unchanged servers keep their processes and sessions. Removed or changed servers take nothing
  /// new, and end when their calls have finished. Throws as the constructor does if the servers cannot be served, and
  /// then changes nothing. Callable from any thread.
  void reload(std::vector<server_options> servers);

  // -- handover to another process, such as a newer program: both serve until that one is ready

  /// Duplicates the listening sockets, for `gateway_options::socket` and `admin_options::socket` of the other process.
  /// The caller closes them. Throws `std::runtime_error` with one line if the gateway cannot hand over: because it is a
  /// node of a cluster, where other nodes take over, because it has handed over, or because its own predecessor still
  /// has sessions.
  listening_sockets sockets() const;
  /// Leaves new clients to the other process, which has begun: `link` is readable then. Sessions and calls that are
  /// here stay, and are reached through that process, until they end or `upgrade_time` is over. Calls `then` once, on a
  /// thread of the gateway, when none is left or the other process has exited; the host then calls `drain`. Ends
  /// requests of operators that are open. Owns and closes `link` in any case. Throws `std::runtime_error` with one line
  /// if the other end is not a gateway that can take over, and then changes nothing. Not callable during a drain.
  ///
  /// With `lost`, keeps duplicates of the listening sockets until then. If the other process exits without a drain, or
  /// `hangs` and has given no sign of life for five seconds, `lost` is called instead of `then`, on a thread of the
  /// gateway. The host then makes sure that the other process has ended and calls `take_back` on a thread of its own,
  /// or drains.
  void hand_over(int link, std::function<void()> then, std::function<void(bool hangs)> lost = {});
  /// Accepts clients again after the other process was `lost`. Sessions and calls that are here go on, and the gateway
  /// can hand over again. Throws `std::runtime_error` with one line if no such process was lost, or if it cannot
  /// listen. Not callable during a drain.
  void take_back();

  /// Takes no new sessions, tells streams to reconnect elsewhere, lets calls in flight finish within the grace, and
  /// ends every session. Waits until the last server process has exited and the last handler has returned. Blocks the
  /// calling thread. A second call does nothing, and does not wait for the first. The gateway must outlive the call.
  ///
  /// On a thread of the gateway, such as one that runs a handler, the function only begins the drain. The destructor,
  /// which must run on another thread, completes it.
  void drain();
  /// Ends the grace of a `drain` that another thread waits for, and kills server processes instead of asking them to
  /// stop. Callable from any thread.
  void hurry();
  /// Drains without grace, as `drain` with `hurry`.
  void stop();

private:
  friend caf::actor root_of(const gateway& of);

  class state;
  std::unique_ptr<state> state_;
};

} // namespace troupe
