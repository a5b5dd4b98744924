#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace troupe::protocol {

/// Number that is changed and read without waiting. Usually one thread changes it, at almost no cost. An actor whose
/// last handle is released on another thread subtracts its share on that thread. An addition here may be subtracted
/// from the number of another thread: only the sum of both is meaningful.
class metric_number {
public:
  void add(std::int64_t by) { value_.fetch_add(by, std::memory_order_relaxed); }
  /// Like `add`, for a number that no other thread changes, and faster.
  void add_alone(std::int64_t by) { value_.store(value() + by, std::memory_order_relaxed); }
  std::int64_t value() const { return value_.load(std::memory_order_relaxed); }

private:
  std::atomic<std::int64_t> value_ = 0;
};

/// Upper bounds of the buckets of durations, in seconds (OpenTelemetry's semantic conventions for MCP). Longer ones are
/// counted in a last bucket.
inline constexpr std::array<double, 14> duration_bounds{0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300};

/// Upper bounds of the buckets in nanoseconds.
inline constexpr auto duration_bounds_in_nanoseconds = [] {
  std::array<std::chrono::nanoseconds, duration_bounds.size()> result{};
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = std::chrono::round<std::chrono::nanoseconds>(std::chrono::duration<double>{duration_bounds[i]});
  return result;
}();

/// Histogram of durations; each of its numbers is a `metric_number`.
class duration_histogram {
public:
  using counts = std::array<metric_number, duration_bounds.size() + 1>;

  void record(std::chrono::nanoseconds duration);
  /// Like `record`, for a histogram that no other thread changes, and faster.
  void record_alone(std::chrono::nanoseconds duration) {
    bucket_of(duration).add_alone(1);
    sum_.add_alone(duration.count());
  }
  /// Number of durations within each bound but not the one before.
  const counts& buckets() const { return buckets_; }
  std::chrono::nanoseconds sum() const { return std::chrono::nanoseconds{sum_.value()}; }

private:
  /// Inline, because most calls are within the first bound.
  metric_number& bucket_of(std::chrono::nanoseconds duration) {
    return duration <= duration_bounds_in_nanoseconds.front() ? buckets_.front() : later_bucket_of(duration);
  }
  /// Returns the bucket of a duration that is longer than the first bound.
  metric_number& later_bucket_of(std::chrono::nanoseconds duration);

  counts buckets_;
  metric_number sum_;
};

/// Share of one owner in a number, until it is destroyed. A default one adds to no number.
class metric_share {
public:
  metric_share() = default;
  explicit metric_share(metric_number& of, std::int64_t now = 0) : of_{&of} { set(now); }
  ~metric_share() { set(0); }
  metric_share(metric_share&& other) noexcept
      : of_{std::exchange(other.of_, nullptr)}, now_{std::exchange(other.now_, 0)} {}
  metric_share& operator=(metric_share&&) = delete;

  void set(std::int64_t now) {
    if (of_ && now != now_) {
      of_->add(now - now_);
      now_ = now;
    }
  }

private:
  metric_number* of_ = nullptr;
  std::int64_t now_ = 0;
};

/// All metrics. Each has a family in the scraped text, see `family_of`.
enum class metric {
  // -- durations (OpenTelemetry's semantic conventions for MCP)
  server_operation,
  client_operation,
  server_session,
  client_session,
  // -- current numbers
  sessions,
  leases,
  sessions_to_move,
  streams,
  calls,
  parked_calls,
  server_processes,
  unready,
  // -- events
  responses,
  refused,
  server_starts,
  server_restarts,
  server_start_failures,
  spans_exported,
  spans_dropped,
  // -- numbers that their owners know, queried at each scrape
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

/// Name, type, description and labels of a metric.
struct metric_family {
  metric is;
  metric_kind kind;
  std::string_view name;
  std::string_view help;
  std::array<std::string_view, 5> labels = {};

  std::size_t label_count() const;
};

/// Returns all families, in the order of `metric`.
std::span<const metric_family> metric_families();
const metric_family& family_of(metric which);

/// Value of a label in place of further ones when there are too many.
inline constexpr std::string_view other_label = "other";

} // namespace troupe::protocol
