#include "deploy/config/config_programs.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <variant>

namespace troupe::deploy {

namespace {

/// Where a program is looked for when nobody says.
constexpr auto usual_path = "/usr/local/bin:/usr/bin:/bin";

bool is_program(const std::string& path) {
  struct stat what = {};
  return ::stat(path.c_str(), &what) == 0 && S_ISREG(what.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

std::string search_path(const command_server& server, const environment_lookup& environment) {
  const auto own = std::ranges::find(
      server.environment, "PATH", [](auto& one) -> auto& { return one.first; });
  return own != server.environment.end() ? own->second : environment("PATH").value_or(usual_path);
}

bool is_in(std::string_view path, const std::string& program) {
  for (std::size_t begin = 0; begin <= path.size();) {
    const auto end = std::min(path.find(':', begin), path.size());
    if (is_program(std::string(path.substr(begin, end - begin)) + '/' + program))
      return true;
    begin = end + 1;
  }
  return false;
}

/// Why the program cannot be started; nothing when it can. No value of the file is shown.
std::optional<std::string> why_not_found(const command_server& server, const environment_lookup& environment) {
  if (server.program.find('/') == std::string::npos) {
    if (is_in(search_path(server, environment), server.program))
      return std::nullopt;
    return server.program.find(' ') != std::string::npos
               ? "is not found in the directories of `PATH`: it has a blank, its arguments go into `args`"
               : "is not found in the directories of `PATH`: install it, or write the whole path";
  }
  if (is_program(server.program))
    return std::nullopt;
  std::error_code ignored;
  return std::filesystem::exists(server.program, ignored) ? "is no file that may be executed"
                                                          : "is a file that is not there";
}

} // namespace

void check_programs(const std::vector<server_entry>& servers, const environment_lookup& environment) {
  for (const auto& one : servers) {
    const auto* const server = std::get_if<command_server>(&one.options.source);
    const auto why = server && !server->program.empty() ? why_not_found(*server, environment) : std::nullopt;
    if (!why)
      continue;
    for (const auto& member : one.entry.members())
      if (member.name == "command")
        member.value.warn(*why);
  }
}

} // namespace troupe::deploy
