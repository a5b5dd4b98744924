#pragma once

#include "actors/troupe/gateway.hpp"

#include <CLI/CLI.hpp>

#include <string>

namespace troupe::deploy {

/// What flags of times are parsed into.
struct limit_flag_values {
  std::string session_timeout;
  std::string abandoned_timeout;
  std::string lease_time;
  std::string request_timeout;
  std::string stream_time;
};

/// Adds the flags of what takes too long or is too much, which write to `options` and `typed` when they are parsed.
void add_limit_flags(CLI::App& app, gateway_options& options, limit_flag_values& typed);

/// Puts into the options what was parsed into `typed`.
void set_limits(gateway_options& options, const limit_flag_values& typed);

} // namespace troupe::deploy
