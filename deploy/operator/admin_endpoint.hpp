#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::deploy {

/// Runtime folder of the systemd unit.
inline constexpr auto service_folder = "/run/troupe";

/// Returns the folders in which a gateway of this user may store its generated admin token, in order of preference:
/// `$XDG_RUNTIME_DIR/troupe`, the systemd unit's (`RuntimeDirectory=`), and `~/.local/state/troupe`.
std::vector<std::string> token_folders();

/// Returns the folders in which operators' commands look for the token: `token_folders()`, and those of gateways
/// started with other variables, from a login of this user or as a service.
std::vector<std::string> searched_folders();

/// Address of a gateway's listener for operators.
struct admin_endpoint {
  /// Address as it was written, for people.
  std::string name;
  /// Base URL of requests; for a unix socket, `http://localhost`.
  std::string url;
  /// Path of the unix socket; empty for an address.
  std::string socket_path;
};

/// Parses `http://HOST:PORT` or `unix:PATH`; empty when the text is neither.
std::optional<admin_endpoint> read_admin_endpoint(std::string_view text);

} // namespace troupe::deploy
