#pragma once

#include <string>

namespace troupe::tests {

/// A client's `initialize`; `id` is a JSON token.
inline std::string client_hello(const std::string& id = "1", const std::string& version = "2025-06-18") {
  return R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":"initialize","params":{"protocolVersion":")" + version +
         R"(","capabilities":{},"clientInfo":{"name":"c","version":"1"}}})";
}

} // namespace troupe::tests
