#pragma once

#include "protocol/time.hpp"

#include <atomic>
#include <optional>

namespace troupe::actors {

/// Since when a session is idle: told by the session on its unit's thread, read by its owner on another.
class idle_mark {
public:
  /// Nothing while it is used.
  void tell(std::optional<protocol::time_point> since) {
    since_.store(since ? since->time_since_epoch() : used, std::memory_order_relaxed);
  }
  std::optional<protocol::time_point> since() const {
    const auto told = since_.load(std::memory_order_relaxed);
    return told == used ? std::nullopt : std::optional{protocol::time_point{told}};
  }

private:
  using duration = protocol::time_point::duration;
  static constexpr duration used = duration::max();

  std::atomic<duration> since_ = used;
};

} // namespace troupe::actors
