#pragma once

#include "actors/messages.hpp"
#include "actors/troupe/gateway.hpp"
#include "net/worker_pool.hpp"
#include "protocol/admin/operator_views.hpp"

#include <functional>
#include <string>

namespace troupe::actors {

/// What this node is, and what its operators may order.
protocol::live_node node_of(const gateway_options& options);

/// Gives a function that carries out what operators order of the host's program, see `operator_orders`, on `callbacks`,
/// which outlives it, and answers from there.
std::function<void(protocol::operator_order what, broker_actor broker)> order_carrier(operator_orders orders,
                                                                                      net::worker_pool& callbacks);

} // namespace troupe::actors
