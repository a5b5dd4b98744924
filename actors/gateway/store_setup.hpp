#pragma once

#include "actors/gateway/cluster_setup.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace troupe::actors {

/// Store for the sessions of a node that must survive it.
struct node_store {
  /// Tenure of this node.
  std::shared_ptr<const actors::tenure> tenure;
  /// Spawns the store for the node's registry.
  std::function<store_actor(const registry_actor& user)> begin;
};

/// Returns in one line why this build has no such store; empty if it has, or if none is wanted.
std::optional<std::string> why_no_store(const cluster_options& options);

/// Empty if sessions need not survive their node. Throws `std::runtime_error` if the store's URL is invalid.
std::optional<node_store> make_node_store(const cluster_home& home, const cluster_options& options,
                                          protocol::node_life life);

} // namespace troupe::actors
