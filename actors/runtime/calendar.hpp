#pragma once

#include "protocol/time.hpp"

#include <chrono>

namespace troupe::actors {

/// Current calendar time in whole seconds, as tokens, keys and certificates count it.
inline protocol::calendar_time calendar_now() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

/// Converts a calendar time to the clock of `now`. Dates more than ten years ahead become ten years.
inline protocol::time_point time_of(protocol::calendar_time date, protocol::time_point now) {
  constexpr std::chrono::hours years{24 * 366 * 10};
  if (date - calendar_now() > years)
    return now + years;
  return now + std::chrono::duration_cast<protocol::time_point::duration>(date - std::chrono::system_clock::now());
}

} // namespace troupe::actors
