#include "deploy/config/user_folders.hpp"

#include <cstdlib>
#include <sys/stat.h>
#include <unistd.h>

namespace troupe::deploy {

namespace {

/// Checks the owner: `su` and `sudo -E` keep the variable of another user.
bool is_own_alone(const std::filesystem::path& folder) {
  struct stat found {};
  return ::stat(folder.c_str(), &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == ::geteuid() &&
         (found.st_mode & (S_IRWXG | S_IRWXO)) == 0;
}

} // namespace

std::filesystem::path folder_in(const char* variable) {
  const auto* const value = std::getenv(variable);
  std::filesystem::path result = value ? value : "";
  return result.is_absolute() ? result : std::filesystem::path{};
}

std::filesystem::path state_folder() {
  auto state = folder_in("XDG_STATE_HOME");
  if (state.empty())
    state = folder_in("HOME") / ".local" / "state";
  return state / "troupe";
}

std::filesystem::path runtime_folder() {
  const auto folder = folder_in("XDG_RUNTIME_DIR");
  return !folder.empty() && is_own_alone(folder) ? folder / "troupe" : std::filesystem::path{};
}

} // namespace troupe::deploy
