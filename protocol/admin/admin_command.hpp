#pragma once

#include "protocol/rate_limits.hpp"
#include "protocol/rejection.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace troupe::protocol {

/// Request of an operator as received. It may be for another node, which then parses it.
struct operator_request {
  std::string method;
  /// Path and query.
  std::string target;
  std::string body = {};
};

// Orders of an operator to a node. Sessions include leases here. Sessions and calls are named by their numbers, which
// count up and are never used again.

/// Counts of all live objects, as in `/debug/state`.
struct show_state {};
/// Facts about the node, and the list of other nodes.
struct show_node {};
/// Whether the gateway is ready, and why not; with `verbose` also the failures of its servers.
struct show_readiness_now {
  bool verbose = false;
};
/// Sessions with numbers above `after`, up to `limit` of them.
struct list_sessions {
  std::uint64_t after = 0;
  std::size_t limit = 100;
  /// Filters, empty for all: the server in the path, the caller's name, and a part of the id as logs show it.
  std::string server = {};
  std::string caller = {};
  std::string id = {};
  /// Only sessions that are idle, or only those in use.
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
/// Messages of a session as they arrive; their contents only with `content`.
struct follow_session {
  std::uint64_t number = 0;
  bool content = false;
};
/// Calls under way, the oldest first.
struct list_calls {
  std::size_t limit = 100;
};
/// The server of that name, or all servers when it is empty.
struct list_servers {
  std::string name = {};
};
struct change_server {
  enum class kind { restart, enable, disable };
  std::string name;
  kind how = kind::restart;
};
/// Read the configuration again.
struct reload_configuration {};
/// Stop the gateway when its calls are over. With a rate, its sessions first leave for other nodes, so many at a time.
struct drain_gateway {
  std::optional<drain_rate> rate = {};
};
/// Cancel a drain at a rate: the gateway stays.
struct undrain_gateway {};
/// Set the lowest level of events that are logged; only query it when `level` is empty.
struct log_level_command {
  std::string level = {};
};

using admin_command =
    std::variant<show_state, show_node, show_readiness_now, list_sessions, show_session, end_session_now, end_call_now,
                 follow_session, list_calls, list_servers, change_server, reload_configuration, drain_gateway,
                 undrain_gateway, log_level_command>;

/// Order, and the name of the node that it is for; empty for the node that received it.
struct addressed_command {
  std::string node;
  admin_command what;
};

/// Most sessions or calls on one page.
inline constexpr std::size_t longest_page = 1000;

/// Parses a request at a path under `/api/`, or at `/readyz`: returns its order, or a rejection with 400, 404 or 405.
std::variant<rejection, addressed_command> read_operator_order(const operator_request& request);

} // namespace troupe::protocol
