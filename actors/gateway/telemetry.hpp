#pragma once

#include "actors/messages.hpp"
#include "actors/runtime/io_unit.hpp"
#include "actors/troupe/gateway.hpp"
#include "net/child/process_total.hpp"
#include "net/guarded.hpp"
#include "net/server/connections.hpp"
#include "net/worker_pool.hpp"
#include "protocol/session/state_report.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace troupe::actors {

/// What a gateway has that is measured. All outlive this.
struct measured_parts {
  caf::actor_system& system;
  std::vector<io_unit*> units;
  const live_count& brokers;
  const net::process_total& processes;
  /// The queues by their names; null for one that is not there.
  std::vector<std::pair<const char*, const net::worker_pool*>> queues;
  /// What is limited for all clients together.
  std::function<std::vector<protocol::limit_report>()> limits;
  const net::refusal_counts& refusals;
  std::size_t max_sessions = 0;
  /// May be empty.
  std::function<std::uint64_t()> lost_log_lines = {};
  /// Whether the process as a whole is told of.
  bool of_process = true;
};

/// Whether anybody may want to know.
bool is_measured(const gateway_options& options);

/// All that is measured, in Prometheus' text format. No thread of the gateway waits for it, nor does it wait for one.
/// Callable from any thread.
std::string metrics_text(const measured_parts& of);

/// Where a host reads what is measured, as long as that is there. Callable from any thread.
class metrics_window {
public:
  void open(std::function<std::string()> make);
  /// Waits for who reads meanwhile.
  void close() { open({}); }
  /// Empty when it is closed.
  std::string read();

private:
  net::guarded<std::function<std::string()>> make_;
};

/// The tracing of a gateway: its units know how requests are traced, and an exporter takes their spans. Its end is told
/// to the exporter, which ends soon after that.
class gateway_traces {
public:
  /// The exporter lives on the first of the units. Traces nothing unless the options say so; before the units have
  /// actors.
  gateway_traces(const gateway_options& options, const std::vector<io_unit*>& units);
  ~gateway_traces();
  gateway_traces(const gateway_traces&) = delete;
  gateway_traces& operator=(const gateway_traces&) = delete;

private:
  /// Null when nothing is traced.
  span_exporter_actor exporter_;
};

} // namespace troupe::actors
