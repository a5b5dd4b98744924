#pragma once

#include "protocol/time.hpp"

#include <atomic>
#include <cstddef>
#include <optional>

namespace troupe::actors {

/// Since when a session is idle, and whether servers would end with it: told by the session on its unit's thread, read
/// by its owner on another.
class idle_mark {
public:
  /// `since` is nothing while it is used; `own_servers` are those that no other session uses.
  void tell(std::optional<protocol::time_point> since, std::size_t own_servers) {
    since_.store(since ? since->time_since_epoch() : used, std::memory_order_relaxed);
    has_own_server_.store(own_servers != 0, std::memory_order_relaxed);
  }
  std::optional<protocol::time_point> since() const {
    const auto told = since_.load(std::memory_order_relaxed);
    return told == used ? std::nullopt : std::optional{protocol::time_point{told}};
  }

  bool has_own_server() const { return has_own_server_.load(std::memory_order_relaxed); }

private:
  using duration = protocol::time_point::duration;
  static constexpr duration used = duration::max();

  std::atomic<duration> since_ = used;
  std::atomic<bool> has_own_server_ = false;
};

} // namespace troupe::actors
