#pragma once

#include "actors/access/caller_tokens.hpp"
#include "actors/gateway/cluster_keys.hpp"
#include "actors/runtime/event_log.hpp"
#include "actors/session/registry.hpp"
#include "actors/troupe/gateway.hpp"
#include "net/io_thread.hpp"
#include "protocol/cluster/session_routes.hpp"

#include <caf/all.hpp>
#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe::actors {

// Turns the cluster options of a host into the setups of the actors and of the actor system.

/// Why this build of Troupe has no such nodes, in one line; nothing when it has.
std::optional<std::string> why_no_node(const cluster_options& options);

/// Loads what nodes speak to each other by, and says how. Before the actor system begins.
void configure_cluster(caf::actor_system_config& config, const cluster_options& options);

/// One life of this node, the ids of its sessions, and the keys by which nodes know each other.
struct cluster_node {
  protocol::node_life life;
  protocol::sealed_session_ids ids;
  std::shared_ptr<cluster_keys> keys;
};
cluster_node begin_node(const cluster_options& options, std::shared_ptr<cluster_keys> keys);

/// Where the actors of a node live. All of it outlives them.
struct cluster_home {
  caf::actor_system& system;
  std::vector<unit*> units;
  /// A unit without sessions and servers, and its thread: what tells others that this node lives does not wait until
  /// servers have started.
  unit& apart;
  net::io_thread& thread;
  /// How long a session is kept that nobody uses.
  std::chrono::milliseconds session_time;
  event_log log;
  /// The tokens that callers have shown.
  std::shared_ptr<caller_tokens> callers;
};

/// How a registry joins the cluster. `listening` gets the port for other nodes, or an error of one line. Throws
/// `std::runtime_error` when the actor system or the store's URL is not fit for it.
std::function<cluster_parts(const registry_actor&)> cluster_joiner(const cluster_home& home,
                                                                   const cluster_options& options,
                                                                   const cluster_node& node,
                                                                   std::promise<std::uint16_t>& listening);

} // namespace troupe::actors
