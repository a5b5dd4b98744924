#include "net/child/family_usage.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace troupe::net {

namespace {

std::string folder_of(pid_t process) { return "/proc/" + std::to_string(process); }

std::string read_file(const std::string& path) {
  std::ifstream file{path};
  return {std::istreambuf_iterator<char>{file}, {}};
}

std::vector<std::string_view> fields_of(std::string_view text) {
  std::vector<std::string_view> result;
  while (!text.empty()) {
    auto field = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(field.size() + 1, text.size()));
    result.push_back(field);
  }
  return result;
}

std::uint64_t parsed(std::string_view text) {
  std::uint64_t result = 0;
  std::from_chars(text.data(), text.data() + text.size(), result);
  return result;
}

/// Adds a process to the sums; false if it cannot be read. The fields of `stat` follow the program's name in
/// parentheses, which may contain any character (proc_pid_stat(5)).
bool add(family_usage& to, pid_t process) {
  // Indices of the fields behind the name.
  constexpr std::size_t user_time = 11, last_time = 14, resident_pages = 21;
  const auto stat = read_file(folder_of(process) + "/stat");
  const auto name_end = stat.rfind(") ");
  if (name_end == stat.npos)
    return false;
  const auto fields = fields_of(std::string_view{stat}.substr(name_end + 2));
  if (fields.size() <= resident_pages)
    return false;
  std::uint64_t ticks = 0;
  for (auto at = user_time; at <= last_time; ++at)
    ticks += parsed(fields[at]);
  static const auto per_second = static_cast<std::uint64_t>(sysconf(_SC_CLK_TCK));
  static const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  to.cpu += std::chrono::milliseconds{ticks * 1000 / per_second};
  to.resident_bytes += parsed(fields[resident_pages]) * page;
  ++to.processes;
  return true;
}

/// Each thread of a process has children of its own (proc_tid_children(5)).
void add_children(std::vector<pid_t>& to, pid_t of) {
  std::error_code error;
  for (std::filesystem::directory_iterator thread{folder_of(of) + "/task", error}, end; !error && thread != end;
       thread.increment(error)) {
    std::istringstream children{read_file(thread->path().string() + "/children")};
    for (pid_t child = 0; children >> child;)
      to.push_back(child);
  }
}

} // namespace

std::optional<family_usage> usage_of_family(pid_t root) {
  family_usage result;
  std::vector<pid_t> family{root};
  for (std::size_t at = 0; at < family.size() && at < largest_family; ++at)
    if (add(result, family[at]))
      add_children(family, family[at]);
  return result.processes == 0 ? std::nullopt : std::optional{result};
}

} // namespace troupe::net
