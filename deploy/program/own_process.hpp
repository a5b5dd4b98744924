#pragma once

#include <cstddef>

namespace troupe::deploy {

/// Raises the soft limit of descriptors (RLIMIT_NOFILE) to the hard limit. Returns the former limit, which servers'
/// processes get; zero when it is unknown.
std::size_t raise_descriptor_limit();

// Orphans: processes whose parent, a server or its child, has exited.

/// Makes orphans children of this process instead of init's, so that their origin is known.
void adopt_orphans();

/// Suspends the adoption while this object lives: a process started as an orphan becomes a child of this process's
/// supervisor.
class no_adoption {
public:
  no_adoption();
  ~no_adoption();
  no_adoption(const no_adoption&) = delete;
  no_adoption& operator=(const no_adoption&) = delete;

private:
  int before_ = 0;
};

/// Reaps exited orphans. Runs on the first thread, whose children they are; children of other threads are not touched.
void reap_orphans();

/// Installs handlers if this is pid 1 of a container, which no unhandled signal ends. They cover the signals by which
/// users and container runtimes end a process.
void end_by_signals_if_first();

} // namespace troupe::deploy
