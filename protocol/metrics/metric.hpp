#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace troupe::protocol {

/// Everything that is measured. Each has a family in the text that is scraped, see `family_of`.
enum class metric {
  // -- durations (OpenTelemetry's semantic conventions for MCP)
  server_operation,
  client_operation,
  server_session,
  client_session,
  // -- what lives
  sessions,
  leases,
  sessions_to_move,
  streams,
  calls,
  parked_calls,
  server_processes,
  unready,
  // -- what has happened
  responses,
  refused,
  server_starts,
  server_restarts,
  server_start_failures,
  spans_exported,
  spans_dropped,
  // -- what is known to those who share it, and asked for when somebody scrapes
  build,
  actors,
  brokers,
  connections,
  connections_limit,
  connections_refused,
  unsent_bytes,
  unsent_bytes_limit,
  event_bytes,
  event_bytes_limit,
  waiting_bytes,
  waiting_bytes_limit,
  sessions_limit,
  processes,
  processes_limit,
  stopping_processes,
  queue_length,
  thread_cpu,
  nodes,
  links,
  relayed,
  log_lines_lost,
  // -- the process, by the names that every Prometheus client has
  process_cpu,
  process_start,
  process_resident,
  process_virtual,
  process_descriptors,
  process_descriptors_limit,
};

enum class metric_kind { counter, gauge, histogram };

/// How a metric is called and described, and what tells its series apart.
struct metric_family {
  metric is;
  std::string_view name;
  metric_kind kind;
  std::string_view help;
  std::array<std::string_view, 5> labels = {};

  std::size_t label_count() const;
};

/// All of them, in the order of `metric`.
std::span<const metric_family> metric_families();
const metric_family& family_of(metric which);

/// What stands for a label's value when there are too many different ones.
inline constexpr std::string_view other_label = "other";

} // namespace troupe::protocol
