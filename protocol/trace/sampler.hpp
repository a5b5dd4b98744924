#pragma once

#include "protocol/trace/trace_position.hpp"

#include <cstdint>

namespace troupe::protocol {

/// Decides of which requests there are spans (OpenTelemetry, "Sampling"). All who decide by the same share of the same
/// traces decide alike.
class sampler {
public:
  /// Of traces that begin here that share is taken: none when it is 0, all when it is 1. What others have begun is
  /// taken as they say when `follows` is set, and otherwise by the share, too.
  explicit sampler(double share = 1, bool follows = true);

  bool takes_new(std::uint64_t low) const { return (low >> 1) < bound_; }
  bool takes(const trace_position& parent) const { return follows_ ? parent.is_sampled : takes_new(parent.low); }

private:
  /// By the lower half of the trace's id, without its last bit.
  std::uint64_t bound_;
  bool follows_;
};

} // namespace troupe::protocol
