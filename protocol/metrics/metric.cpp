#include "protocol/metrics/metric.hpp"

#include <algorithm>

namespace troupe::protocol {

namespace {

using enum metric_kind;

constexpr metric_family all_families[] = {
    {metric::server_operation,
     histogram,
     "mcp_server_operation_duration_seconds",
     "How long requests of clients took, from their arrival at their session or lease to the answer",
     {"mcp_method_name", "gen_ai_tool_name", "server", "network_transport", "error_type"}},
    {metric::client_operation,
     histogram,
     "mcp_client_operation_duration_seconds",
     "How long servers took to answer requests, the start of their process included",
     {"mcp_method_name", "gen_ai_tool_name", "server", "network_transport", "error_type"}},
    {metric::server_session,
     histogram,
     "mcp_server_session_duration_seconds",
     "How long the sessions of clients that have ended were there",
     {"transport"}},
    {metric::client_session,
     histogram,
     "mcp_client_session_duration_seconds",
     "How long the processes of servers that have ended were there",
     {"server", "network_transport"}},

    {metric::sessions, gauge, "troupe_sessions", "Sessions of clients", {"transport"}},
    {metric::leases, gauge, "troupe_leases",
     "What callers without a session (2026-07-28) share between their requests"},
    {metric::sessions_to_move, gauge, "troupe_sessions_to_move",
     "Sessions that are yet to leave a node which drains at a rate"},
    {metric::streams,
     gauge,
     "troupe_streams",
     "Event streams that a connection carries: for a server's own messages (primary), held for when that goes "
     "(shadow), "
     "with the answer to a request (call), or for what a client of 2026-07-28 listens to (listen)",
     {"role"}},
    {metric::calls, gauge, "troupe_calls_in_flight", "Requests of clients that have no answer yet"},
    {metric::parked_calls, gauge, "troupe_parked_calls", "Calls that wait for their client to answer a question"},
    {metric::server_processes, gauge, "troupe_server_processes", "Processes of a server", {"server"}},
    {metric::unready,
     gauge,
     "troupe_unready",
     "What keeps the node from being ready, as /readyz tells it: its own end (gateway), nodes that it does not know "
     "(cluster), essential servers (server)",
     {"what"}},

    {metric::responses, counter, "troupe_http_responses_total", "Answers to requests of clients", {"status"}},
    {metric::refused,
     counter,
     "troupe_refused_total",
     "Requests that were refused before any server saw them",
     {"reason"}},
    {metric::server_starts, counter, "troupe_server_starts_total", "Processes of a server that were begun", {"server"}},
    {metric::server_restarts,
     counter,
     "troupe_server_restarts_total",
     "Starts of a server after it had stopped without being told to",
     {"server"}},
    {metric::server_start_failures,
     counter,
     "troupe_server_start_failures_total",
     "Starts of a server that ended before it said anything",
     {"server"}},

    {metric::spans_exported, counter, "troupe_spans_exported_total", "Spans of traces that the collector has taken"},
    {metric::spans_dropped, counter, "troupe_spans_dropped_total",
     "Spans of traces that the collector has not taken, or that came faster than it takes them"},

    {metric::build, gauge, "troupe_build_info", "Always 1", {"version"}},
    {metric::actors, gauge, "troupe_actors", "Actors that run"},
    {metric::brokers, gauge, "troupe_brokers", "HTTP exchanges whose answer is awaited or is a stream"},
    {metric::connections, gauge, "troupe_connections", "Connections of clients"},
    {metric::connections_limit, gauge, "troupe_connections_limit", "Most connections of clients"},
    {metric::connections_refused,
     counter,
     "troupe_connections_refused_total",
     "Clients that were turned away by a full gateway or by TLS, and requests that could not be read",
     {"reason"}},
    {metric::unsent_bytes, gauge, "troupe_unsent_bytes", "Bytes of answers and streams that clients have not read"},
    {metric::unsent_bytes_limit, gauge, "troupe_unsent_bytes_limit",
     "Most bytes of answers and streams that clients have not read"},
    {metric::event_bytes, gauge, "troupe_event_bytes",
     "Bytes of events that are kept for clients whose connection breaks"},
    {metric::event_bytes_limit, gauge, "troupe_event_bytes_limit",
     "Most bytes of events that are kept for clients whose connection breaks"},
    {metric::waiting_bytes, gauge, "troupe_waiting_bytes", "Bytes of messages that wait for their client to listen"},
    {metric::waiting_bytes_limit, gauge, "troupe_waiting_bytes_limit",
     "Most bytes of messages that wait for their client to listen"},
    {metric::sessions_limit, gauge, "troupe_sessions_limit", "Most sessions and leases"},
    {metric::processes, gauge, "troupe_processes", "Processes of all servers, those that are being stopped included"},
    {metric::processes_limit, gauge, "troupe_processes_limit", "Most processes of all servers"},
    {metric::stopping_processes, gauge, "troupe_stopping_processes", "Processes of servers that are being stopped"},
    {metric::queue_length,
     gauge,
     "troupe_queue_length",
     "Work that waits for a thread: calls of servers in the host's program (handlers), what these are told "
     "(callbacks), "
     "signatures (signatures)",
     {"queue"}},
    {metric::thread_cpu,
     counter,
     "troupe_io_thread_cpu_seconds_total",
     "CPU time of a thread that serves connections, actors and pipes; one that is busy takes one second each second",
     {"thread"}},
    {metric::nodes, gauge, "troupe_nodes", "Other nodes of the cluster, as this one sees them", {"state"}},
    {metric::links, gauge, "troupe_node_links", "Connections to other nodes"},
    {metric::relayed,
     gauge,
     "troupe_relayed_exchanges",
     "Exchanges whose connection another node has (here), or that another node answers (elsewhere)",
     {"answered"}},
    {metric::log_lines_lost, counter, "troupe_log_lines_lost_total",
     "Lines of the logs that were dropped because their reader was too slow"},

    {metric::process_cpu, counter, "process_cpu_seconds_total", "Total user and system CPU time spent in seconds."},
    {metric::process_start, gauge, "process_start_time_seconds",
     "Start time of the process since unix epoch in seconds."},
    {metric::process_resident, gauge, "process_resident_memory_bytes", "Resident memory size in bytes."},
    {metric::process_virtual, gauge, "process_virtual_memory_bytes", "Virtual memory size in bytes."},
    {metric::process_descriptors, gauge, "process_open_fds", "Number of open file descriptors."},
    {metric::process_descriptors_limit, gauge, "process_max_fds", "Maximum number of open file descriptors."},
};

constexpr bool are_in_order() {
  for (std::size_t i = 0; i < std::size(all_families); ++i)
    if (static_cast<std::size_t>(all_families[i].is) != i)
      return false;
  return static_cast<std::size_t>(metric::process_descriptors_limit) + 1 == std::size(all_families);
}
static_assert(are_in_order());

} // namespace

void duration_histogram::record(std::chrono::nanoseconds duration) {
  bucket_of(duration).add(1);
  sum_.add(duration.count());
}

metric_number& duration_histogram::later_bucket_of(std::chrono::nanoseconds duration) {
  constexpr auto& bounds = duration_bounds_in_nanoseconds;
  const auto bound = std::find_if(bounds.begin() + 1, bounds.end(), [&](auto one) { return duration <= one; });
  return buckets_[static_cast<std::size_t>(bound - bounds.begin())];
}

std::size_t metric_family::label_count() const {
  return static_cast<std::size_t>(std::ranges::find(labels, std::string_view{}) - labels.begin());
}

std::span<const metric_family> metric_families() { return all_families; }

const metric_family& family_of(metric which) { return all_families[static_cast<std::size_t>(which)]; }

} // namespace troupe::protocol
