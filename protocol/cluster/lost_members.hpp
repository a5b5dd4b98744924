#pragma once

#include "protocol/cluster/node_identity.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace troupe::protocol {

/// Lost members with their addresses, where they may still run. A life has ended if no process listens at its address
/// any more, if another life answers there, or if a later life of its node answers anywhere.
class lost_members {
public:
  /// Limit of lost members.
  static constexpr std::size_t most = 1000;

  void lost(node_life which, const std::string& address);
  void joined(node_life which);
  /// No process listens at the address. Returns the lives that have ended.
  std::vector<node_life> refused_at(const std::string& address);
  /// A node has identified itself: at the `address` that was dialled, or as a caller if that is empty. Returns the
  /// lives that have ended.
  std::vector<node_life> met(const std::string& address, node_life which);

private:
  struct entry {
    node_life life;
    std::string address;
  };
  template <class Test>
  std::vector<node_life> take(Test has_ended);

  std::vector<entry> lost_;
};

} // namespace troupe::protocol
