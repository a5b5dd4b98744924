#include "actors/gateway/admin_rules.hpp"

#include "protocol/options/admin_token.hpp"
#include "protocol/text/host_port.hpp"

namespace troupe::actors {

namespace {

bool has_token(const admin_options& admin) { return !admin.token.empty() || !admin.token_file.empty(); }

std::optional<std::string> why_not_open(const admin_options& admin) {
  if (has_token(admin))
    return "admin.open (--admin-open) asks operators for no token, and one is given: leave one of them out";
  if (protocol::is_unix_socket(admin.host))
    return "admin.open (--admin-open) is not for a unix socket, where no token is asked for: leave it out";
  if (protocol::is_loopback(admin.host))
    return std::nullopt;
  return "admin.open (--admin-open) is for loopback addresses only, and operators are listened for at " + admin.host +
         ": give admin.tokenFile (--admin-token-file) instead";
}

} // namespace

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
  if (admin.open)
    return why_not_open(admin);
  if (has_token(admin) || protocol::is_loopback(admin.host) || protocol::is_unix_socket(admin.host))
    return std::nullopt;
  return "operators are listened for at " + admin.host +
         ", beyond this machine, and would not be asked who they are: give admin.tokenFile (--admin-token-file)";
}

} // namespace troupe::actors
