#include "actors/session/session_metrics.hpp"

namespace troupe::actors {

using protocol::metric;

session_metrics::session_metrics(const unit& at, protocol::transport via)
    : at_{at}, began_{at.now()}, durations_{at.metrics()
                                                ? &at.metrics()->durations(metric::server_session, {name_of(via)})
                                                : nullptr},
      session_{share_of(at, metric::sessions, {name_of(via)}, 1)}, primary_{share_of(at, metric::streams, {"primary"})},
      shadows_{share_of(at, metric::streams, {"shadow"})}, of_calls_{share_of(at, metric::streams, {"call"})},
      calls_{share_of(at, metric::calls)} {}

session_metrics::~session_metrics() {
  if (durations_)
    durations_->record(at_.now() - began_);
}

void session_metrics::tell(const protocol::session& of) {
  const auto streams = of.counts();
  primary_.set(static_cast<std::int64_t>(streams.primary));
  shadows_.set(static_cast<std::int64_t>(streams.shadow));
  of_calls_.set(static_cast<std::int64_t>(streams.call));
  calls_.set(static_cast<std::int64_t>(of.calls_in_flight()));
}

lease_metrics::lease_metrics(const unit& at)
    : lease_{share_of(at, metric::leases, {}, 1)}, calls_{share_of(at, metric::calls)},
      parked_{share_of(at, metric::parked_calls)}, listens_{share_of(at, metric::streams, {"listen"})} {}

void lease_metrics::tell(const protocol::caller_lease& of) {
  const auto& adapter = of.adapter();
  calls_.set(static_cast<std::int64_t>(adapter.calls_in_flight()));
  parked_.set(static_cast<std::int64_t>(adapter.parked_calls()));
  listens_.set(static_cast<std::int64_t>(adapter.listens()));
}

} // namespace troupe::actors
