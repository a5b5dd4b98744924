#pragma once

#include <cstddef>
#include <string_view>

namespace troupe::protocol {

/// Longest URI that a client may subscribe to, in bytes.
inline constexpr std::size_t longest_subscribed_uri = 4096;

/// Error text for a client that subscribes to too many resources.
inline constexpr std::string_view too_many_subscriptions =
    "Too many resources are subscribed to by this client: unsubscribe from some first";

} // namespace troupe::protocol
