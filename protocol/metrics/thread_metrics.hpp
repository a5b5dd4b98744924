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
#include <vector>

namespace troupe::protocol {

/// Measurements of one thread, which writes without waiting while others read. A series is never removed: code that
/// adds series bounds the number of different label values.
class thread_metrics {
public:
  /// Values of a family's labels, in its order.
  using label_values = std::initializer_list<std::string_view>;

  struct series {
    metric is;
    std::vector<std::string> labels;
    metric_number number;
    /// Null unless the metric is a histogram.
    std::unique_ptr<duration_histogram> durations;
    /// Series that was added before this one.
    const series* before = nullptr;
  };

  /// Last recorded operation and its histogram, with the texts by which that was found.
  struct found_operation {
    /// Static texts: compared by address.
    std::string_view method, transport, outcome, name;
    std::string server;
    /// Null if none was found yet.
    duration_histogram* durations = nullptr;
  };

  thread_metrics() = default;
  ~thread_metrics();
  thread_metrics(const thread_metrics&) = delete;
  thread_metrics& operator=(const thread_metrics&) = delete;

  // -- on the thread; the results stay valid
  metric_number& number(metric which, label_values labels = {}) { return find(which, labels).number; }
  duration_histogram& durations(metric which, label_values labels = {}) { return *find(which, labels).durations; }
  /// Number of answers to clients with that HTTP status. The last one is cached: usually the next is the same.
  metric_number& responses(int status) {
    if (!last_responses_ || status != last_status_) {
      last_responses_ = &number(metric::responses, {std::to_string(status)});
      last_status_ = status;
    }
    return *last_responses_;
  }
  /// Bounds the values of a label that clients or servers choose: returns the value while there are few different ones,
  /// otherwise `other`. `is_real`: the value is known to name something. Other values are only used if they are known
  /// already.
  std::string_view bounded(std::string_view value, bool is_real);
  /// Finds a value that `bounded` has returned, by its JSON token in a message; valid as long as this object. Empty if
  /// there is none, or if escapes would have to be resolved to find it. Usually the value of the last call.
  std::string_view known_name(std::string_view token);
  /// Returns the last recorded operation, of `server_operation` or `client_operation`: usually the next one is the
  /// same.
  found_operation& last_operation(metric which) {
    assert(which == metric::server_operation || which == metric::client_operation);
    return last_operations_[which == metric::client_operation ? 1 : 0];
  }

  // -- on any thread
  /// Returns the latest series, which is linked to the earlier ones.
  const series* latest() const { return latest_.load(std::memory_order_acquire); }

  /// Maximum number of different values of a label that are not known beforehand.
  static constexpr std::size_t most_values = 500;
  /// Maximum number of series. Further series of a metric differ only in which labels they have; the values are
  /// `other`.
  static constexpr std::size_t most_series = 10'000;

private:
  series& find(metric which, label_values labels);
  series& look_up(metric which, std::span<const std::string_view> labels);
  series& add(metric which, std::span<const std::string_view> labels);

  std::unordered_map<std::string, std::unique_ptr<series>> all_;
  std::atomic<const series*> latest_ = nullptr;
  /// Last series that was found, for each metric.
  std::vector<series*> last_found_ = std::vector<series*>(metric_families().size());
  std::array<found_operation, 2> last_operations_;
  std::string_view last_name_;
  int last_status_ = 0;
  metric_number* last_responses_ = nullptr;
  /// Values of labels returned by `bounded`.
  std::unordered_map<std::string_view, std::unique_ptr<const std::string>> values_;
  /// Key of the series to find; a member to reuse its memory.
  std::string key_;
};

} // namespace troupe::protocol
