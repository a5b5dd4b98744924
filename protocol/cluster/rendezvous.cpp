#include "protocol/cluster/rendezvous.hpp"

#include "protocol/text/fnv1a.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace troupe::protocol {

namespace {

/// The last step of MurmurHash3 (64 bits): each bit of the number changes half of the bits of the result.
std::uint64_t mixed(std::uint64_t number) {
  number = (number ^ (number >> 33U)) * 0xff51afd7ed558ccdU;
  number = (number ^ (number >> 33U)) * 0xc4ceb9fe1a85ec53U;
  return number ^ (number >> 33U);
}

} // namespace

std::optional<node_life> node_of_key(std::string_view key, const std::vector<node_life>& nodes) {
  auto hash = fnv1a_64(key);
  // Mixed before, too: the hashes of keys that are alike differ in few bits.
  auto weight = [hash](const node_life& one) { return std::pair{mixed(mixed(hash) ^ one.node), one}; };
  auto best = std::ranges::max_element(nodes, {}, weight);
  return best == nodes.end() ? std::nullopt : std::optional{*best};
}

} // namespace troupe::protocol
