#pragma once

#include "actors/runtime/share_of.hpp"
#include "actors/runtime/unit.hpp"
#include "protocol/metrics/metric_number.hpp"
#include "protocol/time.hpp"

#include <string>
#include <utility>

namespace troupe::actors {

/// What a process of a server adds to the numbers of its unit, as long as it lives.
class process_metrics {
public:
  process_metrics(const unit& at, std::string server)
      : at_{at}, server_{std::move(server)}, began_{at.now()}, alive_{share_of(at, metric::server_processes, {server_},
                                                                               1)} {
    at_.count(metric::server_starts, {server_});
  }
  /// Records how long it was there.
  ~process_metrics() {
    if (auto* in = at_.metrics())
      in->durations(metric::client_session, {server_, "pipe"}).record(at_.now() - began_);
  }
  process_metrics(const process_metrics&) = delete;
  process_metrics& operator=(const process_metrics&) = delete;

private:
  using metric = protocol::metric;

  const unit& at_;
  std::string server_;
  protocol::time_point began_;
  protocol::metric_share alive_;
};

} // namespace troupe::actors
