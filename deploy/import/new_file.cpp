#include "deploy/import/new_file.hpp"

#include "deploy/config/config_file.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <unistd.h>

namespace troupe::deploy {

namespace {

constexpr auto usual_schema = "/usr/share/troupe/config.schema.json";
constexpr auto own_name = "troupe";

std::filesystem::path own_path() {
  std::error_code none;
  return std::filesystem::read_symlink("/proc/self/exe", none);
}

} // namespace

std::string write_new_file(const std::string& path, std::string_view text) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file < 0)
    return errno == EEXIST ? "is there already, it is left as it is" : std::strerror(errno);
  std::string why_not;
  while (!text.empty() && why_not.empty()) {
    const auto written = ::write(file, text.data(), text.size());
    if (written > 0)
      text.remove_prefix(static_cast<std::size_t>(written));
    else if (errno != EINTR)
      why_not = std::strerror(errno);
  }
  if (::close(file) != 0 && why_not.empty())
    why_not = std::strerror(errno);
  if (!why_not.empty())
    ::unlink(path.c_str());
  return why_not;
}

std::string schema_place() {
  const auto beside = own_path().parent_path().parent_path() / "share/troupe/config.schema.json";
  std::error_code none;
  return std::filesystem::exists(beside, none) ? beside.string() : usual_schema;
}

std::string own_program() {
  const auto own = own_path();
  const auto path = process_variable("PATH").value_or("");
  for (std::size_t begin = 0; begin <= path.size();) {
    const auto end = std::min(path.find(':', begin), path.size());
    std::error_code none;
    if (std::filesystem::equivalent(path.substr(begin, end - begin) + '/' + own_name, own, none))
      return own_name;
    begin = end + 1;
  }
  return own.empty() ? own_name : own.string();
}

} // namespace troupe::deploy
