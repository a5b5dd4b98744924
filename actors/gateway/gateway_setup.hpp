#pragma once

#include "actors/access/caller_tokens.hpp"
#include "actors/gateway/cluster_keys.hpp"
#include "actors/runtime/event_log.hpp"
#include "actors/session/caller_limiter.hpp"
#include "actors/session/session.hpp"
#include "actors/troupe/gateway.hpp"
#include "actors/upstream/configured_server.hpp"
#include "net/child/process_total.hpp"
#include "net/io_thread.hpp"
#include "net/server/connections.hpp"
#include "net/worker_pool.hpp"

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

namespace troupe::actors {

/// How many connections clients may have, of the descriptors that this process may have.
std::size_t connections_for(const gateway_options& options);

/// Warns when the descriptors are too few for the sessions or the connections that the options allow.
void warn_of_few_descriptors(const gateway_options& options, const event_log& log);

// Turns the options of a host into the setups of the actors.

using thread_list = std::vector<std::unique_ptr<net::io_thread>>;

/// Servers need processors too, and a message between two threads costs more than one within a thread.
std::size_t threads_of(const gateway_options& options);
std::shared_ptr<caller_limiter> make_limiter(const limits& options);
net::connection_totals make_totals(const limits& options);
/// Liveness and readiness probes are answered even when clients have all connections.
net::connection_limits connection_limits_of(const gateway_options& options);
/// `keys` are those of the cluster; null for a gateway alone.
std::shared_ptr<const session_setup> make_session_setup(const gateway_options& options,
                                                        std::shared_ptr<const caller_tokens> callers,
                                                        const std::shared_ptr<const cluster_keys>& keys);

/// Who may use a server, and what of it; null when there are no rules.
std::shared_ptr<const protocol::permissions> permissions_of(const server_access& access, const auth_options& auth);

/// What all sessions together keep for their clients.
std::vector<protocol::limit_report> limits_of(const session_setup& sessions);

/// Where upstreams live. All of it outlives them.
struct upstream_home {
  const thread_list& threads;
  /// Those of the threads, in order.
  std::vector<unit*> units;
  /// Whether processes that are being stopped are killed at once.
  const std::atomic<bool>* hurry = nullptr;
  /// Counts all processes.
  net::process_total* processes = nullptr;
  /// Where handlers of hosted servers run, and where their hosts are called back.
  net::worker_pool* workers = nullptr;
  net::worker_pool* callbacks = nullptr;
  /// The tokens that callers have shown.
  std::shared_ptr<caller_tokens> callers = {};
};

std::shared_ptr<const server_setup> make_server_setup(const server_options& server, const gateway_options& options,
                                                      const upstream_home& home);

} // namespace troupe::actors
