#pragma once

#include "net/client/http_client.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace troupe::net {

/// A whole answer.
struct fetched {
  /// 0 when there is none.
  int status = 0;
  http_fields fields = {};
  std::string body = {};
  /// Why there is none, in one line.
  std::string why_not = {};

  /// As `http_answer_head::field`.
  std::string_view field(std::string_view name) const;
};

/// What an answer that is gathered may take.
struct fetch_limits {
  /// Longest body, in bytes.
  std::size_t bytes = 1024 * 1024;
  /// From the start of the call to the end of the answer. What is silent before is told by the limits of the client.
  std::chrono::milliseconds time = std::chrono::seconds{10};
};

/// Sends a call and gathers its answer. Tells once, never from inside, on the thread of the
/// client; not after the client's end.
void fetch(http_client& by, http_call what, const fetch_limits& limits, std::function<void(fetched)> then);

} // namespace troupe::net
