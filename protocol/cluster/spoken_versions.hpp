#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// Which versions of the messages between nodes a program speaks: these two and all between. Two nodes are in one
/// cluster when there is a version that both speak; to each other they speak the newest of those.
///
/// So that a cluster is updated node by node, a release speaks all that the release before spoke last:
/// - A message between nodes, once released, is never changed: CAF writes its fields one after the other, and no names.
///   Nor are the interfaces `gate_actor`, which nodes compare, and `remote_router_actor`.
///   `tests/actors/node_messages_suite.cpp` has the bytes of each.
/// - A new version adds a message of its own, in an interface of its own, and sends the old one to nodes that know no
///   other: they cannot read a message whose name they do not know.
/// - A version is given up by a release later than the one that brought its successor.
///
/// The first release, 0.1, compares the text of versions: it is in one cluster with whoever says exactly `8`, and
/// refuses a range. So it links with releases that speak 8 alone, and with none that speaks more.
struct spoken_versions {
  std::uint32_t oldest = 1;
  std::uint32_t newest = 1;

  friend bool operator==(const spoken_versions&, const spoken_versions&) = default;
};

/// What this program speaks. Defined in a file of its own, so that a program of tests may speak others.
spoken_versions versions_spoken_here();

/// As a node's card has them: `8`, or `8-9`.
std::string versions_text(const spoken_versions& which);
/// Nothing when the text is no version and no range of them.
std::optional<spoken_versions> read_versions(std::string_view text);
/// What two nodes speak to each other; nothing when they have no version in common.
std::optional<std::uint32_t> common_version(const spoken_versions& one, const spoken_versions& other);
/// Why nodes that say this of the versions that they speak are not in one cluster; empty when they are.
std::string why_strange(const std::string& theirs, const std::string& ours);

} // namespace troupe::protocol
