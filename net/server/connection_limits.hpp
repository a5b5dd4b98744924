#pragma once

#include "protocol/http/http.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <limits>

namespace troupe::net {

/// Limits of a connection in bytes and time, and of all connections together.
struct connection_limits {
  /// Most connections at the same time; for a further one the oldest without an exchange is closed.
  std::size_t connections = std::numeric_limits<std::size_t>::max();
  std::size_t header = 64 * 1024;
  std::size_t body = 4 * 1024 * 1024;
  /// Bytes that may wait for a client that reads slowly, besides those of the write under way. More than a session
  /// keeps for resumption, because a client that is back gets that at once.
  std::size_t unsent = 10 * 1024 * 1024;
  /// Bytes of answers that a client has not read, above which its next request waits.
  std::size_t unread = 256 * 1024;
  /// Time of a new connection until its first request begins.
  std::chrono::milliseconds first_request = std::chrono::seconds{10};
  /// Time of a connection without a further request.
  std::chrono::milliseconds idle = std::chrono::seconds{75};
  /// Time from the first byte of a request to the end of its header, and on to the end of its body.
  std::chrono::milliseconds header_time = std::chrono::seconds{15};
  std::chrono::milliseconds body_time = std::chrono::seconds{60};
  /// Time until all texts of one write are out, and the rate that adds to it for their size: bytes a second that a
  /// client has to read. Reading some now and then gives a client no more time.
  std::chrono::milliseconds write_time = std::chrono::seconds{60};
  std::size_t least_rate = 32 * 1024;
  /// Time for a new connection's first request, when the listener drains. The request may be on its way, or its client
  /// about to send it: a client that gets no processor time for a moment must not lose its call.
  std::chrono::milliseconds last_request = std::chrono::seconds{2};
  /// Time after a refusal that ends the connection, in which further input is read and dropped. A reset would take the
  /// refusal with it.
  std::chrono::milliseconds linger = std::chrono::seconds{2};
  /// Time in which input of a connection above the limit is read and dropped after its answer.
  std::chrono::milliseconds surplus_linger = std::chrono::milliseconds{250};
  /// Whether a request is answered on a connection above the limit. Null: such connections are closed at once.
  std::function<bool(const protocol::http_request& request)> is_always_answered = nullptr;
};

/// Returns how long a write of that many bytes may take.
inline std::chrono::milliseconds write_time_of(const connection_limits& limits, std::size_t bytes) {
  return limits.write_time + std::chrono::milliseconds{1000 * bytes / limits.least_rate};
}

} // namespace troupe::net
