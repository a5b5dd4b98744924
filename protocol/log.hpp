#pragma once

#include "protocol/rate_limits.hpp"
#include "protocol/time.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace troupe::protocol {

/// Line of the log.
struct log_note {
  enum class weight { debug, info, warning, error };
  weight is = weight::info;
  std::string text;
  std::vector<std::pair<std::string, std::string>> facts = {};
  friend bool operator==(const log_note&, const log_note&) = default;
};

/// Limit of the lines that one server may log, so that others have room. A server that exceeds the rate is left out
/// until it has been within the rate for a while, so that the shown lines are in whole pieces.
class log_quota {
public:
  static constexpr std::size_t lines_at_once = 500;
  static constexpr std::size_t lines_per_second = 50;

  /// Counts a line; true if the line is to be shown.
  bool try_acquire(time_point now) {
    constexpr rate by{std::chrono::nanoseconds{std::chrono::seconds{1}} / lines_per_second, lines_at_once};
    exceeded_ = (exceeded_ && !bucket_.is_full(now)) || !bucket_.try_acquire(by, now);
    left_out_ += exceeded_ ? 1 : 0;
    return !exceeded_;
  }

  /// Returns the number of lines left out since the last call.
  std::uint64_t take_left_out() { return std::exchange(left_out_, 0); }

private:
  token_bucket bucket_;
  bool exceeded_ = false;
  std::uint64_t left_out_ = 0;
};

} // namespace troupe::protocol
