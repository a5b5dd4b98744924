#pragma once

#include "net/client/http_client.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

namespace troupe::net {

/// Whole answer, or why there is none; then its status is 0.
struct fetched : http_answer_head {
  std::string body = {};
  /// Why there is no answer, in one line.
  std::string why_not = {};
};

/// Limits of a whole answer.
struct fetch_limits {
  /// Longest body, in bytes.
  std::size_t bytes = 1024 * 1024;
  /// Limit from the start of the call to the end of the answer. The client's own limits may report silence before.
  std::chrono::milliseconds time = std::chrono::seconds{10};
};

/// Sends a call and collects its answer. Calls `then` once, never from inside, on the thread of the client; not after
/// the client's end.
void fetch(http_client& by, http_call what, const fetch_limits& limits, std::function<void(fetched)> then);

} // namespace troupe::net
