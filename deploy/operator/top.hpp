#pragma once

#include "deploy/operator/operator_client.hpp"
#include "deploy/operator/operator_command.hpp"

#include <string_view>

namespace troupe::deploy {

/// Requests of clients that have ended since a gateway started, as its metrics count them.
struct operation_counts {
  double requests = 0;
  double errors = 0;
  /// That they have taken, all together.
  double seconds = 0;

  friend bool operator==(const operation_counts&, const operation_counts&) = default;
};

/// What happens in a second.
struct operation_rates {
  double requests = 0;
  double errors = 0;
  /// Of one request, in seconds; 0 when there was none.
  double mean = 0;

  friend bool operator==(const operation_rates&, const operation_rates&) = default;
};

/// Adds up the series of Prometheus' text.
operation_counts read_operations(std::string_view metrics);

/// From two readings that lie so many seconds apart. Counts that went back are those of a gateway that started anew.
operation_rates rates_between(const operation_counts& before, const operation_counts& after, double seconds);

/// Shows what a gateway does: on a terminal again and again, until the operator wants no more, else once. Throws
/// `operator_failure` when there is nothing to show.
void run_top(const operator_client& client, const operator_options& options, const show_top& wish);

} // namespace troupe::deploy
