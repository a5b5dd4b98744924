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

/// Measurements of all threads, added up at a scrape.
class metrics_page {
public:
  /// Adds the measurements of a thread, which may go on meanwhile.
  void add(const thread_metrics& of);
  /// Adds a number from another source.
  void add(metric which, thread_metrics::label_values labels, double value);
  void add(metric which, double value) { add(which, {}, value); }

  /// Formats the page in Prometheus' text format, version 0.0.4.
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
