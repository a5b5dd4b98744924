#pragma once

#include <algorithm>
#include <chrono>

namespace troupe::protocol {

/// How long before its end a token is replaced: calls take time, and clocks differ. That of a short life is small, so
/// that it is not replaced for each request.
inline std::chrono::milliseconds renewal_margin(std::chrono::milliseconds life) {
  constexpr std::chrono::seconds longest{30};
  return std::min<std::chrono::milliseconds>(longest, life / 10);
}

} // namespace troupe::protocol
