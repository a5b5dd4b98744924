#pragma once

#include "actors/access/caller_tokens.hpp"
#include "actors/gateway/cluster_keys.hpp"
#include "actors/runtime/event_log.hpp"
#include "actors/session/caller_limiter.hpp"
#include "actors/session/session.hpp"
#include "actors/troupe/gateway.hpp"
#include "actors/upstream/configured_server.hpp"
#include "net/io_thread.hpp"
#include "net/server/connections.hpp"
#include "net/slots.hpp"
#include "net/worker_pool.hpp"

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

namespace troupe::actors {

/// Returns how many connections clients may have, given the descriptors of this process.
std::size_t connections_for(const gateway_options& options);

/// Warns if there are too few descriptors for the sessions or connections that the options allow.
void warn_of_few_descriptors(const gateway_options& options, const event_log& log);

// Turns the options of a host into the setups of the actors.

using thread_list = std::vector<std::unique_ptr<net::io_thread>>;

/// Half of the processors by default: servers need some, and a message between threads costs more than one within.
std::size_t threads_of(const gateway_options& options);
std::shared_ptr<caller_limiter> make_limiter(const limits& options);
net::connection_totals make_totals(const limits& options);
/// Liveness and readiness probes are answered even when all connections are in use.
net::connection_limits connection_limits_of(const gateway_options& options);
/// `keys` are the keys of the cluster; null for a single gateway.
std::shared_ptr<const session_setup> make_session_setup(const gateway_options& options,
                                                        std::shared_ptr<const caller_tokens> callers,
                                                        const std::shared_ptr<const cluster_keys>& keys);

/// Returns who may use a server and its parts; null if there are no rules.
std::shared_ptr<const protocol::permissions> permissions_of(const server_access& access, const auth_options& auth);

/// Returns the limits that all sessions share, and their use.
std::vector<protocol::limit_report> limits_of(const session_setup& sessions);

/// Surroundings of upstreams; all of it outlives them.
struct upstream_home {
  const thread_list& threads;
  /// Units of `threads`, in the same order.
  std::vector<unit*> units;
  /// Set when processes that are stopping must be killed at once.
  const std::atomic<bool>* kill_at_once = nullptr;
  /// Slots of all processes.
  net::process_slots* processes = nullptr;
  /// Threads for handlers of hosted servers, and for callbacks to their hosts.
  net::worker_pool* workers = nullptr;
  net::worker_pool* callbacks = nullptr;
  /// Tokens that callers have sent.
  std::shared_ptr<caller_tokens> callers = {};
};

std::shared_ptr<const server_setup> make_server_setup(const server_options& server, const gateway_options& options,
                                                      const upstream_home& home);

} // namespace troupe::actors
