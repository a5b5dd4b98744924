#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace troupe {

class server;
struct actor_maker;

// Options of servers: values that a host fills in and passes in `gateway_options::servers` or to `gateway::reload`. The
// gateway copies them; later changes have no effect on it.

// -- where a server comes from --------------------------------------------------------------

/// Limits of each process of a program (`setrlimit`). Zero: as for the gateway itself.
struct process_limits {
  /// Bytes of address space. Runtimes such as Node reserve many times what they use.
  std::uint64_t memory = 0;
  /// Open files, sockets and pipes.
  std::uint64_t files = 0;
  /// Processes and threads of its user, started by any program. No effect for root.
  std::uint64_t processes = 0;
  /// Processor time after which the process is ended.
  std::chrono::seconds cpu = {};

  friend bool operator==(const process_limits&, const process_limits&) = default;
};

/// A program that speaks MCP on its stdin and stdout. Troupe starts it as often as `server_options::sharing` requires.
/// To stop it, the gateway closes its stdin, sends SIGTERM after two seconds and SIGKILL after two more.
struct command_server {
  /// Path, or a name that is looked up in `PATH` (of `environment`, if set there). Must not be empty. Never passed to a
  /// shell. A missing program is only found when it is started: the session that needs it fails then.
  std::string program;
  std::vector<std::string> arguments = {};
  /// Names and values, which add to the few inherited variables (`HOME LOGNAME PATH SHELL TERM USER`) or replace them.
  /// A name must not be empty or contain `=`. If each process has one caller, a value may contain `${principal.NAME}`,
  /// see `remote_server::headers`.
  std::vector<std::pair<std::string, std::string>> environment = {};
  /// Working directory; if empty, the host's.
  std::string directory = {};
  /// Name or number of the user that the program runs as, with the groups, `HOME`, `USER` and `LOGNAME` of that user;
  /// if empty, the host's. Requires a host that is root, or has CAP_SETUID, CAP_SETGID and CAP_KILL.
  std::string user = {};
  process_limits limits = {};
  /// Deny the process more rights than it begins with, for instance through set-user-ID programs like `sudo`.
  bool no_new_privileges = true;
  /// Name of the program in errors; `program` if empty. For a program whose name contains a secret.
  std::string shown = {};

  friend bool operator==(const command_server&, const command_server&) = default;
};

/// Transport to a remote server.
enum class remote_transport {
  /// Streamable HTTP, or HTTP+SSE if the server supports only that.
  detect,
  streamable_http,
  http_sse
};

/// Grant by which the gateway obtains the tokens that it sends to a remote server.
struct grant_options {
  enum class kind {
    /// A token of the gateway itself (RFC 6749, 4.4).
    client_credentials,
    /// A token for each caller, in exchange for the caller's own (RFC 8693). Callers with a key have none.
    token_exchange
  };
  kind grant = kind::client_credentials;
  /// Authorization server, whose metadata names its token endpoint, or that endpoint itself: exactly one of the two, as
  /// `https://…`, or `http://…` on this machine. A caller's token is sent there and nowhere else.
  std::string issuer = {};
  std::string token_endpoint = {};
  /// Must not be empty.
  std::string client_id = {};
  std::string client_secret = {};
  /// Send the secret in the form (`client_secret_post`) instead of in `Authorization` (`client_secret_basic`).
  bool secret_in_form = false;
  std::vector<std::string> scopes = {};
  /// Resource of the token (RFC 8707): by default the server's URL without its query; not sent if empty.
  std::optional<std::string> resource = {};
  std::string audience = {};
  /// File of certificates (PEM) that may sign the authorization server's certificate, besides the system's.
  std::string ca_file = {};

  friend bool operator==(const grant_options&, const grant_options&) = default;
};

/// An MCP server that is reached over HTTP. Redirects are not followed. The server never receives the credentials by
/// which clients authenticate to the gateway.
struct remote_server {
  /// `http://…` or `https://…`, with a host, without user and fragment. Only the host is ever logged.
  std::string url;
  remote_transport transport = remote_transport::detect;
  /// Names and values, added to each request, for instance `Authorization`. Fields of the connection or of MCP cannot
  /// be set, and no field twice. In a value, `${principal.NAME}` becomes a property of the caller: `subject`, `issuer`,
  /// `client`, `groups`, `scopes`, or else a claim of its token that is a string, an integer or a boolean. Callers
  /// without the property are refused. Such a value requires that all callers authenticate, and excludes
  /// `sharing::shared` and `sharing::pool`.
  std::vector<std::pair<std::string, std::string>> headers = {};
  /// Tokens that the gateway sends as `Authorization`, which must then not be among the headers.
  std::optional<grant_options> auth = {};
  /// File of certificates (PEM) that may sign the server's certificate, besides the system's; read again when it
  /// changes.
  std::string ca_file = {};
  /// Requests in flight from each thread of the gateway, 1 to 10000, plus one for each session. Each takes a
  /// connection; further requests wait for one. The stream on which a session listens is not counted.
  std::size_t connections = 64;

  friend bool operator==(const remote_server&, const remote_server&) = default;
};

/// A server inside the host's program, see `troupe/server.hpp`.
struct hosted_server {
  /// Must not be null. Shared with the host, which may change it at any time; the gateway keeps it while it serves it.
  /// Two options are equal if they have the same object.
  std::shared_ptr<troupe::server> server;

  friend bool operator==(const hosted_server&, const hosted_server&) = default;
};

/// MCP servers that are actors of the host; made by `spawned` in `troupe/caf.hpp`. Requires a gateway in the host's
/// actor system.
struct actor_server {
  /// Must not be null, nor its function empty. Two options are equal if they have the same object.
  std::shared_ptr<const actor_maker> maker;

  friend bool operator==(const actor_server&, const actor_server&) = default;
};

/// Origin of a server. Must be one of the four kinds; `std::monostate` means that none is given.
using server_source = std::variant<std::monostate, command_server, remote_server, hosted_server, actor_server>;

/// Types that a `std::string` can be made of: literals, strings and views of them.
template <class Text>
concept text_like = std::constructible_from<std::string, Text>;

/// `command("npx", "-y", "some-server")`: a program and its arguments. To set an environment or a directory, write a
/// `command_server`.
template <text_like Program = std::string, text_like... Arguments>
command_server command(Program&& program, Arguments&&... arguments) {
  return {.program = std::string(std::forward<Program>(program)),
          .arguments = {std::string(std::forward<Arguments>(arguments))...}};
}

/// `remote("https://…")`: a URL. To set headers, certificates or a transport, write a `remote_server`.
inline remote_server remote(std::string url) { return {.url = std::move(url)}; }

/// `hosted(server)`: a server inside the host's program.
inline hosted_server hosted(std::shared_ptr<server> part) { return {.server = std::move(part)}; }

// -- how it is served -----------------------------------------------------------------------

/// Sharing of a server's process, or of its session if the server has no process of ours.
enum class sharing {
  /// All sessions use one process of a program that speaks 2026-07-28 and does not receive the caller's identity: it
  /// keeps no state between requests. For all other servers, as `session`.
  automatic,
  /// Each session has its own process.
  session,
  /// All sessions use one process.
  shared,
  /// Each session has its own process, taken from a few that are started in advance.
  pool,
  /// Each authenticated caller has a process; without authentication, each session.
  principal
};

/// Grouping of requests of stateless (2026-07-28) clients. Requests of one group reach the same process of a server, or
/// the same session of a server without a process of ours.
enum class affinity {
  /// All requests of one caller. Anonymous clients that connect directly from this machine share a group. From
  /// elsewhere, or through a proxy, each anonymous request is a group.
  principal,
  /// Each request is a group, for servers that keep no state. A server with `sharing::shared` or `sharing::pool` is not
  /// started for each.
  none,
  /// Requests of one caller with the same value of the header `Troupe-Affinity`, 1 to 256 visible characters. A request
  /// without the header is a group.
  header
};

/// Revisions by which the gateway speaks to a program or a remote server.
enum class era {
  /// Detected: revisions with sessions are tried first, unless a remote server has a stateless (2026-07-28) client.
  automatic,
  /// Revisions with sessions, up to 2025-11-25.
  legacy,
  /// Revision 2026-07-28.
  modern
};

/// Clients whose roots a server receives. Roots are folders that a client names (2025-11-25, client/roots). Some
/// servers, such as `server-filesystem`, open them in place of the folders in their own configuration.
enum class roots {
  /// The roots of clients on the gateway's machine that connect without a proxy, and to this node of a cluster.
  automatic,
  /// The roots of all clients.
  pass,
  /// No roots.
  none
};

/// Effect on sessions when their server is lost.
enum class on_loss {
  /// On the server's own path, sessions with a process of their own end; all other sessions live on.
  by_sharing,
  /// Sessions end.
  end_sessions,
  /// Sessions live on: the server is started again and gets its state from the gateway.
  restart
};

/// Effect on a session when its node is lost.
enum class recovery {
  /// The session is lost, too: its client begins a new one.
  none,
  /// A new server is started on a different node, and the session keeps its id. Needs `cluster_options::store`.
  restore
};

/// Restarts of a lost server. All times must be above zero.
struct restart_options {
  /// Pause before the first restart. Each further pause is twice as long, up to the longest. Pauses vary by a fifth, so
  /// that servers lost together do not restart together.
  std::chrono::milliseconds first_delay = std::chrono::milliseconds{500};
  /// Must be at least `first_delay`.
  std::chrono::milliseconds longest_delay = std::chrono::seconds{30};
  /// Losses (1 to 1000), each before the server has run for `steady`, after which it is left alone for `rest`. Calls
  /// fail at once meanwhile.
  std::size_t attempts = 5;
  std::chrono::milliseconds steady = std::chrono::seconds{10};
  std::chrono::milliseconds rest = std::chrono::minutes{1};

  friend bool operator==(const restart_options&, const restart_options&) = default;
};

/// Set of callers: those with all of the scopes and with one of the groups or one of the names. An empty list requires
/// nothing.
struct allowed_callers {
  std::vector<std::string> scopes = {};
  /// See `issuer_options::groups_claim`.
  std::vector<std::string> groups = {};
  /// Subjects of tokens, or names of keys.
  std::vector<std::string> names = {};
  /// Accepted issuers: `key`, `certificate`, `token`, or the URL of a token issuer. Any issuer if empty.
  std::vector<std::string> issuers = {};

  friend bool operator==(const allowed_callers&, const allowed_callers&) = default;
};

/// Callers that may use a server, and which of its items. To other callers an item is not listed and does not exist. A
/// call that lacks only scopes is answered 403, with the scopes that it needs.
struct server_access {
  allowed_callers server = {};
  /// By patterns (`*`, `?`) of the server's own names, and of URIs and templates of resources. All matches apply.
  std::vector<std::pair<std::string, allowed_callers>> tools = {};
  std::vector<std::pair<std::string, allowed_callers>> prompts = {};
  std::vector<std::pair<std::string, allowed_callers>> resources = {};

  friend bool operator==(const server_access&, const server_access&) = default;
};

/// An MCP server behind a gateway, such as `{"files", troupe::command("npx", "-y", "some-server")}`: its origin, and
/// the options that servers of every origin have.
///
/// If options break a rule below, the gateway throws `std::runtime_error` with one line that names the server and the
/// rule but no other value. When a gateway reloads, servers with equal options are the same server.
struct server_options {
  /// Unique name in paths, tool names and logs: 1 to 64 characters, none of them `/` or a control character, not `.` or
  /// `..`. If empty: the program's file name, to which the same rules apply except the length, the URL's host, or the
  /// name of a hosted server. An actor needs a name.
  std::string name = {};
  /// Must be set.
  server_source source = {};

  troupe::sharing sharing = troupe::sharing::automatic;
  /// Processes that wait for sessions, 1 to 100; used with `sharing::pool` only.
  std::size_t pool_size = 2;
  /// Groups of requests of stateless (2026-07-28) clients; each group counts as a session for `sharing`.
  troupe::affinity affinity = troupe::affinity::principal;
  /// Used for a `command_server` and a `remote_server` only.
  troupe::era era = troupe::era::automatic;
  /// No effect where sessions share a process: such a process receives no roots.
  troupe::roots roots = troupe::roots::automatic;
  /// Time without an answer or progress after which a call fails; zero: the gateway's `request_timeout`.
  std::chrono::milliseconds timeout = std::chrono::milliseconds::zero();
  troupe::on_loss on_loss = troupe::on_loss::by_sharing;
  restart_options restart = {};
  troupe::recovery recovery = troupe::recovery::none;
  /// Patterns (`*`, `?`) of the tools that may be used; all if empty.
  std::vector<std::string> allow_tools = {};
  /// Patterns of the tools that may not be used, even if allowed above.
  std::vector<std::string> deny_tools = {};
  server_access access = {};
  /// Prefix of tool and prompt names where servers are merged, as `<prefix>__<name>`: up to 64 letters, digits, `_` and
  /// `-`. If empty: the server's name, or no prefix while there is no other server.
  std::string prefix = {};
  /// Whether to use a prefix. Servers whose tools could get the same names cannot be merged.
  bool prefixed = true;
  /// Start the server before its first use: with the gateway if it is shared, otherwise with each session.
  bool eager = false;
  /// The gateway is not ready (`/readyz`) while this server does not start. To find out, the server is started with the
  /// gateway: for good if it is shared, otherwise until it has answered. A server that receives its callers' identities
  /// is started by them only.
  bool essential = false;

  friend bool operator==(const server_options&, const server_options&) = default;
};

} // namespace troupe
