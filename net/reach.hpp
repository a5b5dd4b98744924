#pragma once

namespace troupe::net {

/// Addresses that may be connected to. URLs from outside may lead to public ones only. Otherwise they could make us
/// query hosts that only this machine or its network can reach.
enum class reach { any, public_only };

} // namespace troupe::net
