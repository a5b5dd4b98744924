#pragma once

#include "protocol/cluster/node_life.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// The node among those given that a key belongs to: the one with the highest weight for it, which is a hash of the key
/// and of the node's name (rendezvous hashing). Every node that knows the same nodes finds the same one, in whatever
/// order it knows them. Each node has about as many keys as any other; when one goes, only its keys move, and it has
/// them again when it is back. Nothing when there are no nodes.
std::optional<node_life> node_of_key(std::string_view key, const std::vector<node_life>& nodes);

} // namespace troupe::protocol
