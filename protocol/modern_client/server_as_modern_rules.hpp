#pragma once

#include "protocol/message/client_profile.hpp"
#include "protocol/modern_client/request_state.hpp"

#include <chrono>
#include <cstddef>
#include <string_view>

namespace troupe::protocol {

/// Settings and limits of a `server_as_modern`. A request over a limit is refused with an error.
struct server_as_modern_rules {
  /// Capabilities of every client of the lease.
  client_profile can = {};
  /// Lease name in `requestState`. The text must outlive the adapter.
  std::string_view lease = {};
  /// Seal for the caller of the lease.
  state_seal seal = {};
  /// Requests to stateless (2026-07-28) servers pass unchanged. False where a retry may reach another process, as only
  /// the one that made a `requestState` may understand it. Our own state leads a retry back to its process.
  bool passes = true;
  /// Task ids are sealed, see `with_sealed_task`; needed where callers are distinguished.
  bool seals_tasks = false;
  /// Header fields of tool calls must match their bodies; false where requests have no such fields.
  bool checks_fields = true;
  /// Gateway version, for `clientInfo`. The text must outlive the adapter.
  std::string_view version = {};
  /// Time to collect questions that are asked together, as a server sends them one by one. Each is asked at once if
  /// zero, or if earlier calls of the same name led to single questions.
  std::chrono::milliseconds collect = {};
  /// Time that a parked call waits for its client.
  std::chrono::milliseconds parked = std::chrono::minutes{10};
  /// Longest time that a call may run as a task.
  std::chrono::milliseconds task = std::chrono::minutes{30};
  /// Most calls: waiting for initialization, at the server, parked, or cancelled while the task has no name yet.
  std::size_t calls = 1000;
  std::size_t parked_calls = 1000;
  /// Most bytes stored: waiting requests, calls (with params if they may be parked), questions, answers that wait for a
  /// retry, and listens.
  std::size_t waiting_bytes = std::size_t{16} << 20;
  std::size_t listens = 1024;
};

} // namespace troupe::protocol
