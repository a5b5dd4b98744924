#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// A process that runs, or a connection to a remote server.
struct live_process {
  /// 0 for a connection.
  int pid = 0;
  std::chrono::milliseconds age = {};
  /// Of the session that has it alone, as logs show it; otherwise empty.
  std::string session;
};

/// A configured server, as operators see it.
struct live_server {
  std::string name;
  /// `stdio`, `remote`, or `hosted` in the host's own program.
  std::string_view kind;
  /// An operator may have disabled it.
  bool enabled = true;
  /// Why it is essential and not ready; otherwise empty.
  std::string not_ready = {};
  /// How many of what is kept running of it are in which state, see `server_report`.
  std::map<std::string, std::size_t> states = {};
  std::uint64_t restarts = 0;
  /// Sessions that use what is kept running.
  std::size_t users = 0;
  /// Of the last loss; empty when there was none.
  std::string why = {};
  std::vector<live_process> processes = {};
};

/// One as a JSON object.
std::string live_server_text(const live_server& one);
/// All of them, in their order.
std::string live_servers_text(const std::vector<live_server>& all);

} // namespace troupe::protocol
