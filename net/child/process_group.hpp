#pragma once

#include "net/owned_descriptor.hpp"

#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>

namespace troupe::net {

class io_thread;

/// Child and the process group that it leads, until it is reaped. Never blocks; callable from any thread, by one at a
/// time. Destroying it closes the descriptor and does nothing to the child.
///
/// Until the leader is reaped, the number of its group cannot be reused. A host program that ignores SIGCHLD, or waits
/// for all children, reaps the leader itself: then the group is not signalled any more.
class process_group {
public:
  process_group(pid_t leader, int pidfd) : leader_{leader}, pidfd_{pidfd} {}

  pid_t leader() const { return leader_; }
  /// Descriptor, still owned here, that is readable when the leader has exited.
  int pidfd() const { return pidfd_.get(); }
  void signal(int number) const;
  /// Once the leader has exited: kills the rest of the group, reaps it and returns how it ended. Otherwise nullopt.
  std::optional<std::string> reap() const;

private:
  pid_t leader_;
  owned_descriptor pidfd_;
};

/// Reaps a child that cannot be killed for now, within a second of its exit. Does not keep the thread running: a child
/// that outlives the thread is left to the process's own end. Only on the io thread.
void reap_later(io_thread& thread, std::shared_ptr<const process_group> child);

} // namespace troupe::net
