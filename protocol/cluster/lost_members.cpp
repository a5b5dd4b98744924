#include "protocol/cluster/lost_members.hpp"

namespace troupe::protocol {

void lost_members::lost(node_life which, const std::string& address) {
  joined(which);
  if (lost_.size() >= most)
    lost_.erase(lost_.begin());
  lost_.push_back({which, address});
}

void lost_members::joined(node_life which) {
  std::erase_if(lost_, [&](auto& one) { return one.life == which; });
}

template <class Test>
std::vector<node_life> lost_members::take(Test has_ended) {
  std::vector<node_life> result;
  for (auto& one : lost_)
    if (has_ended(one))
      result.push_back(one.life);
  std::erase_if(lost_, has_ended);
  return result;
}

std::vector<node_life> lost_members::refused_at(const std::string& address) {
  return take([&](const entry& one) { return one.address == address; });
}

std::vector<node_life> lost_members::met(const std::string& address, node_life which) {
  return take([&](const entry& one) {
    auto is_later = one.life.node == which.node && one.life.incarnation < which.incarnation;
    return is_later || (one.address == address && one.life != which);
  });
}

} // namespace troupe::protocol
