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

/// A number that is changed and read without waiting. Most of the time one thread changes it, which costs next to
/// nothing; an actor whose last handle goes elsewhere takes its share back from there. What is added here may be taken
/// away from a number of another thread: only their sum means something.
class metric_number {
public:
  void add(std::int64_t by) { value_.fetch_add(by, std::memory_order_relaxed); }
  /// The same for a number that no other thread changes, and quicker.
  void add_alone(std::int64_t by) { value_.store(value() + by, std::memory_order_relaxed); }
  std::int64_t value() const { return value_.load(std::memory_order_relaxed); }

private:
  std::atomic<std::int64_t> value_ = 0;
};

/// Upper bounds of durations that are counted together, in seconds (OpenTelemetry's semantic conventions for MCP).
/// Longer ones are counted after the last.
inline constexpr std::array<double, 14> duration_bounds{0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300};

/// The same bounds in nanoseconds.
inline constexpr auto duration_bounds_in_nanoseconds = [] {
  std::array<std::chrono::nanoseconds, duration_bounds.size()> result{};
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = std::chrono::round<std::chrono::nanoseconds>(std::chrono::duration<double>{duration_bounds[i]});
  return result;
}();

/// How often something took how long; each number as `metric_number`.
class duration_histogram {
public:
  using counts = std::array<metric_number, duration_bounds.size() + 1>;

  void record(std::chrono::nanoseconds duration);
  /// The same for one that no other thread changes, and quicker.
  void record_alone(std::chrono::nanoseconds duration) {
    bucket_of(duration).add_alone(1);
    sum_.add_alone(duration.count());
  }
  /// How many are within each bound but not the one before.
  const counts& buckets() const { return buckets_; }
  std::chrono::nanoseconds sum() const { return std::chrono::nanoseconds{sum_.value()}; }

private:
  /// Most calls are within the first bound.
  metric_number& bucket_of(std::chrono::nanoseconds duration) {
    return duration <= duration_bounds_in_nanoseconds.front() ? buckets_.front() : later_bucket_of(duration);
  }
  /// Of one that is longer than the first bound.
  metric_number& later_bucket_of(std::chrono::nanoseconds duration);

  counts buckets_;
  metric_number sum_;
};

/// What one owner adds to a number, until it is destroyed. A default one adds to none.
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

/// Everything that is measured. Each has a family in the text that is scraped, see `family_of`.
enum class metric {
  // -- durations (OpenTelemetry's semantic conventions for MCP)
  server_operation,
  client_operation,
  server_session,
  client_session,
  // -- what lives
  sessions,
  leases,
  sessions_to_move,
  streams,
  calls,
  parked_calls,
  server_processes,
  unready,
  // -- what has happened
  responses,
  refused,
  server_starts,
  server_restarts,
  server_start_failures,
  spans_exported,
  spans_dropped,
  // -- what is known to those who share it, and asked for when somebody scrapes
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

/// How a metric is called and described, and what tells its series apart.
struct metric_family {
  metric is;
  std::string_view name;
  metric_kind kind;
  std::string_view help;
  std::array<std::string_view, 5> labels = {};

  std::size_t label_count() const;
};

/// All of them, in the order of `metric`.
std::span<const metric_family> metric_families();
const metric_family& family_of(metric which);

/// What stands for a label's value when there are too many different ones.
inline constexpr std::string_view other_label = "other";

} // namespace troupe::protocol
