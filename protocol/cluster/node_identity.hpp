#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

namespace troupe::protocol {

/// Identifies one run of one node: a node that was restarted is another one, and does not have the sessions of the run
/// before.
struct node_life {
  /// Derived from the node's name.
  std::uint64_t node = 0;
  /// Grows from each life to the next.
  std::uint64_t incarnation = 0;

  friend bool operator==(const node_life&, const node_life&) = default;
  friend bool operator<(const node_life& a, const node_life& b) {
    return std::tie(a.node, a.incarnation) < std::tie(b.node, b.incarnation);
  }
};

/// 32 lower-case hexadecimal digits.
std::string life_text(node_life life);
std::optional<node_life> read_life(std::string_view text);

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
