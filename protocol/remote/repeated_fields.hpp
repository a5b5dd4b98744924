#pragma once

#include "protocol/message/mcp_headers.hpp"
#include "protocol/message/message.hpp"
#include "protocol/remote/remote_effects.hpp"

namespace troupe::protocol {

/// The header fields that repeat what is in the body of a request of 2026-07-28 (transports, "Standard Headers" and
/// "Custom Headers from Tool Parameters"): `MCP-Protocol-Version`, `Mcp-Method`, `Mcp-Name`, and `Mcp-Param-*` as the
/// rules of the called tool say.
http_fields repeated_fields(const message& request, const tool_rules& rules);

} // namespace troupe::protocol
