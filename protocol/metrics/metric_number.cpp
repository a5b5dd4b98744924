#include "protocol/metrics/metric_number.hpp"

#include <algorithm>

namespace troupe::protocol {

void duration_histogram::record(std::chrono::nanoseconds duration) {
  const auto seconds = std::chrono::duration<double>{duration}.count();
  const auto bucket = std::ranges::lower_bound(duration_bounds, seconds) - duration_bounds.begin();
  buckets_[static_cast<std::size_t>(bucket)].add(1);
  sum_.add(duration.count());
}

} // namespace troupe::protocol
