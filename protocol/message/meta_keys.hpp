#pragma once

#include <string_view>

namespace troupe::protocol::meta_key {

// Members of the `params._meta` of requests that 2026-07-28 reserves (basic, "_meta").

inline constexpr std::string_view version = "io.modelcontextprotocol/protocolVersion";
inline constexpr std::string_view capabilities = "io.modelcontextprotocol/clientCapabilities";
inline constexpr std::string_view client_info = "io.modelcontextprotocol/clientInfo";
inline constexpr std::string_view log_level = "io.modelcontextprotocol/logLevel";

// Those of results and notifications.

inline constexpr std::string_view server_info = "io.modelcontextprotocol/serverInfo";
inline constexpr std::string_view subscription_id = "io.modelcontextprotocol/subscriptionId";

} // namespace troupe::protocol::meta_key
