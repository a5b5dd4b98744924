#pragma once

#include <chrono>

namespace troupe::protocol {

/// A time of the calendar (UTC), as tokens and files have it.
using calendar_time = std::chrono::sys_seconds;

/// By how much clocks may differ.
inline constexpr std::chrono::seconds leeway{60};

} // namespace troupe::protocol
