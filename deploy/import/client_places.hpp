#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::deploy {

/// A file that a client may keep its servers in.
struct client_place {
  std::string client;
  std::string path;
  /// Whether it is of one folder, and not of its user wherever he is.
  bool of_folder = false;

  friend bool operator==(const client_place&, const client_place&) = default;
};

/// Where clients look on Linux and macOS: in the folder of the user and in that of a project.
std::vector<client_place> client_places(const std::string& home, const std::string& settings,
                                        const std::string& folder);

/// The client whose file has this path; nothing when no client has such a one.
std::optional<std::string> client_of(std::string_view path);

} // namespace troupe::deploy
