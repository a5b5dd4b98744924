#pragma once

#include "protocol/message/message.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// A gateway, as operators see it.
struct live_node {
  /// Another node of its cluster.
  struct other {
    std::string name;
    bool draining = false;
  };
  /// How sessions leave a node that drains at a rate.
  struct leaving {
    /// As `drain_rate_text`.
    std::string rate;
    /// Sessions that are yet to leave, that have left, and that stay, with leases.
    std::size_t to_move = 0, moved = 0, stay = 0;
    std::size_t calls = 0;
  };
  /// What the host's program lets operators do.
  struct abilities {
    bool reload = false, drain = false, log_level = false, content = false;
  };

  /// Empty without a cluster.
  std::string name;
  std::string version;
  int pid = 0;
  std::chrono::milliseconds uptime = {};
  bool draining = false;
  /// Nothing when its sessions do not leave at a rate, or when all have left.
  std::optional<leaving> drain = {};
  std::size_t sessions = 0;
  std::size_t leases = 0;
  /// Of sessions and leases together.
  std::size_t max_sessions = 0;
  /// From which level on events are logged; empty when that is not known.
  std::string log_level = {};
  std::vector<other> nodes = {};
  abilities can = {};
};

/// A node as a JSON object.
std::string live_node_text(const live_node& one);

/// A process that runs, or a connection to a remote server.
struct live_process {
  /// 0 for a connection.
  int pid = 0;
  std::chrono::milliseconds age = {};
  /// Of the session that has it alone, as logs show it; otherwise empty.
  std::string session;
};

/// A configured server, as operators see it.
struct live_server {
  std::string name;
  /// `stdio`, `remote`, or `hosted` in the host's own program.
  std::string_view kind;
  /// An operator may have disabled it.
  bool enabled = true;
  /// Why it is essential and not ready; otherwise empty.
  std::string not_ready = {};
  /// How many of what is kept running of it are in which state, see `server_report`.
  std::map<std::string, std::size_t> states = {};
  std::uint64_t restarts = 0;
  /// Sessions that use what is kept running.
  std::size_t users = 0;
  /// Of the last loss; empty when there was none.
  std::string why = {};
  std::vector<live_process> processes = {};
};

/// One as a JSON object.
std::string live_server_text(const live_server& one);
/// All of them, in their order.
std::string live_servers_text(const std::vector<live_server>& all);

/// A request of a client that has no answer yet. `method` is valid for ever.
struct live_call {
  /// Among those of its session.
  std::uint64_t number = 0;
  std::string_view method;
  /// The tool or prompt that it names; empty when it names none.
  std::string name;
  /// The server that it went to; empty when that is none yet, or several.
  std::string server;
  std::chrono::milliseconds age = {};
};

/// A session or a lease, as operators see it.
struct live_session {
  std::uint64_t number = 0;
  /// As logs show it.
  std::string id;
  /// `streamable_http`, `http_sse`, or `stateless` for a lease.
  std::string_view transport;
  /// The server in its path; empty where all are merged.
  std::string server;
  /// Who has it, as rules name him; empty for nobody in particular.
  std::string caller;
  std::chrono::milliseconds age = {};
  /// How long nobody has used it; nothing while somebody does.
  std::optional<std::chrono::milliseconds> idle = {};
  std::vector<live_call> calls = {};
  /// Event streams that a connection carries, by what they are for.
  std::size_t primary = 0, shadow = 0, of_calls = 0, listens = 0;
  /// Questions of servers, or calls that are parked with them.
  std::size_t questions = 0;
};

/// One as a JSON object.
std::string live_session_text(const live_session& one);
/// A page of them, in the order of their numbers, and how many there are in all. `last` is the number after which the
/// next page begins; nothing on the last page.
std::string live_sessions_text(std::vector<live_session> page, std::size_t total, std::optional<std::uint64_t> last);
/// Their calls, the oldest first, `limit` of them at most, and how many there are in all.
std::string live_calls_text(const std::vector<live_session>& all, std::size_t limit);

/// A message of a session, for who follows that.
struct followed_message {
  const message& what;
  /// `client` or `server`: who has said it.
  std::string_view from;
  /// Of a request or a response: its id as the asker has it, a JSON token.
  std::string_view id;
  /// The tool or prompt that a request names; empty when it names none.
  std::string_view name;
  std::chrono::system_clock::time_point at;
};

/// Its event. What the message says is in it `with_content` only.
std::string followed_event(const followed_message& one, bool with_content);
/// The last event: the session has ended.
std::string end_of_following();

} // namespace troupe::protocol
