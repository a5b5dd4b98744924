#pragma once

#include <cstdlib>
#include <string_view>

namespace troupe::tests {

/// How many seeds a random walk takes: all of them with TROUPE_LONG=1, as in `deploy/test --all`, else a quarter, as
/// each takes ten times as long under the sanitizers.
inline unsigned walk_seeds(unsigned all) {
  const auto* given = std::getenv("TROUPE_LONG");
  return given && std::string_view{given} == "1" ? all : all / 4;
}

} // namespace troupe::tests
