#pragma once

#include <string_view>
#include <vector>

namespace troupe::protocol {

/// The URI itself and all that it may be a part of: who subscribed to one of them is told of its changes (2025-11-25,
/// schema, `ResourceUpdatedNotificationParams`). These end before or after a slash, or before a query or a fragment.
/// None when it is too long to be a part of one that can be subscribed to. Views into the argument; some come twice.
std::vector<std::string_view> enclosing_uris(std::string_view uri);

} // namespace troupe::protocol
