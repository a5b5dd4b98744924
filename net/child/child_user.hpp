#pragma once

#include <optional>
#include <string>
#include <sys/types.h>
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

} // namespace troupe::net
