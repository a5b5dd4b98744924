#pragma once

namespace troupe::protocol {

/// How an HTTP call to a remote server gets one of the connections that the server is given.
enum class call_turn {
  /// At once, and uncounted: what a session has only once, such as the stream that it listens on.
  uncounted,
  /// A request to the server; its answer may take long.
  request,
  /// The rest of a request's answer: goes before requests that have not begun.
  resumed_request,
  /// A notification, or the answer to a question of the server. These wait only for each other: a request may be
  /// waiting for just this answer.
  message
};

} // namespace troupe::protocol
