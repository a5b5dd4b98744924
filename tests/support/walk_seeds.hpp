#pragma once

#include <cstdlib>
#include <string_view>

namespace troupe::tests {

/// The number of seeds of a random walk: all of them with TROUPE_LONG=1, as in `deploy/test --all`, otherwise a
/// quarter, because sanitizers slow each walk down tenfold.
inline unsigned walk_seeds(unsigned all) {
  const auto* given = std::getenv("TROUPE_LONG");
  return given && std::string_view{given} == "1" ? all : all / 4;
}

} // namespace troupe::tests
