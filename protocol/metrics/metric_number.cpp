#include "protocol/metrics/metric_number.hpp"

#include <algorithm>

namespace troupe::protocol {

void duration_histogram::record(std::chrono::nanoseconds duration) {
  bucket_of(duration).add(1);
  sum_.add(duration.count());
}

metric_number& duration_histogram::later_bucket_of(std::chrono::nanoseconds duration) {
  constexpr auto& bounds = duration_bounds_in_nanoseconds;
  const auto bound = std::find_if(bounds.begin() + 1, bounds.end(), [&](auto one) { return duration <= one; });
  return buckets_[static_cast<std::size_t>(bound - bounds.begin())];
}

} // namespace troupe::protocol
