#include "protocol/options/descriptor_shares.hpp"

#include <algorithm>
#include <limits>

namespace troupe::protocol {

namespace {

/// Descriptors for threads, listening sockets, other nodes, the store and the log, and for starts in progress.
constexpr std::size_t own_descriptors = 64;

} // namespace

descriptor_shares share_descriptors(std::size_t limit, std::size_t connections, std::size_t each) {
  const auto own = std::min(own_descriptors, limit / 4);
  const auto others = limit - own;
  descriptor_shares result;
  result.connections =
      std::clamp<std::size_t>(connections == 0 ? limit / 2 : connections, 1, std::max<std::size_t>(others, 1));
  result.sessions =
      each == 0 ? std::numeric_limits<std::size_t>::max() : (others - std::min(result.connections, others)) / each;
  return result;
}

} // namespace troupe::protocol
