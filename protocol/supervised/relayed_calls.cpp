#include "protocol/supervised/relayed_calls.hpp"

#include <algorithm>
#include <iterator>

namespace troupe::protocol {

std::uint64_t relayed_calls::add(relayed_call one) {
  first_.add(one.deadline);
  auto& added = by_own_id_.emplace_hint(by_own_id_.end(), ++last_, std::move(one))->second;
  if (added.has_user())
    by_user_.insert({added.user, added.id, last_});
  return last_;
}

const relayed_call* relayed_calls::find(std::uint64_t own) const {
  auto found = by_own_id_.find(own);
  return found == by_own_id_.end() ? nullptr : &found->second;
}

/// Of several with one id it is the latest.
std::optional<std::uint64_t> relayed_calls::own_id_of(user_id user, std::string_view id) const {
  auto after = by_user_.upper_bound({user, id, last_});
  if (after == by_user_.begin())
    return std::nullopt;
  auto found = std::prev(after);
  return found->user == user && found->id == id ? std::optional{found->own} : std::nullopt;
}

std::optional<std::uint64_t> relayed_calls::own_id_of(std::string_view id) const {
  auto found = std::find_if(by_own_id_.rbegin(), by_own_id_.rend(), [&](auto& one) { return one.second.id == id; });
  if (found == by_own_id_.rend())
    return std::nullopt;
  return found->first;
}

std::set<std::uint64_t> relayed_calls::of(user_id user) const {
  std::set<std::uint64_t> result;
  for (auto at = by_user_.lower_bound({user, {}, 0}); at != by_user_.end() && at->user == user; ++at)
    result.insert(at->own);
  return result;
}

void relayed_calls::postpone(std::uint64_t own, time_point deadline) {
  auto found = by_own_id_.find(own);
  if (found == by_own_id_.end())
    return;
  found->second.deadline = std::min(deadline, found->second.cap);
  first_.add(found->second.deadline);
  first_.changed();
}

void relayed_calls::disown(std::uint64_t own) {
  auto found = by_own_id_.find(own);
  if (found == by_own_id_.end())
    return;
  by_user_.erase({found->second.user, found->second.id, own});
  found->second.is = relayed_call::purpose::ours;
  found->second.token.clear();
}

std::optional<relayed_call> relayed_calls::take(std::uint64_t own) {
  auto node = by_own_id_.extract(own);
  if (node.empty())
    return std::nullopt;
  by_user_.erase({node.mapped().user, node.mapped().id, own});
  first_.changed();
  return std::move(node.mapped());
}

relayed_calls::numbered relayed_calls::take_late(time_point now) {
  numbered result;
  if (!first_.may_be_late(now))
    return result;
  std::vector<std::pair<time_point, std::uint64_t>> late;
  for (auto& [own, one] : by_own_id_)
    if (now >= one.deadline)
      late.emplace_back(one.deadline, own);
  std::sort(late.begin(), late.end());
  for (auto& [deadline, own] : late)
    result.emplace_back(own, *take(own));
  first_.look(by_own_id_, deadline_of);
  return result;
}

std::optional<user_id> relayed_calls::only_user() const {
  if (by_user_.empty() || by_user_.begin()->user != by_user_.rbegin()->user)
    return std::nullopt;
  return by_user_.begin()->user;
}

} // namespace troupe::protocol
