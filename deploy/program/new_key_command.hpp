#pragma once

#include "protocol/time.hpp"

#include <optional>
#include <string>
#include <vector>

namespace troupe::deploy {

/// `troupe key new NAME`
struct new_key_command {
  std::string name;
  std::vector<std::string> scopes;
  std::optional<protocol::calendar_time> expires;
};

} // namespace troupe::deploy
