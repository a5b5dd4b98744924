#pragma once

#include "actors/runtime/share_of.hpp"
#include "actors/runtime/unit.hpp"
#include "protocol/metrics/metric.hpp"
#include "protocol/time.hpp"

#include <string>

namespace troupe::actors {

/// What a process of a server adds to the numbers of its unit, as long as it lives.
class process_metrics {
public:
  process_metrics(const unit& at, const std::string& server)
      : at_{at}, began_{at.now()}, durations_{at.metrics()
                                                  ? &at.metrics()->durations(metric::client_session, {server, "pipe"})
                                                  : nullptr},
        alive_{share_of(at, metric::server_processes, {server}, 1)} {
    at_.count(metric::server_starts, {server});
  }
  /// Records how long it was there.
  ~process_metrics() {
    if (durations_)
      durations_->record(at_.now() - began_);
  }
  process_metrics(const process_metrics&) = delete;
  process_metrics& operator=(const process_metrics&) = delete;

private:
  using metric = protocol::metric;

  const unit& at_;
  protocol::time_point began_;
  /// Null when nobody wants to know.
  protocol::duration_histogram* durations_;
  protocol::metric_share alive_;
};

} // namespace troupe::actors
