#pragma once

// A message header of `messages.hpp`, which includes it: from processes, remote servers and handlers to upstreams.

#include "actors/messages.hpp"
#include "protocol/remote/remote_effects.hpp"

namespace troupe::actors {

// -- server -> upstream that waits for a user -----------------------------------------------------

struct serve_user {
  downstream_actor user;
  std::string session;
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
  protocol::member_list which;
  state is = state::failed;
  /// If it failed: the cause, unsanitized, and whether the part had failed before in this session, for another cause.
  std::string why = {};
  bool has_failed_before = false;
};

} // namespace troupe::actors
