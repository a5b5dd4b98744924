#pragma once

#include "protocol/metrics/thread_metrics.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace troupe::protocol {

/// What all threads have measured, added up as somebody scrapes it.
class metrics_page {
public:
  /// Adds what a thread has measured, which may go on meanwhile.
  void add(const thread_metrics& of);
  /// Adds a number that is known otherwise.
  void add(metric which, thread_metrics::label_values labels, double value);
  void add(metric which, double value) { add(which, {}, value); }

  /// In Prometheus' text format, version 0.0.4.
  std::string text() const;

private:
  struct total {
    double number = 0;
    std::array<std::uint64_t, duration_bounds.size() + 1> buckets = {};
    std::chrono::nanoseconds sum = {};
  };

  std::map<std::pair<metric, std::vector<std::string>>, total> totals_;
};

} // namespace troupe::protocol
