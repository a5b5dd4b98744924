#pragma once

#include <string_view>

namespace troupe::protocol::meta_key {

// Members of `params._meta` that 2026-07-28 reserves (basic, "_meta").

inline constexpr std::string_view version = "io.modelcontextprotocol/protocolVersion";
inline constexpr std::string_view capabilities = "io.modelcontextprotocol/clientCapabilities";
inline constexpr std::string_view log_level = "io.modelcontextprotocol/logLevel";

} // namespace troupe::protocol::meta_key
