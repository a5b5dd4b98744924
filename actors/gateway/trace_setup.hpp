#pragma once

#include "actors/messages.hpp"
#include "actors/runtime/io_unit.hpp"
#include "actors/troupe/gateway.hpp"

#include <vector>

namespace troupe::actors {

/// The tracing of a gateway: its units know how requests are traced, and an exporter takes their spans. Its end is told
/// to the exporter, which ends soon after that.
class gateway_traces {
public:
  /// The exporter lives on the first of the units. Traces nothing unless the options say so; before the units have
  /// actors.
  gateway_traces(const gateway_options& options, const std::vector<io_unit*>& units);
  ~gateway_traces();
  gateway_traces(const gateway_traces&) = delete;
  gateway_traces& operator=(const gateway_traces&) = delete;

private:
  /// Null when nothing is traced.
  span_exporter_actor exporter_;
};

} // namespace troupe::actors
