#pragma once

#include <string_view>

namespace troupe::protocol {

/// Whether a server may have questions for the client while it works on a request of that method (2026-07-28, multi
/// round-trip requests).
inline bool is_interactive(std::string_view method) {
  return method == "tools/call" || method == "prompts/get" || method == "resources/read";
}

} // namespace troupe::protocol
