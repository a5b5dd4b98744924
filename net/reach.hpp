#pragma once

namespace troupe::net {

/// Which addresses may be connected to: those of URLs that somebody else wrote have to be public, so that nobody makes
/// us ask what only this machine or its network can reach.
enum class reach { any, public_only };

} // namespace troupe::net
