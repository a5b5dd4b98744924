#pragma once

#include "actors/access/caller_tokens.hpp"
#include "actors/gateway/cluster_keys.hpp"
#include "actors/runtime/event_log.hpp"
#include "actors/session/registry.hpp"
#include "actors/troupe/gateway.hpp"
#include "net/io_thread.hpp"
#include "protocol/cluster/sealed_session_ids.hpp"

#include <caf/all.hpp>
#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe::actors {

// Turns the cluster options of a host into the setups of the actors and of the actor system.

/// Returns in one line why this build cannot run such a node; empty if it can.
std::optional<std::string> why_no_node(const cluster_options& options);

/// Loads and configures CAF's middleman for nodes. Must run before the actor system begins.
void configure_cluster(caf::actor_system_config& config, const cluster_options& options);

/// Life of this node, the ids of its sessions, and the keys between nodes.
struct cluster_node {
  protocol::node_life life;
  protocol::sealed_session_ids ids;
  std::shared_ptr<cluster_keys> keys;
};
cluster_node begin_node(const cluster_options& options, std::shared_ptr<cluster_keys> keys);

/// Surroundings of a node's actors; all of it outlives them.
struct cluster_home {
  caf::actor_system& system;
  std::vector<unit*> units;
  /// Unit without sessions and servers, and its thread: heartbeats do not wait for servers that start.
  unit& apart;
  net::io_thread& thread;
  /// Time that an idle session is kept.
  std::chrono::milliseconds session_time;
  event_log log;
  /// Tokens that callers have sent.
  std::shared_ptr<caller_tokens> callers;
};

/// Returns a function by which a registry joins the cluster. `listening` receives the port for other nodes, or an error
/// of one line. Throws `std::runtime_error` if the actor system or the store's URL is unsuitable.
std::function<cluster_parts(const registry_actor&)> cluster_joiner(const cluster_home& home,
                                                                   const cluster_options& options,
                                                                   const cluster_node& node,
                                                                   std::promise<std::uint16_t>& listening);

} // namespace troupe::actors
