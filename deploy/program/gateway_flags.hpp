#pragma once

#include "actors/troupe/gateway.hpp"

#include <CLI/CLI.hpp>

#include <optional>
#include <set>
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

/// What the flags of a cluster are parsed into; some of them have another type than in `cluster_options`.
struct cluster_flag_values {
  cluster_options options;
  std::string listen;
  std::string heartbeat;
};

/// Adds the flags, which write to `typed` when they are parsed.
void add_cluster_flags(CLI::App& app, cluster_flag_values& typed);

/// The options; nothing when none of the flags was given. Throws CLI11's `ValidationError` when the key cannot be read.
std::optional<cluster_options> options_of(cluster_flag_values typed, const std::set<std::string>& given);

/// Throws `ValidationError` when options cannot be used together.
void check_together(const cluster_options& options);

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
