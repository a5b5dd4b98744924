#pragma once

#include "protocol/supervised/restarts.hpp"
#include "protocol/supervised/tool_filter.hpp"

#include <chrono>
#include <cstddef>
#include <string>

namespace troupe::protocol {

/// Sharing of a server, and limits of its users.
struct supervision_rules {
  /// True: a single user, whose own `initialize` the server gets. False: many users and an `initialize` of the
  /// gateway's own. A shared stateless (2026-07-28) server receives each user's own envelope.
  bool dedicated = false;
  /// True if the server's exit ends its users; otherwise the server restarts.
  bool ends_users = false;
  /// True if the server is shared once its program is found to speak 2026-07-28; otherwise it has a single user.
  bool shares_modern = false;
  /// True if a stateless (2026-07-28) server may come back as one with sessions: its user sees sessions anyway.
  bool may_become_older = false;
  /// Value of `ends_users` once the server is shared.
  bool ends_sharing_users = false;
  /// True if the server may forget its session with the gateway, as remote servers do. Requests are then kept until
  /// they are answered, and sent once more if refused for that reason.
  bool may_forget = false;
  restart_limits restarts = {};
  /// Limit without an answer or progress, after which a request fails; it fails in any case after `request_cap`.
  std::chrono::milliseconds request = std::chrono::minutes{5};
  std::chrono::milliseconds request_cap = std::chrono::minutes{30};
  std::chrono::milliseconds initialize = std::chrono::seconds{30};
  /// Limit for an answer to a server's request to a user: a person may have to give it.
  std::chrono::milliseconds question = std::chrono::minutes{10};
  /// Maximum number of requests per user, in flight or waiting for the server.
  std::size_t calls = 1000;
  /// Limit of messages that wait for the server to start, in bytes. Also the limit, per user, of kept calls that a
  /// stateless (2026-07-28) server may need input for.
  std::size_t waiting_bytes = 16 * 1024 * 1024;
  /// Maximum number of the server's requests in flight, per user.
  std::size_t questions = 256;
  /// Maximum number of subscriptions per user.
  std::size_t subscriptions = 1000;
  tool_filter tools = {};
  /// Version of the gateway.
  std::string version = {};
};

} // namespace troupe::protocol
