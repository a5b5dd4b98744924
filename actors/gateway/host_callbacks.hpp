#pragma once

#include "actors/runtime/event_log.hpp"
#include "actors/session_messages.hpp"
#include "actors/troupe/gateway.hpp"
#include "net/worker_pool.hpp"
#include "protocol/admin/admin_command.hpp"
#include "protocol/admin/operator_views.hpp"
#include "protocol/admin/server_views.hpp"

#include <cstdint>
#include <functional>
#include <optional>

namespace troupe::actors {

/// Queries the host of a gateway whether sessions may begin, on separate threads, as the host may block.
///
/// The destructor waits until all questions are answered.
class host_consent {
public:
  explicit host_consent(const gateway_options& options) : judge_{options.refuse_session}, log_{options.log} {}

  /// Returns a function that asks one question and sends the answer; see `registry_setup`. Callable from any thread
  /// during the lifetime of this. Empty if the host does not judge sessions.
  std::function<void(session_request what, std::uint64_t question, const registry_actor& by)> requester();
  bool is_current() const { return threads_.is_current(); }

private:
  std::optional<protocol::rejection> refuse(const session_request& what) const;

  session_judge judge_;
  event_log log_;
  net::worker_pool threads_{4, 1000};
};

/// Describes this node, and the orders that its operators can give.
protocol::live_node node_of(const gateway_options& options);

/// Measures a server's process and its descendants, see `process_meter`.
std::optional<protocol::live_process::usage> measure_process(int pid);

/// Returns a function that runs operators' orders to the host's program and answers them; see `operator_orders`. The
/// orders run on `callbacks`, which outlives the function.
std::function<void(protocol::admin_command what, broker_actor broker)> order_carrier(operator_orders orders,
                                                                                     net::worker_pool& callbacks);

} // namespace troupe::actors
