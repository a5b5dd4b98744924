#pragma once

#include "protocol/message/message.hpp"

#include <string_view>

namespace troupe::protocol {

/// The param that `Mcp-Name` repeats (2026-07-28, transports, "Standard Headers"); empty for a
/// method that has no such field.
std::string_view naming_param(const message& request);

} // namespace troupe::protocol
