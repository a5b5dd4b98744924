#pragma once

#include "protocol/backoff.hpp"
#include "protocol/log.hpp"
#include "protocol/time.hpp"
#include "protocol/trace/span.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::protocol {

/// Limits for batches of spans (OpenTelemetry, "Batching processor"). All are above zero, `batch` not above `queue`.
struct batch_limits {
  /// Maximum number of waiting spans; further ones are dropped.
  std::size_t queue = 2048;
  /// Maximum number of spans in a request. A request is sent when so many wait, or after `delay`.
  std::size_t batch = 512;
  std::chrono::milliseconds delay = std::chrono::seconds{5};
  /// Time for which the sending of a batch is retried.
  std::chrono::milliseconds patience = std::chrono::seconds{30};
};

/// Answer of the collector.
struct collector_answer {
  /// HTTP status; 0 if the collector was not reached.
  int status = 0;
  /// Number of spans that the collector has rejected.
  std::uint64_t rejected = 0;
  /// Delay before a retry, as demanded by the collector.
  std::optional<std::chrono::seconds> retry_after = {};
  /// Reason why there was no answer.
  std::string why = {};
};

/// Result of a batch; empty if the batch will be sent again.
struct batch_end {
  std::size_t exported = 0;
  std::size_t dropped = 0;
  std::optional<log_note> note = {};
};

/// Spans on their way to a collector: a bounded queue, and one batch that is being sent, until the collector has it or
/// it is given up (OpenTelemetry Protocol, "OTLP/HTTP Response").
class span_batch {
public:
  /// `seed`: for the jitter between attempts.
  span_batch(const batch_limits& limits, std::uint64_t seed) : limits_{limits}, dice_{seed} {}

  /// Queues a span; false if there is no room and the span is dropped.
  bool add(std::string span, time_point now);
  /// Returns the batch to send now, or null if none is due; its answer is awaited then.
  const std::vector<std::string>* due(time_point now);
  batch_end answered(const collector_answer& how, time_point now);
  /// Ends the input: the remaining spans are sent at once, and only once.
  void finish(time_point now);

  /// Time at which `due` may have a batch.
  time_point deadline() const;
  bool is_empty() const { return queue_.empty() && sending_.empty(); }
  std::size_t waiting() const { return queue_.size(); }
  /// Spans that are being sent.
  const std::vector<std::string>& sending() const { return sending_; }

private:
  std::optional<std::chrono::milliseconds> pause_before_next(const collector_answer& how, time_point now);
  batch_end give_up(const collector_answer& how);
  batch_end end_with(batch_end how);

  batch_limits limits_;
  std::mt19937_64 dice_;
  std::deque<std::string> queue_;
  /// Time at which the first waiting span has waited long enough.
  time_point due_ = time_point::max();
  std::vector<std::string> sending_;
  time_point give_up_at_ = {};
  /// Time at which the batch is sent again; max() while its answer is awaited.
  time_point again_at_ = time_point::max();
  backoff pause_{std::chrono::seconds{1}, std::chrono::seconds{5}};
  bool is_finished_ = false;
  bool has_failed_ = false;
};

// Spans in OTLP's JSON encoding (OpenTelemetry Protocol, "JSON Protobuf Encoding"): ids in hexadecimal digits, numbers
// of 64 bits as strings, enumerations as numbers.

/// Encodes one span.
std::string otlp_text(const span& one);

/// Encodes the beginning of every request to a collector: the resource that the spans belong to.
std::string otlp_head(const std::vector<std::pair<std::string, std::string>>& resource, std::string_view version);

/// Builds a whole request from encoded spans.
std::string otlp_request(std::string_view head, const std::vector<std::string>& spans);

/// Returns the number of rejected spans from the collector's answer to a successful request.
std::uint64_t otlp_rejected(std::string_view answer);

} // namespace troupe::protocol
