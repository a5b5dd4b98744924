#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string_view>

namespace troupe {

/// One request of a client, told once its answer is complete. No arguments, results, tokens or whole ids.
struct access_record {
  /// When the request came.
  std::chrono::system_clock::time_point at = {};
  /// Its id: 16 hex digits.
  std::string_view request = {};
  /// The client's address; empty on a unix socket.
  std::string_view client = {};
  /// Who asked, as rules name him; empty for nobody.
  std::string_view caller = {};
  /// The issuer of that name: `key`, `certificate`, or the URL of the token issuer.
  std::string_view issuer = {};
  std::string_view http_method = {};
  /// Without the query.
  std::string_view path = {};
  /// 499 when the client went away before it was answered.
  int status = 0;
  /// As logs show it.
  std::string_view session = {};
  /// Of MCP: the method, the tool or prompt that it names, and the server that answered. Empty when there is none.
  std::string_view method = {};
  std::string_view tool = {};
  std::string_view server = {};
  /// A JSON-RPC code, `tool_error`, `cancelled`, `server_lost`, `closed` when the client went away, or
  /// `credentials_ended` when the token of a stream was revoked; empty when it succeeded.
  std::string_view error = {};
  std::chrono::microseconds total = {};
  /// From when it was passed on until the answer, the start of a server included; zero when no server was asked.
  std::chrono::microseconds in_server = {};
  /// Of the bodies.
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  /// The trace that it belongs to: 32 hex digits; empty without one.
  std::string_view trace = {};
};

/// Where they go. The texts of a record are there during the call only. Called from several threads at once; must not
/// block and must not throw.
using access_sink = std::function<void(const access_record&)>;

} // namespace troupe
