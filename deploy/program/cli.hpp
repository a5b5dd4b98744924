#pragma once

#include "actors/troupe/access_check.hpp"
#include "actors/troupe/gateway.hpp"
#include "deploy/config/config_file.hpp"
#include "deploy/log/access_log.hpp"
#include "deploy/log/log.hpp"
#include "deploy/operator/operator_command.hpp"
#include "protocol/access/principal.hpp"

#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

namespace troupe::deploy {

/// `troupe serve …`
struct serve_command {
  gateway_options gateway;
  log_level level = log_level::info;
  log_format format = log_format::text;
  access_log_options access_log;
  /// The configuration file; empty when the command line names the server.
  std::string config;
  /// Read the file again whenever it changes.
  bool watch = false;
  /// The process can be dumped and debugged, and its secrets be read by what runs as the same user.
  bool core_dumps = false;
  /// The flags that were given, such as `--port`: they override the file.
  std::set<std::string> given;
};

/// `troupe check …`
struct check_command {
  std::string config;
  /// Those of `serve` that say who may come in.
  flagged_options flags;
  /// A name, or a key or token; `-` when it stands on stdin.
  std::string as;
  /// Without that, whom a token may name, and what it is to have. Nobody is asked about when this is empty, too.
  std::string subject;
  std::vector<std::string> scopes;
  std::vector<std::string> groups;
  std::optional<asked_thing> thing;
};

/// `troupe key new NAME`
struct new_key_command {
  std::string name;
  std::vector<std::string> scopes;
  std::optional<protocol::calendar_time> expires;
};

/// `troupe example-server`
struct example_server_command {};

/// The program ends at once: help was shown, or the command line was refused.
struct finished {
  int status = 0;
};

using command =
    std::variant<serve_command, check_command, new_key_command, example_server_command, operator_command, finished>;

/// Parses the command line. Prints help and version to stdout. An error is one line on stderr that names the flag, and
/// status 2.
command parse(int argc, const char* const* argv);

} // namespace troupe::deploy
