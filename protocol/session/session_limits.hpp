#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace troupe::protocol {

/// Time limits and sizes of a session. The defaults are those of the gateway.
struct session_limits {
  /// Ends after this long without a request, a call in flight or an open stream.
  std::chrono::milliseconds idle = std::chrono::minutes{30};
  /// The same for a session whose client had a stream open and lost it; `idle` when that is shorter.
  std::chrono::milliseconds abandoned = std::chrono::minutes{5};
  /// A call fails after this long without an answer or progress, and in any case after `request_cap`.
  std::chrono::milliseconds request = std::chrono::minutes{5};
  std::chrono::milliseconds request_cap = std::chrono::minutes{30};
  /// From the beginning to `initialize`, and from there to its answer.
  std::chrono::milliseconds initialize = std::chrono::seconds{30};
  /// A server's question to the client fails after this long: a person may have to answer it.
  std::chrono::milliseconds question = std::chrono::minutes{10};
  /// Calls in flight, and the server's questions in flight.
  std::size_t calls = 1000;
  std::size_t questions = 256;
  /// Messages of the server that wait until the client is initialized, and their bytes; also messages of the client
  /// that wait until `initialize` is answered.
  std::size_t held = 64;
  std::size_t held_bytes = 1024 * 1024;
  /// Requests of clients that wait while the session is restored, and their bytes.
  std::size_t waiting = 64;
  std::size_t waiting_bytes = 8 * 1024 * 1024;

  /// The same for a server whose calls may take so long without progress: longer than the cap for others, too.
  session_limits with_request(std::chrono::milliseconds time) const {
    auto result = *this;
    result.request = time;
    result.request_cap = std::max(request_cap, time);
    return result;
  }
};

} // namespace troupe::protocol
