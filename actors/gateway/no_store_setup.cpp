// Replaces `store_setup.cpp` if Troupe is built without Redis.

#include "actors/gateway/store_setup.hpp"

namespace troupe::actors {

std::optional<std::string> why_no_store(const cluster_options& options) {
  if (options.store.empty())
    return std::nullopt;
  return "cluster.store is given, and this Troupe was built without Redis (TROUPE_REDIS=OFF)";
}

/// Returns no store: `why_no_store` has refused options with a store before.
std::optional<node_store> make_node_store(const cluster_home&, const cluster_options&, protocol::node_life) {
  return std::nullopt;
}

} // namespace troupe::actors
