#pragma once

#include "actors/runtime/unit.hpp"
#include "protocol/metrics/metric.hpp"

#include <cstdint>

namespace troupe::actors {

/// A share of a number of the unit, which is `now` until it is told otherwise; of none when nobody wants to know.
inline protocol::metric_share share_of(const unit& at, protocol::metric which,
                                       protocol::thread_metrics::label_values labels = {}, std::int64_t now = 0) {
  return at.metrics() ? protocol::metric_share{at.metrics()->number(which, labels), now} : protocol::metric_share{};
}

} // namespace troupe::actors
