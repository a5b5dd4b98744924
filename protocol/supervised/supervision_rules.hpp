#pragma once

#include "protocol/supervised/restarts.hpp"
#include "protocol/supervised/tool_filter.hpp"

#include <chrono>
#include <cstddef>
#include <string>

namespace troupe::protocol {

/// How a server is shared, and the limits of its users.
struct supervision_rules {
  /// It has one user, whose `initialize` it gets; otherwise many, and an `initialize` of the gateway's own. One of
  /// 2026-07-28 hears of each of its many users by his own envelope.
  bool dedicated = false;
  /// A loss ends its users instead of a restart.
  bool ends_users = false;
  /// It has many users from when its program is found to speak 2026-07-28, and one user when it does not.
  bool shares_modern = false;
  /// One that was of 2026-07-28 may come back as one with sessions: its user takes it for one with sessions anyway.
  bool may_become_older = false;
  /// What `ends_users` becomes when it has many users from then on.
  bool ends_sharing_users = false;
  /// It may forget its session with the gateway, as remote servers do: requests are kept until they are answered, and
  /// those that it refused for that reason are sent once more.
  bool may_forget = false;
  restart_limits restarts = {};
  /// A request fails after this long without an answer or progress, and in any case after `request_cap`.
  std::chrono::milliseconds request = std::chrono::minutes{5};
  std::chrono::milliseconds request_cap = std::chrono::minutes{30};
  std::chrono::milliseconds initialize = std::chrono::seconds{30};
  /// A server's question to a user fails after this long: a person may have to answer it.
  std::chrono::milliseconds question = std::chrono::minutes{10};
  /// Per user, in flight or waiting for the server.
  std::size_t calls = 1000;
  /// What waits for the server to start, in bytes. As much is kept of each user's calls that a server of 2026-07-28 may
  /// need input for.
  std::size_t waiting_bytes = 16 * 1024 * 1024;
  /// Of the server, in flight, per user.
  std::size_t questions = 256;
  /// Per user.
  std::size_t subscriptions = 1000;
  tool_filter tools = {};
  /// Of the gateway.
  std::string version = {};
};

} // namespace troupe::protocol
