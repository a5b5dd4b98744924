#include "protocol/metrics/metric_number.hpp"

#include <algorithm>

namespace troupe::protocol {

namespace {

constexpr auto bounds_in_nanoseconds = [] {
  std::array<std::chrono::nanoseconds, duration_bounds.size()> result;
  std::ranges::transform(duration_bounds, result.begin(), [](double seconds) {
    return std::chrono::round<std::chrono::nanoseconds>(std::chrono::duration<double>{seconds});
  });
  return result;
}();

} // namespace

void duration_histogram::record(std::chrono::nanoseconds duration) {
  bucket_of(duration).add(1);
  sum_.add(duration.count());
}

void duration_histogram::record_alone(std::chrono::nanoseconds duration) {
  bucket_of(duration).add_alone(1);
  sum_.add_alone(duration.count());
}

/// Most calls are within the first bounds.
metric_number& duration_histogram::bucket_of(std::chrono::nanoseconds duration) {
  const auto bound = std::ranges::find_if(bounds_in_nanoseconds, [&](auto one) { return duration <= one; });
  return buckets_[static_cast<std::size_t>(bound - bounds_in_nanoseconds.begin())];
}

} // namespace troupe::protocol
