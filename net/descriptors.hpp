#pragma once

#include <cstddef>

namespace troupe::net {

/// How many descriptors this process may have: its soft limit (RLIMIT_NOFILE). Callable from any thread.
std::size_t descriptor_limit();

} // namespace troupe::net
