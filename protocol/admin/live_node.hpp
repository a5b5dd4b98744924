#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace troupe::protocol {

/// A gateway, as operators see it.
struct live_node {
  /// Another node of its cluster.
  struct other {
    std::string name;
    bool draining = false;
  };
  /// How sessions leave a node that drains at a rate.
  struct leaving {
    /// As `drain_rate_text`.
    std::string rate;
    /// Sessions that are yet to leave, that have left, and that stay, with leases.
    std::size_t to_move = 0, moved = 0, stay = 0;
    std::size_t calls = 0;
  };
  /// What the host's program lets operators do.
  struct abilities {
    bool reload = false, drain = false, log_level = false, content = false;
  };

  /// Empty without a cluster.
  std::string name;
  std::string version;
  int pid = 0;
  std::chrono::milliseconds uptime = {};
  bool draining = false;
  /// Nothing when its sessions do not leave at a rate, or when all have left.
  std::optional<leaving> drain = {};
  std::size_t sessions = 0;
  std::size_t leases = 0;
  /// Of sessions and leases together.
  std::size_t max_sessions = 0;
  /// From which level on events are logged; empty when that is not known.
  std::string log_level = {};
  std::vector<other> nodes = {};
  abilities can = {};
};

/// A node as a JSON object.
std::string live_node_text(const live_node& one);

} // namespace troupe::protocol
