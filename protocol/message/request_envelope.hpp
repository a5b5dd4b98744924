#pragma once

#include "protocol/message/client_profile.hpp"
#include "protocol/message/message.hpp"
#include "protocol/message/severity.hpp"
#include "protocol/rejection.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace troupe::protocol {

namespace meta_key {

// Members of the `params._meta` of requests that 2026-07-28 reserves (basic, "_meta").

inline constexpr std::string_view version = "io.modelcontextprotocol/protocolVersion";
inline constexpr std::string_view capabilities = "io.modelcontextprotocol/clientCapabilities";
inline constexpr std::string_view client_info = "io.modelcontextprotocol/clientInfo";
inline constexpr std::string_view log_level = "io.modelcontextprotocol/logLevel";

// Members of the `_meta` of results and notifications.

inline constexpr std::string_view server_info = "io.modelcontextprotocol/serverInfo";
inline constexpr std::string_view subscription_id = "io.modelcontextprotocol/subscriptionId";

} // namespace meta_key

/// Data about the client in a stateless (2026-07-28) request, from its `params._meta` and its header.
struct request_envelope {
  std::string version;
  client_profile can = {};
  /// Least severity of log messages that the client wants; nullopt if it wants none.
  std::optional<severity> log_level = {};
  /// `Mcp-Param-*` header fields: names without that prefix, as sent, and values without white space around them.
  std::vector<std::pair<std::string, std::string>> arguments = {};
  /// Value of the header `Troupe-Affinity`: requests with the same value reach the same processes, if their server is
  /// configured so. Empty if absent.
  std::string affinity = {};

  friend bool operator==(const request_envelope&, const request_envelope&) = default;
};

/// Reads the envelope from the text of a request; `arguments` stays empty. Refuses with 400 and -32602 if
/// `params._meta` or a required member is missing or of another type, or the log level is unknown (2026-07-28,
/// `RequestMeta`).
std::variant<request_envelope, rejection> read_envelope(const message& request);

} // namespace troupe::protocol
