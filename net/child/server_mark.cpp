#include "net/child/server_mark.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string>
#include <string_view>
#include <sys/resource.h>

namespace troupe::net {

namespace {

constexpr std::string_view line_of_locks = "Max file locks";

/// The hard limit is the second value: `Max file locks            unlimited            812                  locks`.
std::optional<std::uint64_t> hard_limit_in(std::string_view line) {
  const auto blanks = " \t";
  line.remove_prefix(line_of_locks.size());
  line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
  line.remove_prefix(std::min(line.find_first_of(blanks), line.size()));
  line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
  if (line.starts_with("unlimited"))
    return RLIM_INFINITY;
  std::uint64_t result = 0;
  return std::from_chars(line.data(), line.data() + line.size(), result).ec == std::errc{} ? std::optional{result}
                                                                                           : std::nullopt;
}

} // namespace

/// Lowers the limit. If a sandbox forbids this, only the parents of a process identify it.
void take_server_mark() {
  rlimit now{};
  if (::getrlimit(RLIMIT_LOCKS, &now) != 0 || now.rlim_max == 0)
    return;
  --now.rlim_max;
  now.rlim_cur = std::min(now.rlim_cur, now.rlim_max);
  ::setrlimit(RLIMIT_LOCKS, &now);
}

std::uint64_t lock_limit() {
  rlimit now{};
  return ::getrlimit(RLIMIT_LOCKS, &now) == 0 ? now.rlim_max : RLIM_INFINITY;
}

std::optional<std::uint64_t> lock_limit_of(pid_t process) {
  std::ifstream file{"/proc/" + std::to_string(process) + "/limits"};
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(line_of_locks))
      return hard_limit_in(line);
  return std::nullopt;
}

} // namespace troupe::net
