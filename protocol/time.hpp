#pragma once

#include <algorithm>
#include <chrono>
#include <string>

namespace troupe::protocol {

/// Calendar time (UTC), as used in tokens and files.
using calendar_time = std::chrono::sys_seconds;

/// Tolerated difference between clocks.
inline constexpr std::chrono::seconds leeway{60};

/// Formats a duration for people: `30 s`, `0.500 s`.
inline std::string seconds_text(std::chrono::milliseconds time) {
  auto text = std::to_string(time.count() / 1000);
  if (auto rest = time.count() % 1000)
    text.append(1, '.').append(std::to_string(1000 + rest), 1);
  return text + " s";
}

/// Returns how long before its end a token is replaced: calls take time, and clocks differ. A tenth of a short life, so
/// that such a token is not replaced for each request.
inline std::chrono::milliseconds renewal_margin(std::chrono::milliseconds life) {
  constexpr std::chrono::seconds longest{30};
  return std::min<std::chrono::milliseconds>(longest, life / 10);
}

/// Time of an event. The classes of protocol/ receive the time from their caller and never read a clock.
using time_point = std::chrono::steady_clock::time_point;

} // namespace troupe::protocol
