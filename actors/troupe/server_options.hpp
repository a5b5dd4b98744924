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

// What a gateway serves: values that a host fills in and hands over with `gateway_options::servers` or
// `gateway::reload`. The gateway copies them; to change them afterwards has no effect on it.

// -- where a server comes from --------------------------------------------------------------

/// What each process of a program may use of the machine (`setrlimit`). Zero: as much as the gateway itself.
struct process_limits {
  /// Bytes of address space. Runtimes such as Node reserve many times what they use.
  std::uint64_t memory = 0;
  /// Open files, sockets and pipes.
  std::uint64_t files = 0;
  /// Processes and threads of its user, whoever started them. Does not bind root.
  std::uint64_t processes = 0;
  /// Time on a processor, after which it is ended.
  std::chrono::seconds cpu = {};

  friend bool operator==(const process_limits&, const process_limits&) = default;
};

/// A program that speaks MCP on its stdin and stdout. Troupe starts it, as often as `server_options::sharing` says, and
/// stops it by closing its stdin, by SIGTERM after two seconds and SIGKILL after two more.
struct command_server {
  /// A path, or a name that is looked up in `PATH` (of `environment`, if it is there). Never given to a shell. Must not
  /// be empty. Whether there is such a program shows when it is started: a session that needs it fails then.
  std::string program;
  std::vector<std::string> arguments = {};
  /// Names and values, added to the few variables that a server inherits (`HOME LOGNAME PATH SHELL TERM USER`), in
  /// whose place they stand. A name must not be empty nor contain `=`. A value may have `${principal.NAME}` in it where
  /// each process has one caller, see `remote_server::headers`.
  std::vector<std::pair<std::string, std::string>> environment = {};
  /// Working directory; the host's own when empty.
  std::string directory = {};
  /// Name or number of the user that it runs as, with that one's groups, `HOME`, `USER` and `LOGNAME`; the host's own
  /// when empty. Takes a host that is root, or that may take and signal other users (CAP_SETUID, CAP_SETGID, CAP_KILL).
  std::string user = {};
  process_limits limits = {};
  /// It never gets more rights than it begins with, as from set-user-ID programs like `sudo`.
  bool no_new_privileges = true;
  /// What errors call the program; itself when empty. For one whose name has a part that is secret.
  std::string shown = {};

  friend bool operator==(const command_server&, const command_server&) = default;
};

/// How a remote server is spoken to.
enum class remote_transport {
  /// Streamable HTTP, and HTTP+SSE when the server knows only that.
  detect,
  streamable_http,
  http_sse
};

/// How the tokens are obtained that a remote server is shown.
struct grant_options {
  enum class kind {
    /// One of the gateway's own (RFC 6749, 4.4).
    client_credentials,
    /// One for each caller, in exchange for the token that it has shown (RFC 8693). A caller with a key has none.
    token_exchange
  };
  kind grant = kind::client_credentials;
  /// Who grants them: the authorization server, whose metadata names its token endpoint, or that endpoint itself. One
  /// of the two; `https://…`, or `http://…` on this machine. A caller's token is sent there and nowhere else.
  std::string issuer = {};
  std::string token_endpoint = {};
  /// Must not be empty.
  std::string client_id = {};
  std::string client_secret = {};
  /// Sent in the form (`client_secret_post`) instead of in `Authorization` (`client_secret_basic`).
  bool secret_in_form = false;
  std::vector<std::string> scopes = {};
  /// What the token is for (RFC 8707): the server's URL without its query unless given; not said when empty.
  std::optional<std::string> resource = {};
  std::string audience = {};
  /// A file of certificates (PEM) that the authorization server's may be signed by, besides the system's.
  std::string ca_file = {};

  friend bool operator==(const grant_options&, const grant_options&) = default;
};

/// An MCP server that is reached over HTTP. Its redirects are not followed. It never sees what its clients have shown
/// to come in.
struct remote_server {
  /// `http://…` or `https://…`, with a host, without user and fragment. Only the host is ever logged.
  std::string url;
  remote_transport transport = remote_transport::detect;
  /// Names and values, added to each request, for instance `Authorization`. Those that belong to the connection or to
  /// MCP cannot be set, and none twice. In a value, `${principal.NAME}` becomes what is known of the caller: `subject`,
  /// `issuer`, `client`, `groups`, `scopes`, or else a claim of its token that is a text, a whole number or a boolean.
  /// Who lacks it is refused. It does not take `sharing::shared` or `sharing::pool`, but callers who have to say who
  /// they are.
  std::vector<std::pair<std::string, std::string>> headers = {};
  /// The tokens that it is shown, as `Authorization`; none of ours when that is among the headers.
  std::optional<grant_options> auth = {};
  /// A file of certificates (PEM) that the server's may be signed by, besides the system's; read again when it has
  /// changed.
  std::string ca_file = {};
  /// Requests under way at a time from each thread of the gateway, 1 to 10000, not counting one for each session; each
  /// takes a connection, and further ones wait for one. The stream on which a session listens is not counted.
  std::size_t connections = 64;

  friend bool operator==(const remote_server&, const remote_server&) = default;
};

/// A server that is part of the host's program, see `troupe/server.hpp`.
struct hosted_server {
  /// Must not be null. Shared with the host, which may go on changing it; the gateway keeps it for as long as it serves
  /// it. Two options are equal when they have the same object.
  std::shared_ptr<troupe::server> server;

  friend bool operator==(const hosted_server&, const hosted_server&) = default;
};

/// Actors of the host that are MCP servers; `spawned` in `troupe/caf.hpp` makes it. Takes a gateway in the host's actor
/// system.
struct actor_server {
  /// Must not be null, nor its function empty. Two options are equal when they have the same object.
  std::shared_ptr<const actor_maker> maker;

  friend bool operator==(const actor_server&, const actor_server&) = default;
};

/// Where a server comes from. It must be one of the four: `std::monostate` is one that does not say it.
using server_source = std::variant<std::monostate, command_server, remote_server, hosted_server, actor_server>;

/// What a `std::string` can be made of: literals, strings and views of them.
template <class Text>
concept text_like = std::constructible_from<std::string, Text>;

/// `command("npx", "-y", "some-server")`: a program and its arguments. With an environment or a directory it is written
/// as a `command_server`.
template <text_like Program = std::string, text_like... Arguments>
command_server command(Program&& program, Arguments&&... arguments) {
  return {.program = std::string(std::forward<Program>(program)),
          .arguments = {std::string(std::forward<Arguments>(arguments))...}};
}

/// `remote("https://…")`: a URL. With headers, certificates or a certain transport it is written as a `remote_server`.
inline remote_server remote(std::string url) { return {.url = std::move(url)}; }

/// `hosted(server)`: a server of the host's program.
inline hosted_server hosted(std::shared_ptr<server> part) { return {.server = std::move(part)}; }

// -- how it is served -----------------------------------------------------------------------

/// Who shares a server's process, or its session when it has no process of ours.
enum class sharing {
  /// All sessions use one process of a program that speaks 2026-07-28 and is not told who asks, since such a program
  /// keeps nothing of one request for the next. Of all others, each session has its own.
  automatic,
  /// Each session has its own.
  session,
  /// All sessions use one.
  shared,
  /// Each session has its own, taken from a few that were started before they were wanted.
  pool,
  /// One for each authenticated caller; without authentication, one for each session.
  principal
};

/// Which requests of revision 2026-07-28, whose clients have no sessions, meet the same process of a server, or the
/// same session of one that has no process of ours.
enum class affinity {
  /// All of one caller. Who is nobody in particular shares one with the others that come straight from this machine;
  /// from elsewhere, or through a proxy, each request has its own.
  principal,
  /// Each request has its own: for servers that remember nothing. A server that is `sharing::shared` or `sharing::pool`
  /// is not started for each.
  none,
  /// Those of one caller that have the same value of the header `Troupe-Affinity`, 1 to 256 visible characters. A
  /// request without it has its own.
  header
};

/// Which revisions a program or a remote server is spoken to in.
enum class era {
  /// Found out by what it answers: those with sessions first, unless a remote server has a client of 2026-07-28.
  automatic,
  /// Those with sessions, until 2025-11-25.
  legacy,
  /// 2026-07-28.
  modern
};

/// Which clients' roots a server learns. Roots are folders that a client names (2025-11-25, client/roots). Some
/// servers, such as `server-filesystem`, open them in place of the folders in their own configuration.
enum class roots {
  /// The roots of clients on the gateway's machine that connect without a proxy, and to this node of a cluster.
  automatic,
  /// The roots of all clients.
  pass,
  /// No roots.
  none
};

/// What becomes of sessions when their server is lost.
enum class on_loss {
  /// They end on the paths of a server that is theirs alone; everywhere else they live on.
  by_sharing,
  /// They end.
  end_sessions,
  /// They live on: the server is started again, and told again what it has to know.
  restart
};

/// What becomes of a session when the node that owned it is gone.
enum class recovery {
  /// It is gone too: its client begins a new one.
  none,
  /// Another node starts a new server for it and goes on under the same id. Needs `cluster_options::store`.
  restore
};

/// How often a server that is lost is started again. All times are above zero.
struct restart_options {
  /// The first pause; each further one is twice as long, up to the longest. They vary by a fifth, so that servers that
  /// were lost together do not come back together.
  std::chrono::milliseconds first_delay = std::chrono::milliseconds{500};
  /// At least as long as the first.
  std::chrono::milliseconds longest_delay = std::chrono::seconds{30};
  /// A server that is lost this often (1 to 1000), each time before it has run for `steady`, is left alone for `rest`;
  /// calls then fail at once.
  std::size_t attempts = 5;
  std::chrono::milliseconds steady = std::chrono::seconds{10};
  std::chrono::milliseconds rest = std::chrono::minutes{1};

  friend bool operator==(const restart_options&, const restart_options&) = default;
};

/// Who may use something: callers with all of the scopes who have one of the groups or one of the names. An empty list
/// asks for nothing.
struct allowed_callers {
  std::vector<std::string> scopes = {};
  /// See `issuer_options::groups_claim`.
  std::vector<std::string> groups = {};
  /// Subjects of tokens, names of keys.
  std::vector<std::string> names = {};
  /// Accepted issuers: `key`, `certificate`, `token`, or the URL of a token issuer. Any issuer if empty.
  std::vector<std::string> issuers = {};

  friend bool operator==(const allowed_callers&, const allowed_callers&) = default;
};

/// Who may use a server, and what of it. Lists show a caller nothing else, and what he does not see does not exist for
/// him; a call that lacks only scopes is answered 403, with the scopes that it needs.
struct server_access {
  allowed_callers server = {};
  /// By patterns (`*`, `?`) of the server's own names, and of the URIs and templates of resources. All that fit count.
  std::vector<std::pair<std::string, allowed_callers>> tools = {};
  std::vector<std::pair<std::string, allowed_callers>> prompts = {};
  std::vector<std::pair<std::string, allowed_callers>> resources = {};

  friend bool operator==(const server_access&, const server_access&) = default;
};

/// An MCP server behind a gateway, such as `{"files", troupe::command("npx", "-y", "some-server")}`: where it comes
/// from, and what can be said of every server, wherever it comes from.
///
/// A gateway that is given options that break a rule below throws `std::runtime_error`, with one line that names the
/// server and the rule but no other value. Options that are equal are the same server when a gateway reloads.
struct server_options {
  /// Its name in paths, tool names and logs: 1 to 64 characters, none of them `/` or a control character, not `.` or
  /// `..`, and no other server's. When empty the program's file name, for which the same rules hold except the length,
  /// the URL's host, or what a hosted server calls itself; an actor needs one.
  std::string name = {};
  /// Has to be given.
  server_source source = {};

  troupe::sharing sharing = troupe::sharing::automatic;
  /// Processes that wait for sessions, 1 to 100; of no effect but with `sharing::pool`.
  std::size_t pool_size = 2;
  /// Where `sharing` speaks of sessions, this says what counts as one for clients of revision 2026-07-28.
  troupe::affinity affinity = troupe::affinity::principal;
  /// Of no effect but for a `command_server` and a `remote_server`.
  troupe::era era = troupe::era::automatic;
  /// Of no effect where sessions share a process: that learns no roots.
  troupe::roots roots = troupe::roots::automatic;
  /// A call fails after this long without an answer or progress; the gateway's `request_timeout` when zero.
  std::chrono::milliseconds timeout = std::chrono::milliseconds::zero();
  troupe::on_loss on_loss = troupe::on_loss::by_sharing;
  restart_options restart = {};
  troupe::recovery recovery = troupe::recovery::none;
  /// Patterns (`*`, `?`) of the tools that may be used, all when empty.
  std::vector<std::string> allow_tools = {};
  /// Patterns of those among them that may not.
  std::vector<std::string> deny_tools = {};
  server_access access = {};
  /// What precedes its tools' and prompts' names where servers are merged, as `<prefix>__<name>`: up to 64 letters,
  /// digits, `_` and `-`. When empty, its name, or nothing while there is no other server.
  std::string prefix = {};
  /// Whether anything precedes them. Servers whose tools could get the same names cannot be merged.
  bool prefixed = true;
  /// Start it before it is used: with the gateway when it is shared, otherwise with each session.
  bool eager = false;
  /// The gateway is not ready (`/readyz`) while this server does not start. It is started with the gateway to find that
  /// out: to stay when it is shared, otherwise until it has answered. One that is told who its callers are is started
  /// by them only.
  bool essential = false;

  friend bool operator==(const server_options&, const server_options&) = default;
};

} // namespace troupe
