#pragma once

// A message header, see `messages.hpp`: between the users of servers and the actors through which they reach them, and
// from processes, remote servers and handlers to upstreams.

#include "actors/access_messages.hpp"
#include "actors/messages.hpp"
#include "protocol/access/principal.hpp"
#include "protocol/catalog/catalog_effects.hpp"
#include "protocol/message/era.hpp"
#include "protocol/message/message.hpp"
#include "protocol/modern_server/client_envelope.hpp"
#include "protocol/remote/remote_effects.hpp"
#include "protocol/supervised/server_status.hpp"
#include "protocol/text/line_reader.hpp"

#include <caf/all.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace troupe::actors {

// -- session, upstream -> upstream --------------------------------------------------------------

/// A message for the server. Every request is answered, if only with an error.
struct to_server {
  protocol::message message;
  /// Envelope of the user's request, for a server that gets one for each of several users.
  protocol::envelope_of_user envelope = nullptr;
};

/// The sender no longer uses this shared upstream.
struct user_disconnected {};

/// Ends the receiver's process of, or connection to, the server. It is started again if the rules say so. Sent by the
/// registry to servers, too.
struct restart_request {
  /// Number of the server; ignored by receivers with a single server.
  std::uint64_t server = 0;
};

/// UPSTREAM, as its users see it: one MCP server, or several that look like one.
using upstream_actor = caf::typed_actor<caf::reacts_to<to_server>, caf::reacts_to<user_disconnected>,
                                        caf::reacts_to<report_request>, caf::reacts_to<restart_request>>;

// -- server, upstream -> user of the upstream -----------------------------------------------------

/// The requested upstream, with the `ticket` of the `upstream_request`. An upstream that is not shared (`own`) ends
/// with its user. A null upstream permits the user to start a process itself.
struct upstream_granted {
  upstream_actor upstream;
  std::uint64_t ticket = 0;
  bool own = false;
  /// Era that the server was found to speak before, for a process that the user starts itself.
  protocol::server_era known = protocol::server_era::automatic;
};
struct from_server {
  protocol::message message;
  /// Messages that the server sent right after this one.
  std::vector<protocol::message> more = {};
  /// See `deliver_to_user`.
  std::string concerns = {};
};
/// Run of a process or connection that has ended.
struct ended_run {
  /// Time since the start.
  std::chrono::milliseconds age = {};
  /// Whether it had sent a message.
  bool has_spoken = false;
  /// Id of the process; 0 for a connection, and if no process could be started.
  int pid = 0;
};
/// The server is gone, or was never started.
struct server_lost {
  std::string why;
  /// The gateway had no descriptors, memory or processes left to start it.
  bool is_shortage = false;
  /// The server has forgotten the session: requests without an answer never ran.
  bool is_expired = false;
  /// How its process or connection ran; empty if it was refused or is not known.
  std::optional<ended_run> run = {};
};

/// User of an upstream.
using downstream_actor =
    caf::typed_actor<caf::reacts_to<upstream_granted>, caf::reacts_to<from_server>, caf::reacts_to<server_lost>>;

// -- session, upstream -> server ------------------------------------------------------------------

/// Requests an upstream to the server.
struct upstream_request {
  /// Use as configured (`alone`); an upstream that survives each loss, for a lease or for one of several merged servers
  /// (`lasting`); or the process or connection itself (`bare`).
  enum class use { alone, lasting, bare };
  downstream_actor user;
  /// Shortened id of the user's session, as in logs; empty if all sessions share it.
  std::string session;
  /// Number of the unit on which the user lives.
  std::size_t unit = 0;
  std::uint64_t ticket = 0;
  use what_for = use::alone;
  /// Caller that uses it; null if anonymous, or if all sessions share it.
  protocol::caller caller = {};
};

// -- upstream -> server -----------------------------------------------------------------------------

/// A process or connection has sent its first message.
struct upstream_spoke {};

/// A process or connection ended by itself before it had sent a message, or could not be started.
struct upstream_start_failed {
  std::string why;
  /// Time since the start.
  std::chrono::milliseconds age = {};
  /// Not started, for lack of descriptors, memory or processes: says nothing about the server.
  bool is_shortage = false;
  /// User for which it was started; null if several share it.
  caf::actor_addr user = {};
};

/// A start that was allowed did not take place: it was no longer wanted.
struct upstream_start_abandoned {};

/// The server was found to speak this era, and not the other one. `is_doubtful` if it has not refused that one.
struct server_era_detected {
  protocol::server_era is = protocol::server_era::automatic;
  bool is_doubtful = false;
};

/// The sender's process, until now its user's own, has answered `initialize`. A stateless (2026-07-28) process is
/// offered to all users. If answered `server_retired`, it stays with its present users and ends without them.
struct upstream_initialized {
  bool is_modern = false;
};

/// The shared upstream of this owner has had no users for a while.
struct upstream_unused {
  std::string owner;
};

/// Status of a server that the sender runs before it is used, for an essential server.
struct upstream_status {
  protocol::server_status status;
};

/// The server was removed from the configuration: no more upstreams are given.
struct server_retired {};

/// Receives the findings of upstreams about their server.
using upstream_observer_actor = caf::typed_actor<caf::reacts_to<upstream_spoke>, caf::reacts_to<upstream_start_failed>,
                                                 caf::reacts_to<upstream_start_abandoned>,
                                                 caf::reacts_to<upstream_unused>, caf::reacts_to<server_era_detected>,
                                                 caf::reacts_to<upstream_initialized>, caf::reacts_to<upstream_status>>;

/// SERVER: one configured MCP server. Gives upstreams by its sharing rules, and owns the shared one.
using server_actor = upstream_observer_actor::extend<caf::reacts_to<upstream_request>, caf::reacts_to<server_retired>,
                                                     caf::reacts_to<report_request>, caf::reacts_to<restart_request>,
                                                     caf::reacts_to<tick>>;

// -- server -> upstream that waits for a user -----------------------------------------------------

struct serve_user {
  downstream_actor user;
  std::string session;
  /// The user supervises the upstream, see `bare_upstream_setup`.
  bool is_supervised = false;
};

/// UPSTREAM that is a bare process or connection.
using bare_upstream_actor = upstream_actor::extend<caf::reacts_to<serve_user>>;

// -- child process -> its upstream --------------------------------------------------------------

// `child` is the number that the upstream gave the process.

struct child_wrote {
  std::vector<std::string> lines;
  std::uint64_t child = 0;
};
struct child_skipped {
  protocol::skipped_line line;
  std::uint64_t child = 0;
};
struct child_wrote_stderr {
  std::vector<std::string> lines;
  std::uint64_t child = 0;
};
struct child_lost {
  std::string why;
  bool is_shortage = false;
  std::uint64_t child = 0;
};

/// Owner of a child process.
using child_owner_actor = caf::typed_actor<caf::reacts_to<child_wrote>, caf::reacts_to<child_skipped>,
                                           caf::reacts_to<child_wrote_stderr>, caf::reacts_to<child_lost>>;

/// UPSTREAM on stdio: a broker between a session and the pipes of a child process.
using stdio_upstream_actor = bare_upstream_actor::extend_with<child_owner_actor>::extend<caf::reacts_to<tick>>;

// -- http client -> its upstream ------------------------------------------------------------------

/// Event of a call, with the number of its attempt.
struct remote_event {
  protocol::call_event what;
};

/// UPSTREAM on HTTP: a broker between its user and a remote server.
using http_upstream_actor =
    bare_upstream_actor::extend_with<token_user_actor>::extend<caf::reacts_to<remote_event>, caf::reacts_to<tick>>;

// -- handler of the host -> its upstream ----------------------------------------------------------

/// A message about a call, or, if `call` is 0, from the server itself.
struct hosted_said {
  std::uint64_t call = 0;
  protocol::message message;
};

/// UPSTREAM in the host's own program: between its user and the host's handlers.
using hosted_upstream_actor = bare_upstream_actor::extend<caf::reacts_to<hosted_said>>;

/// UPSTREAM that keeps a server running, for one user or for many: through a bare upstream of that server, or with a
/// child process of its own.
using supervised_upstream_actor = upstream_actor::extend_with<downstream_actor>::extend_with<child_owner_actor>::extend<
    caf::reacts_to<server_retired>, caf::reacts_to<tick>>;

// -- server -> registry -------------------------------------------------------------------------

/// Readiness of the sender, which is essential: the reason why it is not ready, or empty if it is.
struct server_readiness {
  std::string why_not;
};
/// A process or connection of the sender's server could not be started for lack of descriptors, memory or processes.
struct shortage_found {
  /// User for which it was to start; null if several share it.
  caf::actor_addr user;
};

// -- upstream -> registry -----------------------------------------------------------------------

/// Result of a server's `initialize`, for later sessions; empty if the server has not answered in time.
struct server_known {
  std::uint64_t server = 0;
  std::string result;
};

/// A tool or prompt that is left out of the merged lists.
struct name_omitted {
  protocol::name_hidden what;
};

/// State of a server's part of a merged list, in the session that sends this.
struct list_part_changed {
  enum class state { failed, recovered, session_ended };
  protocol::missing_part which;
  state is = state::failed;
  /// If it failed: the cause, unsanitized, and whether the part had failed before in this session, for another cause.
  std::string why = {};
  bool has_failed_before = false;
};

} // namespace troupe::actors

// clang-format off
#define TROUPE_UPSTREAM_MESSAGES(each) \
  each(to_server) each(user_disconnected) each(restart_request) each(from_server) each(upstream_granted) each(server_lost) \
  each(upstream_request) each(server_readiness) each(shortage_found) each(server_retired) each(server_era_detected) \
  each(upstream_spoke) each(upstream_start_failed) each(upstream_start_abandoned) each(upstream_unused) each(upstream_initialized) each(upstream_status) \
  each(serve_user) each(child_wrote) each(child_skipped) each(child_wrote_stderr) each(child_lost) each(remote_event) \
  each(hosted_said) each(server_known) each(name_omitted) each(list_part_changed)
// clang-format on

namespace caf {

TROUPE_UPSTREAM_MESSAGES(TROUPE_STAYS_HERE)

} // namespace caf
