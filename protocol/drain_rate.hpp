#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// How many sessions leave a node that drains slowly, each second or each minute.
struct drain_rate {
  std::uint32_t sessions = 1;
  std::chrono::seconds each = std::chrono::seconds{1};

  friend bool operator==(const drain_rate&, const drain_rate&) = default;
};

/// Most that a rate says.
inline constexpr std::uint32_t most_to_leave = 10'000;

/// Reads `20`, `20/s` or `90/min`; nothing when it is none of them.
std::optional<drain_rate> read_drain_rate(std::string_view text);
/// `20/s` or `90/min`
std::string drain_rate_text(const drain_rate& rate);
/// What is wrong with a text that is no rate.
std::string no_drain_rate(std::string_view text);

} // namespace troupe::protocol
