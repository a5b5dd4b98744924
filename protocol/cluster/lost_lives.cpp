#include "protocol/cluster/lost_lives.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

void lost_lives::members(const std::set<node_life>& alive, bool settled, time_point now) {
  for (auto one : std::exchange(alive_, alive))
    if (!alive.contains(one))
      miss(one, now);
  for (auto one : alive) {
    joined(one);
    missed_.erase(one);
  }
  if (!settled)
    for (auto& [life, one] : missed_)
      one = {now};
}

/// All lives of the node with smaller incarnations have ended. Corrects a wrong `ended`: this life has returned.
void lost_lives::joined(node_life which) {
  auto& newest = newest_ended(which.node);
  if (newest > which.incarnation)
    outlive({which.node, newest});
  newest = which.incarnation == 0 ? 0 : which.incarnation - 1;
  newest_[which.node] = which.incarnation;
  outlived_.erase(which);
}

/// An incarnation is the time of the start by the clock of the node. If that went back, a later life has a smaller one
/// than a life that has ended, and may live.
void lost_lives::ended(node_life which) {
  missed_.erase(which);
  auto& newest = newest_ended(which.node);
  auto last = newest_.find(which.node);
  auto may_live = last != newest_.end() && newest < last->second && last->second < which.incarnation;
  if (may_live)
    outlive(which);
  else
    newest = std::max(newest, which.incarnation);
}

/// Forgets any other life if there are too many: it ends later, by the patience.
void lost_lives::outlive(node_life which) {
  if (outlived_.size() >= most)
    outlived_.erase(outlived_.begin());
  outlived_.insert(which);
}

/// Forgets any other node if there are too many: its lives end later, by the patience.
std::uint64_t& lost_lives::newest_ended(std::uint64_t node) {
  if (ended_.size() >= most && !ended_.contains(node)) {
    newest_.erase(ended_.begin()->first);
    ended_.erase(ended_.begin());
  }
  return ended_[node];
}

/// Forgets the life that has been missing for the longest time if there are too many.
lost_lives::absence& lost_lives::miss(node_life which, time_point now) {
  if (missed_.size() >= most && !missed_.contains(which))
    missed_.erase(std::ranges::min_element(missed_, {}, [](auto& one) { return one.second.since; }));
  return missed_.try_emplace(which, absence{now}).first->second;
}

lost_lives::state lost_lives::of(node_life which, time_point now) {
  if (auto known = ended_.find(which.node); known != ended_.end() && which.incarnation <= known->second)
    return state::ended;
  if (outlived_.contains(which))
    return state::ended;
  auto& one = miss(which, now);
  if (!one.asked && now >= one.since + limits_.patience)
    one.asked = now;
  if (now < one.wait_from() + limits_.wait)
    return state::awaited;
  return one.asked ? state::ended : state::unreachable;
}

} // namespace troupe::protocol
