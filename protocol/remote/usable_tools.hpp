#pragma once

#include "protocol/message/message.hpp"
#include "protocol/remote/remote_effects.hpp"

namespace troupe::protocol {

/// The answer to `tools/list` without the tools that cannot be called, since what their schemas say of header fields is
/// not valid (2026-07-28, transports, "Custom Headers from Tool Parameters"). The first that is left out is noted in
/// `out` unless `is_noted`, which is set then.
message with_usable_tools(message answer, bool& is_noted, remote_effects& out);

} // namespace troupe::protocol
