#pragma once

#include "actors/troupe/gateway.hpp"

#include <CLI/CLI.hpp>

#include <string>

namespace troupe::deploy {

/// What flags about where a gateway listens, and for whom, are parsed into when that is no member of the options.
struct access_flag_values {
  tls_options tls;
  std::string listen;
  std::string admin_listen;
  std::string admin_token_file;
  bool admin_open = false;
};

/// Adds the flags, which write to `options` and `typed` when they are parsed.
void add_access_flags(CLI::App& app, gateway_options& options, access_flag_values& typed);

/// Puts into the options what was parsed into `typed`.
void set_access(gateway_options& options, const access_flag_values& typed);

/// Throws CLI11's `ValidationError` when options cannot be used together.
void check_together(const tls_options& options);

} // namespace troupe::deploy
