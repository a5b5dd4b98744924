#pragma once

#include "net/child/spawn.hpp"

#include <string>
#include <sys/types.h>
#include <vector>

namespace troupe::net {

/// What a child does between its beginning and its program, each of which may fail.
enum class child_step : int { descriptors, memory, files, processes, cpu, user, privileges, directory, program };

/// What a child tells its parent when it cannot become its program.
struct child_failure {
  int why = 0;
  child_step at = child_step::program;
};

/// Everything a child needs, made before there is a child: afterwards it may allocate nothing.
struct child_plan {
  std::string path = {};
  std::string directory = {};
  std::vector<char*> arguments = {};
  std::vector<char*> environment = {};
  child_resources limits = {};
  /// Soft limit of descriptors, up to the hard one; the parent's when zero.
  std::size_t descriptors = 0;
  bool no_new_privileges = true;
  /// Whether it takes the user and the groups.
  bool is_other_user = false;
  uid_t user = 0;
  gid_t group = 0;
  std::vector<gid_t> groups = {};
  int in = -1, out = -1, err = -1;
  /// Where a `child_failure` goes. Closed when the child has become its program.
  int failure = -1;
  pid_t parent = 0;
};

/// The life of a child up to its program, in a new process. That one may share its parent's memory, so this calls the
/// kernel and nothing else.
[[noreturn]] void become(const child_plan& what);

} // namespace troupe::net
