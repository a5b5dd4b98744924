#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace troupe::deploy {

namespace json = boost::json;

// Error codes of JSON-RPC and of MCP's session revisions.
constexpr int parse_error = -32700;
constexpr int invalid_request = -32600;
constexpr int method_not_found = -32601;
constexpr int invalid_params = -32602;
constexpr int resource_not_found = -32002;

/// Request from the client. Its id is kept as received, a string or an integer.
struct example_request {
  json::value id;
  std::string method;
  json::object params;
};

/// Client of the example server: each message is a line on stdout.
class example_client {
public:
  void answer(const json::value& id, json::object result);
  void refuse(const json::value& id, int code, std::string_view text);
  void notify(std::string_view method, json::object params);
  /// Sends a request. Returns its id, which the client's response will have.
  std::int64_t request(std::string_view method, json::object params);

private:
  std::int64_t last_id_ = 0;
};

/// Returns the member `key` if it is an object, else an empty object.
json::object object_at(const json::object& from, std::string_view key);

/// Returns the member `key` if it is a string, else an empty string.
std::string string_at(const json::object& from, std::string_view key);

/// Runs a small MCP server on stdin and stdout until stdin ends: an example server that needs no other software.
/// Single-threaded; slow calls run concurrently. Returns the program's exit status.
int run_example_server();

} // namespace troupe::deploy
