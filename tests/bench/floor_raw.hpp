#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace troupe::bench {

struct raw_options {
  double seconds = 1;
  /// Lines in flight at the same time.
  std::size_t depth = 1;
};

/// The throughput of a child's pipes alone, as one line of JSON. Throws when the command cannot be run.
std::string raw_figures(const std::vector<std::string>& command, const raw_options& options);

} // namespace troupe::bench
