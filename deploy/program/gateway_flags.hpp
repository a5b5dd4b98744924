#pragma once

#include "actors/troupe/gateway.hpp"

#include <CLI/CLI.hpp>

#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace troupe::deploy {

/// Values of access flags that need conversion before they become options: addresses, and sections that a gateway may
/// lack.
struct access_flag_values {
  tls_options tls;
  std::string listen;
  std::string admin_listen;
  admin_options admin;
};

/// Adds the flags. Parsing writes to `options` and `typed`.
void add_access_flags(CLI::App& app, gateway_options& options, access_flag_values& typed);

/// Converts the parsed values and writes them to `options`.
void set_access(gateway_options& options, const access_flag_values& typed);

/// Throws CLI11's `ValidationError` when options contradict each other.
void check_together(const tls_options& options);

/// Values of the flags of a cluster, as parsed; some types differ from those in `cluster_options`.
struct cluster_flag_values {
  cluster_options options;
  std::string listen;
};

/// Adds the flags. Parsing writes to `typed`.
void add_cluster_flags(CLI::App& app, cluster_flag_values& typed);

/// Converts the values; empty without such flags. Throws CLI11's `ValidationError` when the key cannot be read.
std::optional<cluster_options> options_of(cluster_flag_values typed, const std::set<std::string>& given);

/// Throws `ValidationError` when options contradict each other.
void check_together(const cluster_options& options);

} // namespace troupe::deploy
