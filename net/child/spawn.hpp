#pragma once

#include <cstddef>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace troupe::net {

/// What to start: a program and what it is given. No shell is involved.
struct command {
  /// A path, or a name that is looked up in `PATH`.
  std::string program;
  std::vector<std::string> arguments;
  /// Added to the variables that a child inherits: `HOME LOGNAME PATH SHELL TERM USER`.
  std::vector<std::pair<std::string, std::string>> environment;
  /// Working directory; the parent's when empty.
  std::string directory;
  /// Its soft limit of descriptors (RLIMIT_NOFILE), up to the hard one; the parent's when zero.
  std::size_t descriptors = 0;
};

/// A child that runs. The descriptors belong to whoever holds this; they are non-blocking for nobody yet.
struct spawned {
  pid_t pid = -1;
  int pidfd = -1;
  int to_stdin = -1;
  int from_stdout = -1;
  int from_stderr = -1;
};

/// Starts a program in a session and process group of its own, with descriptors 0, 1 and 2 and no others. The kernel
/// kills it when the calling thread ends, so only a thread that outlives its children may call this.
/// Returns 0, or the `errno` that says why it cannot start.
int spawn(const command& what, spawned& child);

} // namespace troupe::net
