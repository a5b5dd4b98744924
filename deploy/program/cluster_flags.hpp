#pragma once

#include "actors/troupe/gateway.hpp"

#include <CLI/CLI.hpp>

#include <optional>
#include <set>
#include <string>

namespace troupe::deploy {

/// The flags of a cluster, some of which are typed in another shape than `cluster_options` holds them.
struct typed_cluster {
  cluster_options options;
  std::string listen;
  std::string key_file;
  double heartbeat = 0;
};

/// Adds the flags, which write to `typed` when they are parsed.
void add_cluster_flags(CLI::App& app, typed_cluster& typed);

/// The options when one of the flags was given. Refuses a key that cannot be read as the library does, by its
/// exception.
std::optional<cluster_options> options_of(typed_cluster typed, const std::set<std::string>& given);

/// Refuses options that cannot be used together, in the same way.
void check_together(const cluster_options& options);

} // namespace troupe::deploy
