#pragma once

#include "actors/troupe/gateway.hpp"
#include "deploy/log/access_log.hpp"
#include "deploy/log/log.hpp"
#include "deploy/program/signal_sender.hpp"

#include <set>
#include <string>

namespace troupe::deploy {

/// Options of `troupe serve …`.
struct serve_command {
  gateway_options gateway;
  log_level level = log_level::info;
  log_format format = log_format::text;
  access_log_options access_log;
  /// Configuration file; empty when the command line names the servers.
  std::string config;
  /// Whether to reload the file whenever it changes.
  bool watch = false;
  /// Whether the process may be dumped and debugged; then processes of the same user can read its secrets.
  bool core_dumps = false;
  process_origin origin;
  /// Flags that were given, such as `--port`: they override the file.
  std::set<std::string> given;
};

/// Runs a gateway until SIGTERM or SIGINT and drains it. Returns the exit status: 0, or 1 when the gateway could not
/// start. Must be called before the program starts any thread.
int serve(serve_command command);

} // namespace troupe::deploy
