#pragma once

#include "net/child/spawn.hpp"

#include <string>
#include <sys/types.h>
#include <vector>

namespace troupe::net {

/// Steps of a child between its start and its program, each of which may fail.
enum class child_step : int { descriptors, memory, files, processes, cpu, user, privileges, directory, program };

/// Report of a child to its parent that it cannot become its program.
struct child_failure {
  int why = 0;
  child_step at = child_step::program;
};

/// Data that a child needs, prepared before it exists: a child may allocate nothing.
struct child_plan {
  std::string path = {};
  std::string directory = {};
  std::vector<char*> arguments = {};
  std::vector<char*> environment = {};
  child_resources limits = {};
  /// Soft limit of descriptors, up to the hard one; the parent's when zero.
  std::size_t descriptors = 0;
  bool no_new_privileges = true;
  /// Whether the child changes to the user and the groups.
  bool is_other_user = false;
  uid_t user = 0;
  gid_t group = 0;
  std::vector<gid_t> groups = {};
  int in = -1, out = -1, err = -1;
  /// Descriptor to which a `child_failure` is written. Closed when the child has become its program.
  int failure = -1;
  pid_t parent = 0;
};

/// Runs a new process up to the start of its program. The process may share its parent's memory (vfork), so this makes
/// system calls and nothing else.
[[noreturn]] void become(const child_plan& what);

} // namespace troupe::net
