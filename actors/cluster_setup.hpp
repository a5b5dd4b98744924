#pragma once

#include "actors/cluster.hpp"
#include "actors/gateway.hpp"
#include "actors/router.hpp"

#include <caf/all.hpp>
#include <future>
#include <memory>
#include <string>

namespace troupe::actors {

// What a host wishes for a cluster, as the actors and their system want to know it.

/// Loads what nodes speak to each other by, and says how. Before the actor system begins.
void configure_cluster(caf::actor_system_config& config, const cluster_options& options);

/// Which life of the node has just begun.
protocol::node_life begin_life(const std::string& name);

protocol::owned_ids make_owned_ids(const std::string& key);

/// `listening` gets the port, or an error of one line.
std::shared_ptr<cluster_setup> make_cluster_setup(caf::actor_system& system, const cluster_options& options,
                                                  protocol::node_life life, std::promise<std::uint16_t>& listening);

} // namespace troupe::actors
