#pragma once

#include <algorithm>
#include <chrono>
#include <string>

namespace troupe::protocol {

/// A time of the calendar (UTC), as tokens and files have it.
using calendar_time = std::chrono::sys_seconds;

/// By how much clocks may differ.
inline constexpr std::chrono::seconds leeway{60};

/// A time for a person to read: `30 s`, `0.500 s`.
inline std::string seconds_text(std::chrono::milliseconds time) {
  auto text = std::to_string(time.count() / 1000);
  if (auto rest = time.count() % 1000)
    text.append(1, '.').append(std::to_string(1000 + rest), 1);
  return text + " s";
}

/// How long before its end a token is replaced: calls take time, and clocks differ. That of a short life is small, so
/// that it is not replaced for each request.
inline std::chrono::milliseconds renewal_margin(std::chrono::milliseconds life) {
  constexpr std::chrono::seconds longest{30};
  return std::min<std::chrono::milliseconds>(longest, life / 10);
}

/// When something happened. The classes of protocol/ are told the time; they never read a clock.
using time_point = std::chrono::steady_clock::time_point;

} // namespace troupe::protocol
