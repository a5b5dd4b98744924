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

/// Converts a recent time to wall-clock time. Each thread reads the wall clock up to ten times a second: computing the
/// difference costs less.
inline std::chrono::system_clock::time_point time_of_day(protocol::time_point when) {
  struct reading {
    protocol::time_point at;
    std::chrono::system_clock::time_point time;
  };
  static thread_local reading last{};
  if (when - last.at > std::chrono::milliseconds{100})
    last = {protocol::time_point::clock::now(), std::chrono::system_clock::now()};
  return last.time + std::chrono::duration_cast<std::chrono::system_clock::duration>(when - last.at);
}

} // namespace troupe::actors
