#pragma once

#include <string_view>

namespace troupe::protocol {

/// What a client is told that subscribes to more resources than one may.
inline constexpr std::string_view too_many_subscriptions =
    "Too many resources are subscribed to by this client: unsubscribe from some first";

} // namespace troupe::protocol
