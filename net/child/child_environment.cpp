#include "net/child/child_environment.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace troupe::net {

namespace {

constexpr std::array<const char*, 6> inherited{"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"};

/// What a child inherits under that name.
const char* value_of(std::string_view name, const child_user* user) {
  if (user && name == "HOME")
    return user->home.c_str();
  if (user && (name == "LOGNAME" || name == "USER"))
    return user->name.c_str();
  return std::getenv(name.data());
}

std::string search_path(const command& what) {
  for (auto& [name, value] : what.environment)
    if (name == "PATH")
      return value;
  auto path = std::getenv("PATH");
  return path ? path : "/usr/local/bin:/usr/bin:/bin";
}

bool is_program(const std::string& path) {
  struct stat what;
  return ::stat(path.c_str(), &what) == 0 && S_ISREG(what.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

} // namespace

std::vector<std::string> environment_of(const command& what, const child_user* user) {
  std::vector<std::string> result;
  auto given = [&](std::string_view name) {
    return std::any_of(what.environment.begin(), what.environment.end(),
                       [&](auto& variable) { return variable.first == name; });
  };
  for (auto name : inherited) {
    auto value = value_of(name, user);
    // A value that begins like this is a shell function that was exported.
    if (value && !std::string_view{value}.starts_with("()") && !given(name))
      result.push_back(std::string{name} + "=" + value);
  }
  for (auto& [name, value] : what.environment)
    result.push_back(name + "=" + value);
  return result;
}

std::string locate(const command& what) {
  if (what.program.empty() || what.program.find('/') != what.program.npos)
    return what.program;
  auto path = search_path(what);
  for (std::size_t begin = 0; begin <= path.size();) {
    auto end = std::min(path.find(':', begin), path.size());
    auto candidate = path.substr(begin, end - begin) + "/" + what.program;
    if (is_program(candidate))
      return candidate;
    begin = end + 1;
  }
  return {};
}

} // namespace troupe::net
