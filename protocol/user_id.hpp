#pragma once

#include <cstdint>

namespace troupe::protocol {

/// Identifies a user of a server: a session, of which a shared server has many. Given by the server's upstream, never
/// reused.
using user_id = std::uint64_t;

} // namespace troupe::protocol
