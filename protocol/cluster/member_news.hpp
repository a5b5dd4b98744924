#pragma once

#include "protocol/time.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace troupe::protocol {

/// Decides when a node sends which addresses of members to its members. A node that joins receives all addresses. The
/// others receive only its address, unless another member has announced it: then all know it. From time to time the
/// next member in turn receives all addresses again, in case one was lost, or forgotten in a partition.
///
/// For a change of one node, each node sends one short message to each other. With all addresses in each message, a
/// cluster of N nodes would send about N^4 addresses while it starts. Facts in, decisions out.
class member_news {
public:
  /// Shortest time between two announcements: nodes that join together are announced together.
  static constexpr std::chrono::milliseconds pause{250};
  /// Time between two messages with all addresses. Shorter than the time after which an address is forgotten.
  static constexpr std::chrono::seconds reminder{10};

  // -- facts
  /// A node at that address has joined that no other member has announced.
  void joined(const std::string& address) { waiting_.push_back(address); }
  /// The first member has joined.
  void begin(time_point now) { remind_at_ = now + reminder; }
  /// No member is left.
  void end();

  // -- decisions
  /// Addresses to announce now to the members that were there before; empty if none are due.
  std::vector<std::string> due(time_point now);
  /// True if the next member is to receive all addresses now.
  bool reminds(time_point now);
  /// Time when one of these has a result.
  time_point deadline() const;

private:
  std::vector<std::string> waiting_;
  time_point announced_ = time_point::min();
  time_point remind_at_ = time_point::max();
};

} // namespace troupe::protocol
