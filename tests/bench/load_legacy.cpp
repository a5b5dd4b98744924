#include "tests/bench/load_modes.hpp"
#include "tests/bench/load_sse.hpp"

namespace troupe::bench {

figures load_legacy(const load_options& options) {
  return closed_loop(options,
                     [](auto& all, auto& with, auto& seen) { return std::make_unique<sse_session>(all, with, seen); });
}

} // namespace troupe::bench
