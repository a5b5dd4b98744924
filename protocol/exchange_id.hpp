#pragma once

#include <cstdint>

namespace troupe::protocol {

/// One HTTP request of a session, numbered by its owner. A stream bears the number of the exchange that began it;
/// others may carry it on when that one's connection is gone.
using exchange_id = std::uint64_t;

} // namespace troupe::protocol
