#pragma once

#include <chrono>
#include <string>

namespace troupe::protocol {

/// Calendar time (UTC), as used in tokens and files.
using calendar_time = std::chrono::sys_seconds;

/// Formats a calendar time (ISO 8601): `2027-01-31T12:00:00Z`.
std::string utc_text(calendar_time time);

/// Formats a duration for people: `30 s`, `0.500 s`.
inline std::string seconds_text(std::chrono::milliseconds time) {
  auto text = std::to_string(time.count() / 1000);
  if (auto rest = time.count() % 1000)
    text.append(1, '.').append(std::to_string(1000 + rest), 1);
  return text + " s";
}

/// Time of an event. The classes of protocol/ receive the time from their caller and never read a clock.
using time_point = std::chrono::steady_clock::time_point;

} // namespace troupe::protocol
