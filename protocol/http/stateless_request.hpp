#pragma once

#include "protocol/http/http.hpp"
#include "protocol/http/known_fields.hpp"
#include "protocol/message/message.hpp"

#include <string>
#include <string_view>
#include <variant>

namespace troupe::protocol {

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
