#include "protocol/cluster/session_routes.hpp"

#include <utility>

namespace troupe::protocol {

void session_routes::members(const std::vector<known_node>& nodes, bool settled) {
  settled_ = settled;
  alive_.clear();
  open_.clear();
  for (auto& one : nodes) {
    alive_.insert(one.life);
    if (!one.draining)
      open_.push_back(one.life);
  }
  std::erase_if(moved_, [&](auto& one) { return !is_alive(one.second); });
  std::erase_if(moved_order_, [&](auto& session) { return !moved_.contains(session); });
}

/// The store knows better than the id: what its first owner lost, another may have.
session_route session_routes::find(const std::string& session, node_life self) const {
  using kind = session_route::kind;
  auto named = ids_.owner(session);
  if (!named)
    return {kind::nowhere};
  auto moved = moved_.find(session);
  auto owner = moved != moved_.end() ? moved->second : *named;
  if (is_alive(owner))
    return {kind::elsewhere, owner};
  if (!settled_ && owner != self)
    return {kind::not_yet};
  return {has_store_ ? kind::ask_store : kind::nowhere};
}

std::optional<node_life> session_routes::for_new() {
  if (open_.empty())
    return std::nullopt;
  return open_[next_open_++ % open_.size()];
}

void session_routes::moved(const std::string& session, node_life to) {
  if (!moved_.insert_or_assign(session, to).second)
    return;
  moved_order_.push_back(session);
  if (moved_order_.size() <= most_moved)
    return;
  moved_.erase(moved_order_.front());
  moved_order_.pop_front();
}

/// What is left in the order would take the session's next place for its own.
void session_routes::lost(const std::string& session) {
  if (moved_.erase(session) != 0)
    std::erase(moved_order_, session);
}

} // namespace troupe::protocol
