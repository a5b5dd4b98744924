#include "protocol/cluster/session_routes.hpp"

#include "protocol/text/fnv1a.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace troupe::protocol {

namespace {

/// The last step of MurmurHash3 (64 bits): each bit of the number changes half of the bits of the result.
std::uint64_t mixed(std::uint64_t number) {
  number = (number ^ (number >> 33U)) * 0xff51afd7ed558ccdU;
  number = (number ^ (number >> 33U)) * 0xc4ceb9fe1a85ec53U;
  return number ^ (number >> 33U);
}

} // namespace

std::optional<node_life> node_of_key(std::string_view key, const std::vector<node_life>& nodes) {
  auto hash = fnv1a_64(key);
  // Mixed first, too: the hashes of similar keys differ in few bits.
  auto weight = [hash](const node_life& one) { return std::pair{mixed(mixed(hash) ^ one.node), one}; };
  auto best = std::ranges::max_element(nodes, {}, weight);
  return best == nodes.end() ? std::nullopt : std::optional{*best};
}

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

/// A move known from the store overrides the id: another node may have taken the session from its first owner.
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
    return {kind::not_yet, owner};
  if (has_store_)
    return {kind::ask_store, owner};
  return owner == self ? session_route{kind::nowhere} : session_route{kind::lost, owner};
}

std::optional<node_life> session_routes::for_new(std::optional<node_life> not_at) {
  for (std::size_t i = 0; i < open_.size(); ++i)
    if (auto one = open_[next_open_++ % open_.size()]; one != not_at)
      return one;
  return std::nullopt;
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

/// Removes the session from the order, too: a stale entry would later erase a newer move of the session.
void session_routes::lost(const std::string& session) {
  if (moved_.erase(session) != 0)
    std::erase(moved_order_, session);
}

} // namespace troupe::protocol
