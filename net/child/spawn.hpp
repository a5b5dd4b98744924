#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace troupe::net {

/// A user that a child may run as.
struct child_user {
  uid_t id = 0;
  gid_t group = 0;
  std::vector<gid_t> groups;
  std::string name;
  std::string home;
};

/// Looks a user up by name or by number, where the system keeps its users; blocks as long as that takes, which with a
/// file is no time. Nothing when there is none.
std::optional<child_user> find_user(const std::string& name_or_number);

/// What a child may use of the machine (`setrlimit`); zero: as much as its parent.
struct child_resources {
  /// Bytes of address space.
  std::uint64_t memory = 0;
  /// Open descriptors.
  std::uint64_t files = 0;
  /// Processes and threads of its user, wherever they run. Does not bind root.
  std::uint64_t processes = 0;
  /// Time on a processor, for each of its processes.
  std::chrono::seconds cpu = {};

  friend bool operator==(const child_resources&, const child_resources&) = default;
};

/// What to start: a program and what it is given. No shell is involved.
struct command {
  /// A path, or a name that is looked up in `PATH`.
  std::string program;
  std::vector<std::string> arguments;
  /// Added to the variables that a child inherits: `HOME LOGNAME PATH SHELL TERM USER`.
  std::vector<std::pair<std::string, std::string>> environment;
  /// Working directory; the parent's when empty.
  std::string directory;
  /// Name or number of the user that it runs as, with that one's groups, `HOME`, `USER` and `LOGNAME`; the parent's
  /// when empty. The parent has to be root to take and to stop another's.
  std::string user = {};
  child_resources limits = {};
  /// It never gets more rights than it has, as by set-user-ID programs (`PR_SET_NO_NEW_PRIVS`).
  bool no_new_privileges = true;
  /// Its soft limit of descriptors (RLIMIT_NOFILE), up to the hard one; the parent's when zero.
  std::size_t descriptors = 0;
  /// What errors call the program; itself when empty.
  std::string shown = {};
};

/// A child that runs. The descriptors belong to whoever holds this; they are non-blocking for nobody yet.
struct spawned {
  pid_t pid = -1;
  int pidfd = -1;
  int to_stdin = -1;
  int from_stdout = -1;
  int from_stderr = -1;
};

/// Why a program cannot be started; the text names what failed.
struct start_failure {
  std::string text;
  /// The gateway has no descriptors, memory or processes left: the program is not to blame, and a later try may
  /// succeed.
  bool is_shortage = false;

  friend bool operator==(const start_failure&, const start_failure&) = default;
};

/// Starts a program in a session and process group of its own, with descriptors 0, 1 and 2 and no others. The kernel
/// kills it when the calling thread ends, so only a thread that outlives its children may call this.
/// Nothing when it runs, and then `child` is set.
std::optional<start_failure> spawn(const command& what, spawned& child);

} // namespace troupe::net
