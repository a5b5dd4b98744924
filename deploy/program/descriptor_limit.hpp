#pragma once

#include <cstddef>

namespace troupe::deploy {

/// Raises the soft limit of descriptors (RLIMIT_NOFILE) to the hard one. Returns what it was before, which is what
/// processes of servers are to have; zero when the system does not tell.
std::size_t raise_descriptor_limit();

} // namespace troupe::deploy
