#pragma once

#include <cstdint>

namespace troupe::protocol {

/// Numbers the HTTP exchanges (a request and its answer) of one session. A stream has the number of the exchange that
/// opened it, also after it was resumed by another exchange.
using exchange_id = std::uint64_t;

} // namespace troupe::protocol
