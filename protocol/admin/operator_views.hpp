#pragma once

#include "protocol/message/message.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// Gateway, as operators see it.
struct live_node {
  /// Node of the cluster, except this one.
  struct other {
    std::string name;
    bool draining = false;
  };
  /// Progress of a node that drains at a rate.
  struct leaving {
    /// Rate in the format of `drain_rate_text`.
    std::string rate;
    /// Sessions yet to leave, sessions that have left, and sessions that stay, including leases.
    std::size_t to_move = 0, moved = 0, stay = 0;
    std::size_t calls = 0;
  };
  /// Orders that the host program permits to operators.
  struct abilities {
    bool reload = false, drain = false, log_level = false, content = false;
  };

  /// Empty without a cluster.
  std::string name;
  std::string version;
  int pid = 0;
  std::chrono::milliseconds uptime = {};
  bool draining = false;
  /// Empty when sessions do not leave at a rate, or when all have left.
  std::optional<leaving> drain = {};
  std::size_t sessions = 0;
  std::size_t leases = 0;
  /// Limit of sessions and leases together.
  std::size_t max_sessions = 0;
  /// Lowest level of events that are logged; empty when unknown.
  std::string log_level = {};
  std::vector<other> nodes = {};
  abilities can = {};
};

/// Formats a node as a JSON object.
std::string live_node_text(const live_node& one);

/// Request of a client without an answer yet. `method` must have static lifetime.
struct live_call {
  /// Number within the session.
  std::uint64_t number = 0;
  std::string_view method;
  /// Tool or prompt in the request; empty when there is none.
  std::string name;
  /// Server that received the request; empty when there is none yet, or several.
  std::string server;
  std::chrono::milliseconds age = {};
};

/// Session or lease, as operators see it.
struct live_session {
  std::uint64_t number = 0;
  /// Id as logs show it.
  std::string id;
  /// `streamable_http`, `http_sse`, or `stateless` for a lease.
  std::string_view transport;
  /// Server in the session's path; empty where all are merged.
  std::string server;
  /// Caller's name in rules; empty without credentials.
  std::string caller;
  std::chrono::milliseconds age = {};
  /// Time since the last use; empty while in use.
  std::optional<std::chrono::milliseconds> idle = {};
  std::vector<live_call> calls = {};
  /// Event streams with a connection, by purpose.
  std::size_t primary = 0, shadow = 0, of_calls = 0, listens = 0;
  /// Questions of servers, or calls that are parked with them.
  std::size_t questions = 0;
};

/// Formats a session as a JSON object.
std::string live_session_text(const live_session& one);
/// Formats a page of sessions, in the order of their numbers, and the total of all. `last` is the number after which
/// the next page begins; empty on the last page.
std::string live_sessions_text(std::vector<live_session> page, std::size_t total, std::optional<std::uint64_t> last);
/// Formats the calls of these sessions, the oldest first, up to `limit` of them, and the total of all.
std::string live_calls_text(const std::vector<live_session>& all, std::size_t limit);

/// Message of a session that an operator follows.
struct followed_message {
  const message& what;
  /// Sender: `client` or `server`.
  std::string_view from;
  /// Id of a request or a response as its requester has it, a JSON token.
  std::string_view id;
  /// Tool or prompt that a request names; empty when there is none.
  std::string_view name;
  std::chrono::system_clock::time_point at;
};

/// Formats the event of a message; its contents only `with_content`.
std::string followed_event(const followed_message& one, bool with_content);
/// Formats the last event: the session has ended.
std::string end_of_following();

} // namespace troupe::protocol
