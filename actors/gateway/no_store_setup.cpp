// Instead of `store_setup.cpp` where Troupe is built without Redis.

#include "actors/gateway/store_setup.hpp"

namespace troupe::actors {

std::optional<std::string> why_no_store(const cluster_options& options) {
  if (options.store.empty())
    return std::nullopt;
  return "cluster.store is given, and this Troupe was built without Redis (TROUPE_REDIS=OFF)";
}

/// What is asked for has been refused before.
std::optional<node_store> make_node_store(const cluster_home&, const cluster_options&, protocol::node_life) {
  return std::nullopt;
}

} // namespace troupe::actors
