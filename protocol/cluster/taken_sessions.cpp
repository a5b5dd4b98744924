#include "protocol/cluster/taken_sessions.hpp"

namespace troupe::protocol {

void taken_sessions::add(node_life owner, const std::string& session) {
  by_owner_[owner].push_back(session);
  order_.push_back(owner);
  if (order_.size() <= most)
    return;
  auto oldest = by_owner_.find(order_.front());
  order_.pop_front();
  oldest->second.erase(oldest->second.begin());
  if (oldest->second.empty())
    by_owner_.erase(oldest);
}

std::vector<std::string> taken_sessions::extract(node_life owner) {
  auto result = by_owner_.extract(owner);
  if (result.empty())
    return {};
  std::erase(order_, owner);
  return std::move(result.mapped());
}

} // namespace troupe::protocol
