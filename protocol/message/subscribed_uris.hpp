#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// Longest URI that a client may subscribe to, in bytes.
inline constexpr std::size_t longest_subscribed_uri = 4096;

/// Error text for a client that subscribes to too many resources.
inline constexpr std::string_view too_many_subscriptions =
    "Too many resources are subscribed to by this client: unsubscribe from some first";

/// Returns the URI and all URIs that it may be a part of: their subscribers are notified of its changes (2025-11-25,
/// schema, `ResourceUpdatedNotificationParams`). Each ends before or after a slash, or before a query or fragment.
/// Empty if `uri` is too long to be a part of a subscribed one. Views into the argument; some occur twice.
std::vector<std::string_view> enclosing_uris(std::string_view uri);

} // namespace troupe::protocol
