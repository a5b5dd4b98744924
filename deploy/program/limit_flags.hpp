#pragma once

#include "actors/troupe/gateway.hpp"

#include <CLI/CLI.hpp>

namespace troupe::deploy {

/// What flags of times are parsed into, in seconds.
struct limit_flag_values {
  double session_timeout = 0;
  double abandoned_timeout = 0;
  double lease_time = 0;
  double request_timeout = 0;
  double stream_time = 0;
};

/// Adds the flags of what takes too long or is too much, which write to `options` and `typed` when they are parsed.
void add_limit_flags(CLI::App& app, gateway_options& options, limit_flag_values& typed);

/// Puts into the options what was parsed into `typed`.
void set_limits(gateway_options& options, const limit_flag_values& typed);

} // namespace troupe::deploy
