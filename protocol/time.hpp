#pragma once

#include <chrono>

namespace troupe::protocol {

/// When something happened. The classes of protocol/ are told the time; they never read a clock.
using time_point = std::chrono::steady_clock::time_point;

} // namespace troupe::protocol
