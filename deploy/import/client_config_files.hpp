#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::deploy {

/// Configuration file of an MCP client that may define servers.
struct client_config {
  std::string client;
  std::string path;
  /// True for a file of one project's folder; false for a file of the user.
  bool of_folder = false;

  friend bool operator==(const client_config&, const client_config&) = default;
};

/// Lists the files of clients on Linux and macOS: in the user's folders, and in a project's folder.
std::vector<client_config> client_config_files(const std::string& home, const std::string& settings,
                                               const std::string& folder);

/// Returns the client whose file has this path; empty when the path is of no known client.
std::optional<std::string> client_of(std::string_view path);

} // namespace troupe::deploy
