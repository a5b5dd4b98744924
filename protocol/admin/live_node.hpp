#pragma once

#include <chrono>
#include <cstddef>
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
