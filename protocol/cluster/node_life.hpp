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

} // namespace troupe::protocol
