#pragma once

#include <cstdint>

namespace troupe::protocol {

/// One who uses a server; given by the actor that knows it, never reused.
using user_id = std::uint64_t;

} // namespace troupe::protocol
