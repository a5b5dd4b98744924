#pragma once

#include "protocol/cluster/node_identity.hpp"

#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace troupe::protocol {

/// Sessions that this node has taken from nodes out of reach. An earlier owner that returns is notified: the store may
/// have lost the session since, and would let the owner claim it again, even after its end.
class taken_sessions {
public:
  /// Limit of sessions; above it the oldest are dropped.
  static constexpr std::size_t most = 10'000;

  void add(node_life owner, const std::string& session);
  /// Removes and returns the sessions of an owner that has returned, the latest last.
  std::vector<std::string> extract(node_life owner);

private:
  std::map<node_life, std::vector<std::string>> by_owner_;
  /// Owners in the order in which their sessions were taken, once for each session.
  std::deque<node_life> order_;
};

} // namespace troupe::protocol
