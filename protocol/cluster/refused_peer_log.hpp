#pragma once

#include "protocol/log.hpp"
#include "protocol/time.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace troupe::protocol {

/// Log filter for refused callers at the port for nodes: one line for each address and reason, and a limited number of
/// lines per hour in all.
class refused_peer_log {
public:
  static constexpr auto period = std::chrono::hours{1};
  /// Limit of lines in a period, counted separately for possible nodes and for strangers.
  static constexpr std::size_t most = 32;

  /// `is_stranger`: the caller sent nothing like a node's handshake. Any other may be a node with a fault to repair.
  std::optional<log_note> add(const std::string& address, const std::string& why, bool is_stranger, time_point now);

private:
  using reasons = std::set<std::pair<std::string, std::string>>;

  time_point until_ = time_point::min();
  reasons of_nodes_;
  reasons of_strangers_;
};

} // namespace troupe::protocol
