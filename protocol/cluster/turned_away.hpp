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

/// Which callers that are turned away are worth a line in the log: an address once for each reason, and not many in an
/// hour, whoever calls.
class turned_away {
public:
  static constexpr auto period = std::chrono::hours{1};
  /// In a period: lines about those who may be nodes, and as many about strangers.
  static constexpr std::size_t most = 32;

  /// A stranger says nothing that is like a node; any other may be one that somebody has to mend.
  std::optional<log_note> add(const std::string& address, const std::string& why, bool is_stranger, time_point now);

private:
  using reasons = std::set<std::pair<std::string, std::string>>;

  time_point until_ = time_point::min();
  reasons of_nodes_;
  reasons of_strangers_;
};

} // namespace troupe::protocol
