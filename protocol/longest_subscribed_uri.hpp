#pragma once

#include <cstddef>

namespace troupe::protocol {

/// Longest URI that is subscribed to, in bytes.
inline constexpr std::size_t longest_subscribed_uri = 4096;

} // namespace troupe::protocol
