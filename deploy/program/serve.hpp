#pragma once

#include "actors/troupe/gateway.hpp"
#include "deploy/log/access_log.hpp"
#include "deploy/log/log.hpp"
#include "deploy/program/signal_sender.hpp"

#include <set>
#include <string>

namespace troupe::deploy {

/// `troupe serve …`
struct serve_command {
  gateway_options gateway;
  log_level level = log_level::info;
  log_format format = log_format::text;
  access_log_options access_log;
  /// The configuration file; empty when the command line names the servers.
  std::string config;
  /// Read the file again whenever it changes.
  bool watch = false;
  /// The process can be dumped and debugged, and its secrets be read by what runs as the same user.
  bool core_dumps = false;
  process_origin origin;
  /// The flags that were given, such as `--port`: they override the file.
  std::set<std::string> given;
};

/// Runs a gateway until SIGTERM or SIGINT and drains it. Returns the program's exit status: 0, or 1 when the gateway
/// could not start. To be called before the program has started any thread.
int serve(serve_command command);

} // namespace troupe::deploy
