#include "deploy/operator/admin_endpoint.hpp"

#include "deploy/config/user_folders.hpp"
#include "protocol/text/host_port.hpp"
#include "protocol/text/url.hpp"

#include <algorithm>
#include <cstdlib>
#include <unistd.h>

namespace troupe::deploy {

namespace {

/// Returns the first runtime directory that systemd made for the unit (systemd.exec(5), RUNTIME_DIRECTORY).
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

std::optional<admin_endpoint> read_admin_endpoint(std::string_view text) {
  if (protocol::is_unix_socket(text))
    return admin_endpoint{std::string{text}, "http://localhost",
                          std::string{text.substr(protocol::unix_prefix.size())}};
  std::string why_not;
  const auto url = protocol::parse_http_url(text, why_not);
  if (!url || url->is_secure || url->target.find('?') != url->target.npos)
    return std::nullopt;
  const auto end = text.find_last_not_of('/') + 1;
  const std::string base{text.substr(0, end)};
  return admin_endpoint{base, base, {}};
}

} // namespace troupe::deploy
