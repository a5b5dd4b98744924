#pragma once

#include "protocol/cluster/node_identity.hpp"

#include <map>

namespace troupe::actors {

/// Whether a node is lost to whom `before` had the actors of nodes, and `now` has them: it is gone, or back already
/// with actors that know nothing of what was asked before.
template <class Actor>
bool is_lost(protocol::node_life node, const std::map<protocol::node_life, Actor>& before,
             const std::map<protocol::node_life, Actor>& now) {
  auto had = before.find(node);
  auto has = now.find(node);
  return had == before.end() || has == now.end() || had->second != has->second;
}

} // namespace troupe::actors
