#pragma once

#include "net/client/http_call.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace troupe::net {

/// What an answer that is waited for may take.
struct waiting_limits {
  /// Longest body, in bytes.
  std::size_t bytes = 64 * 1024 * 1024;
  /// From the start of the call to the end of the answer.
  std::chrono::milliseconds time = std::chrono::seconds{10};
};

/// What became of a call.
struct waited_answer {
  /// 0 when there is no answer.
  int status = 0;
  std::string body = {};
  /// Why there is no whole answer, in one line.
  std::string why_not = {};
  /// Nobody listens there.
  bool is_nobody_there = false;
};

/// Takes a piece of a body. False ends the call, whose answer then is as it should be.
using piece_taker = std::function<bool(std::string_view)>;

/// Sends a call over a connection of its own, without TLS, and waits for its answer. Blocks, so it is for threads that
/// have nothing else to do; callable from any. With a `socket_path` the server listens at that unix socket, whatever
/// host the URL names.
///
/// With `piece`, the body of an answer of status 200 is handed to it as it comes, and may be as long and take as long
/// as it likes.
waited_answer wait_for_answer(const http_call& what, const std::string& socket_path, const waiting_limits& limits,
                              const piece_taker& piece = nullptr);

} // namespace troupe::net
