#pragma once

#include "net/client/http_call.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace troupe::net {

/// Limits of an answer that a thread waits for.
struct waiting_limits {
  /// Longest body, in bytes.
  std::size_t bytes = 64 * 1024 * 1024;
  /// Limit from the start of the call to the end of the answer.
  std::chrono::milliseconds time = std::chrono::seconds{10};
};

/// Result of a call.
struct waited_answer {
  /// HTTP status; 0 when there is no answer.
  int status = 0;
  std::string body = {};
  /// Why there is no whole answer, in one line.
  std::string why_not = {};
  /// Whether nothing listens at the address.
  bool is_unreachable = false;
};

/// Takes a piece of a body. False ends the call, whose answer then counts as complete.
using piece_taker = std::function<bool(std::string_view)>;

/// Sends a call over a connection of its own, without TLS, and waits for the answer. Blocks, so it is for threads that
/// have nothing else to do; callable from any. With a `socket_path` it connects to that unix socket, whatever host the
/// URL names.
///
/// With `piece`, hands out the body of an answer of status 200 as it arrives, without limits of length and time.
waited_answer wait_for_answer(const http_call& what, const std::string& socket_path, const waiting_limits& limits,
                              const piece_taker& piece = nullptr);

} // namespace troupe::net
