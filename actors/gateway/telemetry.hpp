#pragma once

#include "actors/operator_messages.hpp"
#include "actors/runtime/io_unit.hpp"
#include "actors/troupe/gateway.hpp"
#include "net/server/connections.hpp"
#include "net/slots.hpp"
#include "net/worker_pool.hpp"
#include "protocol/session/state_report.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace troupe::actors {

/// Parts of a gateway that are measured; all outlive this.
struct measured_parts {
  caf::actor_system& system;
  std::vector<io_unit*> units;
  const live_count& brokers;
  const net::process_slots& processes;
  /// Queues by name; null for a queue that does not exist.
  std::vector<std::pair<const char*, const net::worker_pool*>> queues;
  /// Returns the limits that all clients share.
  std::function<std::vector<protocol::limit_report>()> limits;
  const net::refusal_counts& refusals;
  std::size_t max_sessions = 0;
  /// Returns how many log lines were lost; may be empty.
  std::function<std::uint64_t()> lost_log_lines = {};
  /// Whether metrics of the whole process are included.
  bool of_process = true;
};

/// True if the options ask for metrics.
bool is_measured(const gateway_options& options);

/// Returns all metrics in Prometheus' text format, without waiting for any thread of the gateway. Callable from any
/// thread.
std::string metrics_text(const measured_parts& of);

/// Tracing of a gateway: configures its units, and owns an exporter that receives their spans. The exporter is notified
/// of the gateway's end, and exits soon after.
class gateway_traces {
public:
  /// Spawns the exporter on the first unit; no effect if the options do not ask for traces. Must run before the units
  /// have actors.
  gateway_traces(const gateway_options& options, const std::vector<io_unit*>& units);
  ~gateway_traces();
  gateway_traces(const gateway_traces&) = delete;
  gateway_traces& operator=(const gateway_traces&) = delete;

private:
  /// Null without tracing.
  span_exporter_actor exporter_;
};

} // namespace troupe::actors
