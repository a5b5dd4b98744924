#pragma once

#include "deploy/operator/operator_client.hpp"
#include "deploy/operator/operator_command.hpp"

#include <string_view>

namespace troupe::deploy {

/// Client requests that ended since the gateway's start, from its metrics.
struct operation_counts {
  double requests = 0;
  double errors = 0;
  /// Sum of their durations.
  double seconds = 0;

  friend bool operator==(const operation_counts&, const operation_counts&) = default;
};

/// Requests and errors per second.
struct operation_rates {
  double requests = 0;
  double errors = 0;
  /// Mean duration of a request in seconds; 0 when there was none.
  double mean = 0;

  friend bool operator==(const operation_rates&, const operation_rates&) = default;
};

/// Sums the series in Prometheus' text format.
operation_counts read_operations(std::string_view metrics);

/// Computes rates from two readings that are `seconds` apart. Counts that decreased are those of a restarted gateway.
operation_rates rates_between(const operation_counts& before, const operation_counts& after, double seconds);

/// Shows a gateway's calls and rates: on a terminal, refreshed until the operator quits, otherwise once. Throws
/// `operator_failure` when the first reading fails.
void run_top(const operator_client& client, const operator_options& options, const show_top& action);

} // namespace troupe::deploy
