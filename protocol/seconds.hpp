#pragma once

#include <chrono>
#include <string>

namespace troupe::protocol {

/// A time for a person to read: `30 s`, `0.500 s`.
inline std::string seconds_text(std::chrono::milliseconds time) {
  auto text = std::to_string(time.count() / 1000);
  if (auto rest = time.count() % 1000)
    text.append(1, '.').append(std::to_string(1000 + rest), 1);
  return text + " s";
}

} // namespace troupe::protocol
