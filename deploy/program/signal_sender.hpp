#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <sys/types.h>

namespace troupe::deploy {

/// Sender of a signal, as the kernel reports it.
struct signal_sender {
  /// Origin of the signal, `si_code`.
  int code = 0;
  /// Process id; 0 for a process outside of our container.
  pid_t process = 0;
  uid_t user = 0;
};

/// Facts about this process and others, by which a sender is judged.
struct process_facts {
  pid_t self = 0;
  /// Supervisor of this process.
  pid_t parent = 0;
  uid_t user = 0;
  /// Returns the parent of a process; empty when the process has exited, 0 when it is another user's and hidden.
  std::function<std::optional<pid_t>(pid_t process)> parent_of;
  /// True if a server of this process or of one before it has started the process, whatever its parent is now.
  std::function<bool(pid_t process)> is_marked;
  /// Process that handed over to this one, whose servers may still run; 0 is none.
  pid_t before = 0;
};

/// Facts that a process determines before it starts servers, and passes on in a handover.
struct process_origin {
  /// Process that handed over, see `process_facts`.
  pid_t before = 0;
  /// File lock limit that servers stay below, see `net/child/server_mark.hpp`.
  std::uint64_t lock_limit = 0;
};

/// Returns why the sender may not order a handover; empty when it may. Allowed are root, the supervisor, and processes
/// of our user except those of servers, which have the same user.
std::string why_may_not_order(const signal_sender& sender, const process_facts& facts);

/// Collects the facts of this process from `/proc`.
process_facts own_facts(const process_origin& origin);

} // namespace troupe::deploy
