#pragma once

#include "protocol/time.hpp"

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>

namespace troupe::protocol {

/// Load balancers ask again and again whether a node is ready. A node that stops stays until it has told each of them
/// that it is not: they would send it requests in the moment in which it is gone. It answers them until it has answered
/// all else: one that cannot be reached any more is dead to them, and they may close the connections that it answers
/// on.
class readiness_watch {
public:
  /// A load balancer that asks less often is not waited for. A probe may be late by the leeway.
  static constexpr std::chrono::milliseconds longest_pause{3000}, leeway{250};
  /// Beyond that, the load balancer is forgotten that has not asked for the longest time.
  static constexpr std::size_t most_askers = 16;

  /// `who` tells one load balancer from another, see `sender_of`.
  void asked(const std::string& who, time_point now, bool is_ready);
  /// Whether somebody asks again and again.
  bool is_watched(time_point now) const;
  /// Whether somebody is about to ask who has not heard that the node is not ready.
  bool is_awaited(time_point now) const;

private:
  struct asker {
    time_point last = {};
    bool was_ready = false;
    /// Nothing when it has asked once.
    std::optional<time_point> before = {};
  };

  std::map<std::string, asker> askers_;
};

} // namespace troupe::protocol
