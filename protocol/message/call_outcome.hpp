#pragma once

#include <string>
#include <string_view>

namespace troupe::protocol {

/// Outcome of a request, for metrics and logs.
struct call_outcome {
  enum class kind : unsigned char {
    success,
    /// Failure of the tool: the result has `isError`.
    tool_error,
    /// JSON-RPC error with `code`.
    error,
    /// Cancelled by the client.
    cancelled,
    /// Failed because the server disconnected or exited, or was not available.
    lost
  };
  kind is = kind::success;
  int code = 0;

  /// Whether the request found the tool or other item that it named.
  bool has_run() const { return is == kind::success || is == kind::tool_error; }
  /// Text for logs: empty for a success, `tool_error`, `cancelled`, `server_lost`, or the code of the error.
  std::string text() const { return is == kind::success ? std::string{} : failure_text(); }
  /// Label for metrics, with few different values (OpenTelemetry, `error.type`): `_OTHER` for a code that JSON-RPC and
  /// MCP do not know.
  std::string_view label() const { return is == kind::success ? std::string_view{} : failure_label(); }

  friend bool operator==(const call_outcome&, const call_outcome&) = default;

private:
  std::string failure_text() const;
  std::string_view failure_label() const;
};

inline constexpr call_outcome failed_with(int code) { return {call_outcome::kind::error, code}; }

} // namespace troupe::protocol
