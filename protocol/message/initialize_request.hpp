#pragma once

#include "protocol/message/message.hpp"

#include <cstddef>
#include <optional>

namespace troupe::protocol {

/// Longest `initialize` that is taken, in bytes: what it says is kept for as long as its session lives.
inline constexpr std::size_t longest_initialize = 64 * 1024;

/// Why an `initialize` cannot begin a session: it is too long, or a member is missing, of the wrong type or there
/// twice. All revisions with sessions agree on the members and their types (2024-11-05 to 2025-11-25, schema,
/// "InitializeRequest"). Nothing when it can.
std::optional<rejection> refuse_initialize(const message& initialize);

} // namespace troupe::protocol
