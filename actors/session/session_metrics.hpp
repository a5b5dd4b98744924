#pragma once

#include "actors/runtime/unit.hpp"
#include "protocol/delivery/delivery.hpp"
#include "protocol/metrics/metric.hpp"
#include "protocol/modern_client/caller_lease.hpp"
#include "protocol/session/session.hpp"
#include "protocol/time.hpp"

namespace troupe::actors {

/// Name of a transport, for metrics and operators.
inline const char* name_of(protocol::transport via) {
  switch (via) {
  case protocol::transport::http_sse:
    return "http_sse";
  case protocol::transport::stateless:
    return "stateless";
  default:
    return "streamable_http";
  }
}

/// Share of a session in the metrics of its unit, for its lifetime.
class session_metrics {
public:
  session_metrics(const unit& at, protocol::transport via);
  /// Records the duration of the session.
  ~session_metrics();
  session_metrics(const session_metrics&) = delete;
  session_metrics& operator=(const session_metrics&) = delete;

  void tell(const protocol::session& of);

private:
  const unit& at_;
  protocol::time_point began_;
  /// Null when metrics are disabled.
  protocol::duration_histogram* durations_;
  protocol::metric_share session_, primary_, shadows_, of_calls_, calls_;
};

/// Share of a lease in the metrics of its unit.
class lease_metrics {
public:
  explicit lease_metrics(const unit& at);

  void tell(const protocol::caller_lease& of);

private:
  protocol::metric_share lease_, calls_, parked_, listens_;
};

} // namespace troupe::actors
