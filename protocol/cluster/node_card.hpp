#pragma once

#include "protocol/cluster/node_life.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// What a node tells of itself in the handshake. The form is the same in all versions.
struct node_card {
  /// Which versions of the messages between nodes it says to speak: `versions_text`, or anything else.
  std::string version;
  node_life life;
  std::string name;

  friend bool operator==(const node_card&, const node_card&) = default;
};

std::string card_text(const node_card& card);
std::optional<node_card> read_card(std::string_view text);

} // namespace troupe::protocol
