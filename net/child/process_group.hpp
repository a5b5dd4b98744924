#pragma once

#include "net/owned_descriptor.hpp"

#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>

namespace troupe::net {

class io_thread;

/// A child and the process group that it leads, until it is reaped. Never blocks; callable from any thread, by one at a
/// time. Destroying it closes the descriptor and does nothing to the child.
///
/// While the leader is not reaped nobody else can have the number of its group. A host that ignores SIGCHLD, or waits
/// for all children, reaps behind our back: then the group is not signalled any more.
class process_group {
public:
  process_group(pid_t leader, int pidfd) : leader_{leader}, pidfd_{pidfd} {}

  pid_t leader() const { return leader_; }
  /// Readable when the leader has ended. Stays here.
  int pidfd() const { return pidfd_.get(); }
  void signal(int number) const;
  /// When the leader has ended: kills the rest of the group, reaps it and says how it ended. Nothing while it runs.
  std::optional<std::string> reap() const;

private:
  pid_t leader_;
  owned_descriptor pidfd_;
};

/// Reaps a child that cannot be killed for now, within a second of its end. Does not keep the thread: what lives longer
/// than that is left to who ends the process. Only on the io thread.
void reap_later(io_thread& thread, std::shared_ptr<const process_group> child);

} // namespace troupe::net
