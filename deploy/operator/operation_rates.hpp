#pragma once

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

} // namespace troupe::deploy
