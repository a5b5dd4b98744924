#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace troupe::deploy {

/// A number of seconds, not negative and below 10^9, which nanoseconds can still count. Rounded up, so that only
/// nothing is zero.
std::optional<std::chrono::milliseconds> duration_of(double seconds);

/// A decimal number and its unit: `500ms`, `30s`, `1.5m`, `1h`.
std::optional<std::chrono::milliseconds> duration_of(std::string_view text);

} // namespace troupe::deploy
