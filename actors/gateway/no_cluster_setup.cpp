// Replaces `cluster_setup.cpp` if Troupe is built without clusters.

#include "actors/gateway/cluster_setup.hpp"

#include <stdexcept>

namespace troupe::actors {

namespace {

constexpr const char* no_clusters = "a cluster is given, and this Troupe was built without (TROUPE_CLUSTER=OFF)";

} // namespace

std::optional<std::string> why_no_node(const cluster_options&) { return no_clusters; }

void configure_cluster(caf::actor_system_config&, const cluster_options&) { throw std::runtime_error{no_clusters}; }

cluster_node begin_node(const cluster_options&, std::shared_ptr<cluster_keys>) {
  throw std::runtime_error{no_clusters};
}

std::function<cluster_parts(const registry_actor&)> cluster_joiner(const cluster_home&, const cluster_options&,
                                                                   const cluster_node&, std::promise<std::uint16_t>&) {
  throw std::runtime_error{no_clusters};
}

} // namespace troupe::actors
