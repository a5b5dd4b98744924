#pragma once

#include "protocol/message/client_profile.hpp"
#include "protocol/modern_client/request_state.hpp"

#include <chrono>
#include <cstddef>
#include <string_view>

namespace troupe::protocol {

/// What a `server_as_modern` does, and how much of it. Beyond each limit a request is refused with an error.
struct server_as_modern_rules {
  /// What every client of the lease can be asked.
  client_profile can = {};
  /// The lease, as a `requestState` names it. The text outlives the face.
  std::string_view lease = {};
  /// Bound to the caller.
  state_seal seal = {};
  /// Requests pass as they are to a server of 2026-07-28. Not where a retry may meet another process of it, for the
  /// `requestState` may be of use to that alone which made it: by ours a retry finds it.
  bool passes = true;
  /// Ids of tasks are sealed, see `task_ids`: where callers are told apart.
  bool seals_tasks = false;
  /// The header fields of tool calls must say what their bodies say: not where requests come without any.
  bool checks_fields = true;
  /// Of the gateway, for `clientInfo`. The text outlives the face.
  std::string_view version = {};
  /// Questions that follow each other within this time are asked together, for a server writes them one by one; each
  /// at once when zero, and for calls whose questions have come alone so far.
  std::chrono::milliseconds collect = {};
  /// How long a parked call waits for its client.
  std::chrono::milliseconds parked = std::chrono::minutes{10};
  /// How long a call may run as a task.
  std::chrono::milliseconds task = std::chrono::minutes{30};
  /// Requests that wait for the server to be initialized, that it works on, or that are parked; and
  /// cancelled ones whose task has no name yet.
  std::size_t calls = 1000;
  std::size_t parked_calls = 1000;
  /// Bytes of what is kept: requests that wait, what is known of calls, with the params of those that may be parked,
  /// questions, answers that wait for a retry, and listens.
  std::size_t waiting_bytes = std::size_t{16} << 20;
  std::size_t listens = 1024;
};

} // namespace troupe::protocol
