#include "actors/gateway/admin_rules.hpp"

#include "protocol/options/admin_token.hpp"
#include "protocol/text/host_port.hpp"

namespace troupe::actors {

/// What a file says is found out where it is read.
std::optional<std::string> why_not_admin(const gateway_options& options) {
  if (!options.admin)
    return std::nullopt;
  const auto& admin = *options.admin;
  if (admin.host.empty())
    return "admin.host is empty";
  if (!admin.token.empty() && !admin.token_file.empty())
    return "admin.token and admin.token_file are two tokens: give one of them";
  if (auto why = admin.token.empty() ? std::string{} : protocol::fault_of_admin_token(admin.token); !why.empty())
    return "admin.token " + why;
  const auto has_token = !admin.token.empty() || !admin.token_file.empty();
  if (has_token || protocol::is_loopback(admin.host) || protocol::is_unix_socket(admin.host))
    return std::nullopt;
  return "operators are listened for at " + admin.host +
         ", beyond this machine, and would not be asked who they are: give admin.tokenFile (--admin-token-file)";
}

} // namespace troupe::actors
