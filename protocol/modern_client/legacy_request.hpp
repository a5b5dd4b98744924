#pragma once

#include "protocol/message/message.hpp"

#include <string_view>

namespace troupe::protocol {

// Requests of 2026-07-28 as a server of the session era reads them.

/// The request under an id of ours, which is its progress token too when it has one. Without the envelope in its
/// `_meta`, and without the params that only a request of 2026-07-28 has; all else byte for byte.
message legacy_request(message request, std::string_view id);

/// The request of a tool that only works as a task (2025-11-25, tasks).
message as_task(message tools_call);

/// Whether the session era has no such request, or 2026-07-28 has none any more: the server is not asked.
bool is_of_sessions(std::string_view method);

/// The params of a request, `{}` when it has none.
std::string_view params_of(const message& request);

/// Whether two params are of one call: what they say of the client and its answers does not count, nor does the order
/// of members.
bool are_same_call(std::string_view params, std::string_view others);

} // namespace troupe::protocol
