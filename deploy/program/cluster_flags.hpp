#pragma once

#include "actors/troupe/gateway.hpp"

#include <CLI/CLI.hpp>

#include <optional>
#include <set>
#include <string>

namespace troupe::deploy {

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

} // namespace troupe::deploy
