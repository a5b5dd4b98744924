#include "deploy/operator/token_folders.hpp"

#include "deploy/config/user_folders.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <unistd.h>

namespace troupe::deploy {

namespace {

/// The first of those that systemd has made for the unit (systemd.exec(5), RUNTIME_DIRECTORY).
std::string unit_folder() {
  const auto* const all = std::getenv("RUNTIME_DIRECTORY");
  const std::string folders = all ? all : "";
  return folders.substr(0, folders.find(':'));
}

void add_new(std::string folder, std::vector<std::string>& to) {
  if (!folder.empty() && std::ranges::find(to, folder) == to.end())
    to.push_back(std::move(folder));
}

} // namespace

std::vector<std::string> token_folders() {
  std::vector<std::string> result;
  for (auto& one : {runtime_folder().string(), unit_folder(), state_folder().string()})
    add_new(one, result);
  return result;
}

std::vector<std::string> searched_folders() {
  auto result = token_folders();
  add_new("/run/user/" + std::to_string(::geteuid()) + "/troupe", result);
  add_new(service_folder, result);
  return result;
}

} // namespace troupe::deploy
