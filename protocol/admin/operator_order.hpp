#pragma once

#include "protocol/rate_limits.hpp"
#include "protocol/rejection.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace troupe::protocol {

/// A request of an operator's, as it came: it may be for another node, which reads it then.
struct operator_request {
  std::string method;
  /// Path and query.
  std::string target;
  std::string body = {};
};

// What an operator can ask of a node. Sessions are those of the session era and leases; they and their calls are named
// by their numbers, which count up and are never used again.

/// Counts of all that lives, as `/debug/state` has them.
struct show_state {};
/// What the node is, and which others there are.
struct show_node {};
/// The sessions with higher numbers, `limit` of them at most.
struct list_sessions {
  std::uint64_t after = 0;
  std::size_t limit = 100;
  /// Only those of this server's path, of whoever has this name, of which this is part of the id as logs show it; empty
  /// for all.
  std::string server = {};
  std::string caller = {};
  std::string id = {};
  /// Only those that nobody uses, or that somebody does.
  std::optional<bool> idle = {};
};
struct show_session {
  std::uint64_t number = 0;
};
struct end_session_now {
  std::uint64_t number = 0;
};
struct end_call_now {
  std::uint64_t session = 0;
  std::uint64_t call = 0;
};
/// The messages of a session as they come; what they say only with `content`.
struct follow_session {
  std::uint64_t number = 0;
  bool content = false;
};
/// The calls under way, the oldest first.
struct list_calls {
  std::size_t limit = 100;
};
/// One server, or all when it has no name.
struct list_servers {
  std::string name = {};
};
struct change_server {
  enum class kind { restart, enable, disable };
  std::string name;
  kind how = kind::restart;
};
/// The configuration is read again.
struct reload_configuration {};
/// The gateway stops when its calls are over. With a rate its sessions leave for other nodes before that, so many at a
/// time.
struct drain_gateway {
  std::optional<drain_rate> rate = {};
};
/// A gateway whose sessions leave at a rate stays after all.
struct undrain_gateway {};
/// The level from which on events are logged; nothing when it is only asked for.
struct log_level_order {
  std::string level = {};
};

using operator_order = std::variant<show_state, show_node, list_sessions, show_session, end_session_now, end_call_now,
                                    follow_session, list_calls, list_servers, change_server, reload_configuration,
                                    drain_gateway, undrain_gateway, log_level_order>;

/// An order, and the name of the node that it is for; empty for the one that is asked.
struct addressed_order {
  std::string node;
  operator_order what;
};

/// Most that one page of sessions or of calls has.
inline constexpr std::size_t longest_page = 1000;

/// Reads a request at a path under `/api/`: what is asked for, or why not, with 400, 404 or 405.
std::variant<rejection, addressed_order> read_operator_order(const operator_request& request);

} // namespace troupe::protocol
