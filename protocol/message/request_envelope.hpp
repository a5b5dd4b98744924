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

// Those of results and notifications.

inline constexpr std::string_view server_info = "io.modelcontextprotocol/serverInfo";
inline constexpr std::string_view subscription_id = "io.modelcontextprotocol/subscriptionId";

} // namespace meta_key

/// What a request of 2026-07-28 says of its client, in `params._meta` and in its header: such a request stands alone.
struct request_envelope {
  std::string version;
  client_profile can = {};
  /// The least severity of log messages that it wants; none when it wants no log messages.
  std::optional<severity> log_level = {};
  /// The `Mcp-Param-*` fields of its header: names without that prefix, as they were sent, and values without white
  /// space around them.
  std::vector<std::pair<std::string, std::string>> arguments = {};
  /// The header `Troupe-Affinity`: by the same handle a client meets the same processes, where servers are configured
  /// to care. Empty when it is absent.
  std::string affinity = {};

  friend bool operator==(const request_envelope&, const request_envelope&) = default;
};

/// Reads the envelope from the text of a request; `arguments` stays empty. Refused with 400 and -32602 when
/// `params._meta` or what it must have is missing or of another type, or the log level is none
/// (2026-07-28, `RequestMeta`).
std::variant<request_envelope, rejection> read_envelope(const message& request);

} // namespace troupe::protocol
