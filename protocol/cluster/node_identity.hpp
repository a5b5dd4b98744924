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

/// Range of versions of the messages between nodes that a program speaks. Two nodes form a cluster if they have a
/// version in common; they use the newest of those.
///
/// To update a cluster node by node, each release speaks all versions that the previous release spoke last:
/// - A released message between nodes never changes: CAF writes its fields in order, without names. Nor do the
///   interfaces `gate_actor`, which nodes compare, and `remote_router_actor`. `tests/actors/node_messages_suite.cpp`
///   has the bytes of each.
/// - A new version adds a message in an interface of its own, and sends the old one to nodes that know only that: a
///   node cannot read a message with an unknown name.
/// - A version is given up by a release later than the one that introduced its successor.
///
/// The first release, 0.1, compares version texts: it joins nodes that say exactly `8`, and refuses a range. So it
/// links only with releases that speak nothing but 8.
struct spoken_versions {
  std::uint32_t oldest = 1;
  std::uint32_t newest = 1;

  friend bool operator==(const spoken_versions&, const spoken_versions&) = default;
};

/// Versions that this program speaks. Defined in a source of its own, so that test programs can speak others.
spoken_versions versions_spoken_here();

/// Text for a node's card: `8`, or `8-9`.
std::string versions_text(const spoken_versions& which);
/// Reads `versions_text`; empty if the text is neither a version nor a range.
std::optional<spoken_versions> read_versions(std::string_view text);
/// Version that two nodes use with each other; empty if they have none in common.
std::optional<std::uint32_t> common_version(const spoken_versions& one, const spoken_versions& other);
/// Reason why nodes with these versions cannot form a cluster; empty if they can.
std::string why_strange(const std::string& theirs, const std::string& ours);

} // namespace troupe::protocol
