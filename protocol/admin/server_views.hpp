#pragma once

#include "protocol/server_diagnostics.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// Process that runs, or connection to a remote server.
struct live_process {
  /// Resources of the process and its descendants.
  struct usage {
    std::uint64_t resident_bytes = 0;
    std::chrono::milliseconds cpu = {};
    std::size_t processes = 0;
  };

  /// Process id; 0 for a connection.
  int pid = 0;
  std::chrono::milliseconds age = {};
  /// Session that is its only user, as logs show it; otherwise empty.
  std::string session;
  /// Sessions that use it.
  std::size_t users = 0;
  /// Empty for a connection, and where it was not measured.
  std::optional<usage> uses = {};
};

/// Configured server, as operators see it.
struct live_server {
  std::string name;
  /// `stdio`, `remote`, or `hosted` in the host's own program.
  std::string_view kind;
  /// False when an operator has disabled the server.
  bool enabled = true;
  /// Reason why the server is essential and not ready; otherwise empty.
  std::string not_ready = {};
  /// Number of its processes or connections in each state, see `server_report`.
  std::map<std::string, std::size_t> states = {};
  std::uint64_t restarts = 0;
  /// Sessions that use its processes or connections.
  std::size_t users = 0;
  /// Reason of the last failure; empty when there was none.
  std::string why = {};
  std::vector<live_process> processes = {};
  /// Number of its failures.
  std::uint64_t failures = 0;
  /// Only where they are shown.
  server_diagnostics diagnostics = {};
};

/// Formats a server as a JSON object: its failures with what it last wrote to stderr, and each process with its
/// resources.
std::string live_server_text(const live_server& one);
/// Formats servers as a JSON object, in their order, each with the number of its failures only.
std::string live_servers_text(const std::vector<live_server>& all);
/// Formats servers as a JSON array, each with its failures, but without its processes.
std::string failing_servers_text(const std::vector<live_server>& all);

} // namespace troupe::protocol
