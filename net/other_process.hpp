#pragma once

#include "net/owned_descriptor.hpp"

#include <chrono>
#include <sys/types.h>

namespace troupe::net {

/// Process other than this one, not necessarily a child, held by a descriptor (pidfd_open(2)): a later process with the
/// same number is not mistaken for it. Without support by the kernel nothing is known of the process.
class other_process {
public:
  other_process() = default;
  /// The process must have that number now, or have ended before.
  explicit other_process(pid_t number);

  /// Descriptor that is readable when the process has ended; -1 if that is not known.
  int descriptor() const { return process_.get(); }
  /// Whether the process has ended, or ends within the limit. Blocks the caller. False if that is not known.
  bool has_ended(std::chrono::milliseconds limit = {}) const;
  /// Kills the process. False if that is impossible.
  bool kill() const;

private:
  owned_descriptor process_;
  bool was_gone_ = false;
};

/// Returns the number of the process that made a socket pair; 0 if that is not known.
pid_t maker_of(int socket);

} // namespace troupe::net
