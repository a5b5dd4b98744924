#pragma once

#include "actors/troupe/access_record.hpp"

#include <chrono>

namespace troupe::tests {

/// An access record with a value in every field.
inline access_record full_access_record() {
  using namespace std::chrono_literals;
  return {.at = std::chrono::system_clock::time_point{1'700'000'000'007ms},
          .request = "00112233445566ff",
          .client = "10.0.0.9",
          .caller = "ada",
          .issuer = "key",
          .http_method = "POST",
          .path = "/servers/files/mcp",
          .status = 200,
          .session = "s1a2b3c4",
          .method = "tools/call",
          .tool = "read",
          .server = "files",
          .error = "tool_error",
          .total = 12'045us,
          .in_server = 11'003us,
          .bytes_in = 120,
          .bytes_out = 4096,
          .trace = "0af7651916cd43dd8448eb211c80319c"};
}

} // namespace troupe::tests
