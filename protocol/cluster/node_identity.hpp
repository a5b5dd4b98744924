#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

namespace troupe::protocol {

/// Identity of one run of one node. A restarted node has another identity, and none of the sessions of the earlier run.
struct node_life {
  /// Digest of the node's name.
  std::uint64_t node = 0;
  /// Greater for each later run.
  std::uint64_t incarnation = 0;

  friend bool operator==(const node_life&, const node_life&) = default;
  friend bool operator<(const node_life& a, const node_life& b) {
    return std::tie(a.node, a.incarnation) < std::tie(b.node, b.incarnation);
  }
};

/// 32 lower-case hexadecimal digits: the node, then the incarnation.
std::string life_text(node_life life);
std::optional<node_life> read_life(std::string_view text);

/// Identity of a node in the handshake. Its form is the same in all versions.
struct node_card {
  /// Versions of the messages between nodes that the node claims to speak: `versions_text`, or any other text.
  std::string version;
  node_life life;
  std::string name;

  friend bool operator==(const node_card&, const node_card&) = default;
};

std::string card_text(const node_card& card);
std::optional<node_card> read_card(std::string_view text);

} // namespace troupe::protocol
