#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace troupe::deploy {

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
