#pragma once

#include "net/owned_descriptor.hpp"

#include <chrono>
#include <sys/types.h>

namespace troupe::net {

/// Opens a process by its number (pidfd_open(2)): the descriptor is readable when the process has ended. Returns no
/// descriptor, and sets `errno`, on failure.
owned_descriptor open_process(pid_t number);

/// Sends a signal to an open process; 0 only checks that it exists. False if that is impossible.
bool signal_process(const owned_descriptor& process, int signal);

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
  /// Sends a signal to the process. False if that is impossible.
  bool signal(int number) const { return signal_process(process_, number); }

private:
  owned_descriptor process_;
  bool was_gone_ = false;
};

/// Returns the number of the process that made a socket pair; 0 if that is not known.
pid_t maker_of(int socket);

} // namespace troupe::net
