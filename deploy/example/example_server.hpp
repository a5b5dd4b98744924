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

/// A request that the client sent. Its id is kept as it came, a string or an integer.
struct example_request {
  json::value id;
  std::string method;
  json::object params;
};

/// The client of the example server, as the place where messages to it go: one line each on stdout.
class example_client {
public:
  void answer(const json::value& id, json::object result);
  void refuse(const json::value& id, int code, std::string_view text);
  void notify(std::string_view method, json::object params);
  /// Returns the id that the client's response will carry.
  std::int64_t request(std::string_view method, json::object params);

private:
  std::int64_t last_id_ = 0;
};

/// The member `key` when it is an object, else an empty one.
json::object object_at(const json::object& from, std::string_view key);

/// The member `key` when it is a string, else an empty one.
std::string string_at(const json::object& from, std::string_view key);

/// Is a small MCP server on stdin and stdout until stdin ends: something to put behind the gateway that needs nothing
/// else. One thread; calls that take their time run side by side. Returns the program's exit status.
int run_example_server();

} // namespace troupe::deploy
