#include "protocol/trace/sampler.hpp"

#include <algorithm>

namespace troupe::protocol {

sampler::sampler(double share, bool follows)
    : bound_{static_cast<std::uint64_t>(std::clamp(share, 0.0, 1.0) * 0x1p63)}, follows_{follows} {}

} // namespace troupe::protocol
