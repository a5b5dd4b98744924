#pragma once

#include "actors/gateway/cluster_setup.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace troupe::actors {

/// What keeps the sessions of a node that are to survive it.
struct node_store {
  /// How long they are surely ours.
  std::shared_ptr<const actors::tenure> tenure;
  /// Begins it, for the node's registry.
  std::function<store_actor(const registry_actor& user)> begin;
};

/// Why this build of Troupe has no such store, in one line; nothing when it has, or when none is wanted.
std::optional<std::string> why_no_store(const cluster_options& options);

/// Nothing when sessions are not to survive their node. Throws `std::runtime_error` when the store's URL is not fit for
/// it.
std::optional<node_store> make_node_store(const cluster_home& home, const cluster_options& options,
                                          protocol::node_life life);

} // namespace troupe::actors
