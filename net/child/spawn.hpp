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

/// User that a child may run as.
struct child_user {
  uid_t id = 0;
  gid_t group = 0;
  std::vector<gid_t> groups;
  std::string name;
  std::string home;
};

/// Looks a user up by name or by number in the system's user database. Blocks as long as that takes, which with a file
/// is no time. Returns nullopt when there is none.
std::optional<child_user> find_user(const std::string& name_or_number);

/// Limits on the resources of a child (`setrlimit`); zero: those of its parent.
struct child_resources {
  /// Bytes of address space.
  std::uint64_t memory = 0;
  /// Open descriptors.
  std::uint64_t files = 0;
  /// Processes and threads of the child's user, wherever they run. Does not bind root.
  std::uint64_t processes = 0;
  /// CPU time of each process of the child.
  std::chrono::seconds cpu = {};

  friend bool operator==(const child_resources&, const child_resources&) = default;
};

/// Program to start, its arguments and its environment. No shell is involved.
struct command {
  /// Path, or a name that is looked up in `PATH`.
  std::string program;
  std::vector<std::string> arguments;
  /// Added to the variables that a child inherits: `HOME LOGNAME PATH SHELL TERM USER`.
  std::vector<std::pair<std::string, std::string>> environment;
  /// Working directory; the parent's when empty.
  std::string directory;
  /// Name or number of the user to run as, with the groups, `HOME`, `USER` and `LOGNAME` of that user; the parent's
  /// when empty. The parent must be root to change the user, and to stop such a child.
  std::string user = {};
  child_resources limits = {};
  /// Whether the child can never gain rights, as by set-user-ID programs (`PR_SET_NO_NEW_PRIVS`).
  bool no_new_privileges = true;
  /// Soft limit of descriptors (RLIMIT_NOFILE), up to the hard one; the parent's when zero.
  std::size_t descriptors = 0;
  /// Name of the program in errors; `program` when empty.
  std::string shown = {};
};

/// Returns pointers to the texts and a null pointer behind them, as `exec` takes arguments and variables.
std::vector<char*> pointers_to(std::vector<std::string>& texts);

/// Child that runs. The descriptors belong to the holder; they are still blocking.
struct spawned {
  pid_t pid = -1;
  int pidfd = -1;
  int to_stdin = -1;
  int from_stdout = -1;
  int from_stderr = -1;
};

/// Reason that a program cannot be started; the text names the step that failed.
struct start_failure {
  std::string text;
  /// Whether the gateway has no descriptors, memory or processes left: the program is not to blame, and a later try may
  /// succeed.
  bool is_shortage = false;

  friend bool operator==(const start_failure&, const start_failure&) = default;
};

/// Checks whether the program and its working directory exist; returns why it could not start. Blocks for no longer
/// than a few system calls.
std::optional<start_failure> find_obstacle(const command& what);

/// Starts a program in a session and process group of its own, with descriptors 0, 1 and 2 and no others. The kernel
/// kills it when the calling thread ends, so only a thread that outlives its children may call this. Returns why it
/// failed; nullopt when the program runs, and then `child` is set.
std::optional<start_failure> spawn(const command& what, spawned& child);

} // namespace troupe::net
