#pragma once

#include <cstddef>

namespace troupe::protocol {

/// Longest URI that a client may subscribe to, in bytes.
inline constexpr std::size_t longest_subscribed_uri = 4096;

} // namespace troupe::protocol
