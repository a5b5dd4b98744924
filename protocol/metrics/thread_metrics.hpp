#pragma once

#include "protocol/metrics/metric.hpp"

#include <array>
#include <atomic>
#include <cassert>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace troupe::protocol {

/// What one thread measures. It writes without waiting for anybody, and others read meanwhile: a series, once there, is
/// there for good, so whoever adds series bounds how many different values its labels have.
class thread_metrics {
public:
  /// Values of the labels of a family, in its order.
  using label_values = std::initializer_list<std::string_view>;

  struct series {
    metric is;
    std::vector<std::string> labels;
    metric_number number;
    /// Null unless the metric is a histogram.
    std::unique_ptr<duration_histogram> durations;
    /// The one that was made before it.
    const series* before = nullptr;
  };

  /// Where an operation was recorded, and by which texts that was found.
  struct found_operation {
    /// Their texts stay: the same ones are at the same place.
    std::string_view method, transport, outcome, name;
    std::string server;
    /// Null when none was found yet.
    duration_histogram* durations = nullptr;
  };

  thread_metrics() = default;
  ~thread_metrics();
  thread_metrics(const thread_metrics&) = delete;
  thread_metrics& operator=(const thread_metrics&) = delete;

  // -- on the thread; what these give stays valid
  metric_number& number(metric which, label_values labels = {}) { return find(which, labels).number; }
  duration_histogram& durations(metric which, label_values labels = {}) { return *find(which, labels).durations; }
  /// Answers to requests of clients with that HTTP status: most of the time the next one is the same.
  metric_number& responses(int status) {
    if (!last_responses_ || status != last_status_) {
      last_responses_ = &number(metric::responses, {std::to_string(status)});
      last_status_ = status;
    }
    return *last_responses_;
  }
  /// A value for a label whose values clients or servers choose: the value itself while there are few different ones,
  /// otherwise `other`. `is_real` when the value is known to name something: others are only taken when they are known
  /// already.
  std::string_view bounded(std::string_view value, bool is_real);
  /// What `bounded` has taken already, found by its JSON token in a message, and valid as long as this; empty when
  /// there is none, and when that cannot be told without resolving escapes. Most of the time it is the one of the time
  /// before.
  std::string_view known_name(std::string_view token);
  /// The operation that was recorded last, of `server_operation` or `client_operation`: most of the time the next one
  /// is the same.
  found_operation& last_operation(metric which) {
    assert(which == metric::server_operation || which == metric::client_operation);
    return last_operations_[which == metric::client_operation ? 1 : 0];
  }

  // -- on any thread
  /// The latest series, which leads to the others.
  const series* latest() const { return latest_.load(std::memory_order_acquire); }

  /// Most different values of a label that are not known beforehand.
  static constexpr std::size_t most_values = 500;
  /// Of more series, further ones of a metric are told apart by which labels they have only; the values are `other`.
  static constexpr std::size_t most_series = 10'000;

private:
  series& find(metric which, label_values labels);
  series& look_up(metric which, std::span<const std::string_view> labels);
  series& add(metric which, std::span<const std::string_view> labels);

  std::unordered_map<std::string, std::unique_ptr<series>> all_;
  std::atomic<const series*> latest_ = nullptr;
  /// Of each metric, the series that was looked for last.
  std::vector<series*> last_found_ = std::vector<series*>(metric_families().size());
  std::array<found_operation, 2> last_operations_;
  std::string_view last_name_;
  int last_status_ = 0;
  metric_number* last_responses_ = nullptr;
  /// Values of labels that were taken.
  std::unordered_map<std::string_view, std::unique_ptr<const std::string>> values_;
  /// What is looked for, kept for its memory.
  std::string key_;
};

} // namespace troupe::protocol
