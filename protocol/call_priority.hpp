#pragma once

namespace troupe::protocol {

/// Precedence of an HTTP call to a remote server, whose number of connections may be limited.
enum class call_priority {
  /// Sent at once and not counted: for a call that a session has only once, such as its listening stream.
  uncounted,
  /// A request to the server; its answer may take long.
  request,
  /// The rest of a request's answer; precedes requests that have not begun.
  resumed_request,
  /// A notification, or an answer to a request of the server. Waits only behind others of its kind: a pending request
  /// may depend on this very answer.
  message
};

} // namespace troupe::protocol
