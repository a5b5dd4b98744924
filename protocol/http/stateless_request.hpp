#pragma once

#include "protocol/http/http.hpp"
#include "protocol/http/known_fields.hpp"
#include "protocol/message/message.hpp"
#include "protocol/rejection.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace troupe::protocol {

/// Longest `Troupe-Affinity` that is accepted, in bytes.
inline constexpr std::size_t longest_affinity = 256;

/// The header fields that only requests without a session have, which repeat what is in the body. The views are those
/// of the request.
struct stateless_fields {
  explicit stateless_fields(const std::vector<http_field>& fields);

  known_fields::field method, name, affinity;
  /// The fields `Mcp-Param-*`, as in `request_envelope`.
  std::vector<std::pair<std::string, std::string>> arguments;

private:
  void note(const http_field& one);
};

/// A header field that does not say what the body of the request says, or is missing.
rejection header_mismatch(std::string why, const message& request);

/// Refuses a request unless its `MCP-Protocol-Version` repeats the version of its `_meta`
/// (2026-07-28, transports, "Protocol Version Header").
std::optional<rejection> refuse_version_field(const known_fields::field& version, std::string_view claimed,
                                              const message& request);
/// Refuses a request unless its `Mcp-Method` repeats its method, and its `Mcp-Name` the name of what it is about
/// (2026-07-28, transports, "Standard Headers"). The first is checked before the second.
std::optional<rejection> refuse_routing_fields(const stateless_fields& fields, const message& request);
/// Refuses a request that has a param twice which the gateway looks at: servers disagree on which of them counts.
std::optional<rejection> refuse_doubled_params(const message& request);
/// Refuses an affinity that is empty, too long or not visible ASCII.
std::optional<rejection> refuse_affinity(const known_fields::field& affinity, const message& request);

/// Whether what a POST brought is of a revision without sessions: `version`, the value of its `MCP-Protocol-Version`,
/// says so, or the one message in its body does by its `_meta`.
bool is_stateless(std::string_view version, const std::variant<post_body, rejection>& body);

/// Reads such a POST by the rules of 2026-07-28, or refuses it. They are checked in this order: JSON, form of the
/// message, `_meta`, `MCP-Protocol-Version`, whether that version is served, `Mcp-Method` and `Mcp-Name`, whether the
/// revision has the method, `Troupe-Affinity`, params of `subscriptions/listen`. Whether the fields `Mcp-Param-*` say
/// what the arguments say can be told only by who knows the tool.
parsed_request read_stateless(const http_request& request, const known_fields& fields, std::string server,
                              std::variant<post_body, rejection> body);

} // namespace troupe::protocol
