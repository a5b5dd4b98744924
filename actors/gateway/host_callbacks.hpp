#pragma once

#include "actors/messages.hpp"
#include "actors/runtime/event_log.hpp"
#include "actors/troupe/gateway.hpp"
#include "net/worker_pool.hpp"
#include "protocol/admin/operator_views.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace troupe::actors {

/// Asks the host of a gateway whether sessions may begin, on threads apart, which that may block.
///
/// Destroying it waits until all that was asked has been answered.
class host_consent {
public:
  explicit host_consent(const gateway_options& options) : judge_{options.refuse_session}, log_{options.log} {}

  /// Asks one question, and sends the answer; see `registry_setup`. Callable from any thread while this is there. Empty
  /// when the host does not want to be asked.
  std::function<void(session_request what, std::uint64_t question, const registry_actor& by)> asker();
  bool is_current() const { return threads_.is_current(); }

private:
  std::optional<protocol::rejection> refuse(const session_request& what) const;

  session_judge judge_;
  event_log log_;
  net::worker_pool threads_{4, 1000};
};

/// What this node is, and what its operators may order.
protocol::live_node node_of(const gateway_options& options);

/// Gives a function that carries out what operators order of the host's program, see `operator_orders`, on `callbacks`,
/// which outlives it, and answers from there.
std::function<void(protocol::operator_order what, broker_actor broker)> order_carrier(operator_orders orders,
                                                                                      net::worker_pool& callbacks);

} // namespace troupe::actors
