#pragma once

#include <string>
#include <string_view>

namespace troupe::protocol {

/// How a request ended, for metrics and logs.
struct call_outcome {
  enum class kind : unsigned char {
    success,
    /// The tool has failed: the result says `isError`.
    tool_error,
    /// A JSON-RPC error of that code.
    error,
    /// Its client does not want to know any more.
    cancelled,
    /// Its server was lost, or could not be had.
    lost
  };
  kind is = kind::success;
  int code = 0;

  /// Whether what the request named was there.
  bool has_run() const { return is == kind::success || is == kind::tool_error; }
  /// As logs have it: empty for a success, `tool_error`, `cancelled`, `server_lost`, or the code of the error.
  std::string text() const { return is == kind::success ? std::string{} : failure_text(); }
  /// The same for metrics, where there are few different ones (OpenTelemetry, `error.type`): `_OTHER` for a code that
  /// JSON-RPC and MCP do not know.
  std::string_view label() const { return is == kind::success ? std::string_view{} : failure_label(); }

  friend bool operator==(const call_outcome&, const call_outcome&) = default;

private:
  std::string failure_text() const;
  std::string_view failure_label() const;
};

inline constexpr call_outcome failed_with(int code) { return {call_outcome::kind::error, code}; }

} // namespace troupe::protocol
