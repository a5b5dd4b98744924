#pragma once

#include <cstddef>

namespace troupe::deploy {

/// Raises the soft limit of descriptors (RLIMIT_NOFILE) to the hard limit. Returns the former limit, which servers'
/// processes get; zero when it is unknown.
std::size_t raise_descriptor_limit();

} // namespace troupe::deploy
