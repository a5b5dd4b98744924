#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::deploy {

/// The folder of the service's unit for systemd.
inline constexpr auto service_folder = "/run/troupe";

/// The folders in which a gateway of this user keeps the token that it makes for operators, the best first:
/// `$XDG_RUNTIME_DIR/troupe`, that of a unit for systemd (`RuntimeDirectory=`), and `~/.local/state/troupe`.
std::vector<std::string> token_folders();

/// Where operators' commands look for the token: the same, and the folders of a gateway that has been started with
/// other variables: from a login of this user, or as a service.
std::vector<std::string> searched_folders();

/// Where a gateway listens for operators.
struct admin_place {
  /// As it was written, for people.
  std::string name;
  /// What paths are appended to; for a unix socket, a URL of this machine.
  std::string url;
  /// Empty unless it is a unix socket.
  std::string socket_path;
};

/// Parses `http://HOST:PORT` or `unix:PATH`; nothing when the text is neither.
std::optional<admin_place> read_admin_place(std::string_view text);

} // namespace troupe::deploy
