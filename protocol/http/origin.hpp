#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// Whether a page of that `Origin` may use the gateway: an origin of this machine on any port, or one of `allowed`,
/// compared as a whole (2025-11-25, transports, "Security Warning"). `*` in `allowed` allows every origin.
bool origin_allowed(std::string_view origin, const std::vector<std::string>& allowed);

/// Whether a `Host` value is among those allowed: names or addresses, with any port or with that one, or `*`.
bool host_allowed(std::string_view host, const std::vector<std::string>& allowed);

/// Whether a `Host` value names this machine, with any port or none, or the address that we listen on.
bool host_is_local(std::string_view host, std::string_view bound_to);

} // namespace troupe::protocol
