#pragma once

#include "actors/troupe/access_check.hpp"
#include "deploy/config/config_file.hpp"

#include <optional>
#include <string>
#include <vector>

namespace troupe::deploy {

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

} // namespace troupe::deploy
