#pragma once

#include "protocol/message/message.hpp"

#include <string>
#include <string_view>

namespace troupe::protocol {

/// An error with `data`, a JSON text that says more about it (JSON-RPC 2.0, section 5.1).
inline std::string error_text(std::string_view id, int code, std::string_view text, std::string_view data) {
  constexpr std::size_t ends = 2; // of the error and of the message
  auto result = error_text(id, code, text);
  return result.insert(result.size() - ends, R"(,"data":)" + std::string{data});
}

} // namespace troupe::protocol
