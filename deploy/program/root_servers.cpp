#include "deploy/program/root_servers.hpp"

#include <unistd.h>
#include <variant>

namespace troupe::deploy {

namespace {

bool is_root(const server_options& server) {
  const auto* const program = std::get_if<command_server>(&server.source);
  return program && (program->user.empty() || program->user == "root" || program->user == "0");
}

} // namespace

root_servers servers_as_root(const std::vector<server_options>& servers) {
  root_servers result;
  if (::geteuid() != 0)
    return result;
  for (const auto& one : servers)
    if (is_root(one))
      result.names += (result.names.empty() ? "" : ", ") + one.name;
  if (!result.names.empty())
    result.text = "servers run as root and can read all secrets of the gateway: set \"user\" for each";
  return result;
}

} // namespace troupe::deploy
