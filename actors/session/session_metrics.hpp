#pragma once

#include "actors/runtime/unit.hpp"
#include "protocol/delivery/delivery.hpp"
#include "protocol/metrics/metric.hpp"
#include "protocol/modern_client/server_as_modern.hpp"
#include "protocol/time.hpp"

#include <cstddef>

namespace troupe::actors {

/// As metrics and operators know it.
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

/// What a session adds to the numbers of its unit, as long as it lives.
class session_metrics {
public:
  session_metrics(const unit& at, protocol::transport via);
  /// Records how long it was there.
  ~session_metrics();
  session_metrics(const session_metrics&) = delete;
  session_metrics& operator=(const session_metrics&) = delete;

  void tell(const protocol::delivery_counts& streams, std::size_t calls);

private:
  const unit& at_;
  protocol::time_point began_;
  /// Null when nobody wants to know.
  protocol::duration_histogram* durations_;
  protocol::metric_share session_, primary_, shadows_, of_calls_, calls_;
};

/// The same for a lease.
class lease_metrics {
public:
  explicit lease_metrics(const unit& at);

  void tell(const protocol::server_as_modern& face);

private:
  protocol::metric_share lease_, calls_, parked_, listens_;
};

} // namespace troupe::actors
