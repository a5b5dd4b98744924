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

/// Header fields that only requests without a session have, and that repeat parts of the body. The views are those of
/// the request.
struct stateless_fields {
  explicit stateless_fields(const std::vector<http_field>& fields);

  known_fields::field method, name, affinity;
  /// `Mcp-Param-*` fields, as in `request_envelope`.
  std::vector<std::pair<std::string, std::string>> arguments;

private:
  void note(const http_field& one);
};

/// Refuses a header field that contradicts the body of the request, or is missing.
rejection header_mismatch(std::string why, const message& request);

/// Refuses a request unless its `MCP-Protocol-Version` repeats the version of its `_meta`
/// (2026-07-28, transports, "Protocol Version Header").
std::optional<rejection> refuse_version_field(const known_fields::field& version, std::string_view claimed,
                                              const message& request);
/// Refuses a request unless its `Mcp-Method` repeats its method, and its `Mcp-Name` the name of its target (2026-07-28,
/// transports, "Standard Headers"). `Mcp-Method` is checked first.
std::optional<rejection> refuse_routing_fields(const stateless_fields& fields, const message& request);
/// Refuses a duplicate of a param that the gateway reads: servers disagree on which of the two counts.
std::optional<rejection> refuse_doubled_params(const message& request);
/// Refuses an affinity that is empty, too long or not visible ASCII.
std::optional<rejection> refuse_affinity(const known_fields::field& affinity, const message& request);

/// Whether a POST is of a revision without sessions, by `version`, the value of its `MCP-Protocol-Version`, or by the
/// `_meta` of the one message in its body.
bool is_stateless(std::string_view version, const std::variant<post_body, rejection>& body);

/// Parses a stateless POST by the rules of 2026-07-28, or refuses it. The rules are checked in this order: JSON, form
/// of the message, `_meta`, `MCP-Protocol-Version`, whether that version is served, `Mcp-Method` and `Mcp-Name`,
/// whether the revision has the method, `Troupe-Affinity`, params of `subscriptions/listen`. The `Mcp-Param-*` fields
/// are not compared with the arguments: that takes knowledge of the tool.
parsed_request read_stateless(const http_request& request, const known_fields& fields, std::string server,
                              std::variant<post_body, rejection> body);

} // namespace troupe::protocol
