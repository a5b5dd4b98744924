#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string_view>

namespace troupe {

/// Record of one client request, made once its answer is complete. Has no arguments, results, tokens or whole ids.
struct access_record {
  /// Arrival of the request.
  std::chrono::system_clock::time_point at = {};
  /// Id of the request: 16 hex digits.
  std::string_view request = {};
  /// Address of the client; empty on a unix socket.
  std::string_view client = {};
  /// Caller, by the name that access rules use; empty if anonymous.
  std::string_view caller = {};
  /// Issuer of the caller's name: `key`, `certificate`, or the URL of the token issuer.
  std::string_view issuer = {};
  std::string_view http_method = {};
  /// Path without the query.
  std::string_view path = {};
  /// HTTP status; 499 if the client disconnected before the answer.
  int status = 0;
  /// Session id, shortened as in logs.
  std::string_view session = {};
  /// MCP method, the tool or prompt that it names, and the server that answered; empty where there is none.
  std::string_view method = {};
  std::string_view tool = {};
  std::string_view server = {};
  /// JSON-RPC error code, `tool_error`, `cancelled`, `server_lost`, `closed` if the client disconnected, or
  /// `credentials_ended` if the token of a stream was revoked; empty on success.
  std::string_view error = {};
  std::chrono::microseconds total = {};
  /// Time from forwarding the request to the answer, the start of a server included; zero if no server was used.
  std::chrono::microseconds in_server = {};
  /// Bytes of the request body and the response body.
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  /// Trace id: 32 hex digits; empty without a trace.
  std::string_view trace = {};
};

/// Receives the records. The texts of a record are valid during the call only. Called from several threads at once;
/// must not block and must not throw.
using access_sink = std::function<void(const access_record&)>;

} // namespace troupe
