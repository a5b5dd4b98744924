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

/// How spans are gathered (OpenTelemetry, "Batching processor"). All are above zero, and `batch` is at most `queue`.
struct batch_limits {
  /// Spans that wait; further ones are dropped.
  std::size_t queue = 2048;
  /// Most spans of a request. They are sent when there are as many, or after `delay`.
  std::size_t batch = 512;
  std::chrono::milliseconds delay = std::chrono::seconds{5};
  /// How long it is tried again to send a batch.
  std::chrono::milliseconds patience = std::chrono::seconds{30};
};

/// What the collector has answered.
struct collector_answer {
  /// 0 when it was not reached.
  int status = 0;
  /// What it says that it has not taken of them.
  std::uint64_t rejected = 0;
  /// When it wants to be asked again.
  std::optional<std::chrono::seconds> retry_after = {};
  /// Why there was no answer.
  std::string why = {};
};

/// What has become of a batch; of one that will be sent again, nothing.
struct batch_end {
  std::size_t exported = 0;
  std::size_t dropped = 0;
  std::optional<log_note> note = {};
};

/// The spans on their way to a collector: as many as may wait, and one batch that is being sent, until the collector
/// has it or it is given up (OpenTelemetry Protocol, "OTLP/HTTP Response").
class span_batch {
public:
  /// `seed` is that of the jitter between attempts.
  span_batch(const batch_limits& limits, std::uint64_t seed) : limits_{limits}, dice_{seed} {}

  /// False when there is no room for the span, which is dropped.
  bool add(std::string span, time_point now);
  /// The batch to send now, if it is time to; its answer is awaited then.
  const std::vector<std::string>* due(time_point now);
  batch_end answered(const collector_answer& how, time_point now);
  /// Nothing comes any more: what is left is sent at once, and once.
  void finish(time_point now);

  /// When `due` may have something.
  time_point deadline() const;
  bool is_empty() const { return queue_.empty() && sending_.empty(); }
  std::size_t waiting() const { return queue_.size(); }
  /// Those that are being sent.
  const std::vector<std::string>& sending() const { return sending_; }

private:
  std::optional<std::chrono::milliseconds> pause_before_next(const collector_answer& how, time_point now);
  batch_end give_up(const collector_answer& how);
  batch_end end_with(batch_end how);

  batch_limits limits_;
  std::mt19937_64 dice_;
  std::deque<std::string> queue_;
  /// When the first of those that wait has waited long enough.
  time_point due_ = time_point::max();
  std::vector<std::string> sending_;
  time_point give_up_at_ = {};
  /// When the batch is sent again; never while its answer is awaited.
  time_point again_at_ = time_point::max();
  backoff pause_{std::chrono::seconds{1}, std::chrono::seconds{5}};
  bool is_finished_ = false;
  bool has_failed_ = false;
};

// Spans in OTLP's JSON encoding (OpenTelemetry Protocol, "JSON Protobuf Encoding"): ids in hexadecimal digits, numbers
// of 64 bits as strings, enumerations as numbers.

/// One span.
std::string otlp_text(const span& one);

/// What every request to a collector begins with: whose spans they are.
std::string otlp_head(const std::vector<std::pair<std::string, std::string>>& resource, std::string_view version);

/// A whole request, of spans that are written already.
std::string otlp_request(std::string_view head, const std::vector<std::string>& spans);

/// How many of its spans the collector has not taken, as its answer to a request that succeeded says.
std::uint64_t otlp_rejected(std::string_view answer);

} // namespace troupe::protocol
