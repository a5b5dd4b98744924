#include "protocol/relayed_calls.hpp"

#include <algorithm>

namespace troupe::protocol {

bool relayed_calls::belongs(const relayed_call& one) {
  return one.is != relayed_call::purpose::ours && one.is != relayed_call::purpose::initialize;
}

std::uint64_t relayed_calls::add(relayed_call one) {
  auto own = ++last_;
  deadlines_.emplace(one.deadline, own);
  if (belongs(one)) {
    by_user_[one.user].insert(own);
    by_asker_[{one.user, one.id}] = own;
  }
  by_own_id_.emplace(own, std::move(one));
  return own;
}

const relayed_call* relayed_calls::find(std::uint64_t own) const {
  auto found = by_own_id_.find(own);
  return found == by_own_id_.end() ? nullptr : &found->second;
}

std::optional<std::uint64_t> relayed_calls::own_id_of(user_id user, const std::string& id) const {
  auto found = by_asker_.find({user, id});
  if (found == by_asker_.end())
    return std::nullopt;
  return found->second;
}

std::optional<std::uint64_t> relayed_calls::own_id_of(const std::string& id) const {
  auto found = std::find_if(by_own_id_.rbegin(), by_own_id_.rend(), [&](auto& one) { return one.second.id == id; });
  if (found == by_own_id_.rend())
    return std::nullopt;
  return found->first;
}

std::set<std::uint64_t> relayed_calls::of(user_id user) const {
  auto found = by_user_.find(user);
  return found == by_user_.end() ? std::set<std::uint64_t>{} : found->second;
}

void relayed_calls::postpone(std::uint64_t own, time_point deadline) {
  auto found = by_own_id_.find(own);
  if (found == by_own_id_.end())
    return;
  auto& one = found->second;
  deadlines_.erase({one.deadline, own});
  one.deadline = std::min(deadline, one.cap);
  deadlines_.emplace(one.deadline, own);
}

void relayed_calls::disown(std::uint64_t own) {
  auto found = by_own_id_.find(own);
  if (found == by_own_id_.end())
    return;
  unlist(own, found->second);
  found->second.is = relayed_call::purpose::ours;
  found->second.token.clear();
}

void relayed_calls::unlist(std::uint64_t own, const relayed_call& one) {
  if (!belongs(one))
    return;
  if (auto known = by_asker_.find({one.user, one.id}); known != by_asker_.end() && known->second == own)
    by_asker_.erase(known);
  auto of_user = by_user_.find(one.user);
  of_user->second.erase(own);
  if (of_user->second.empty())
    by_user_.erase(of_user);
}

std::optional<relayed_call> relayed_calls::take(std::uint64_t own) {
  auto node = by_own_id_.extract(own);
  if (node.empty())
    return std::nullopt;
  deadlines_.erase({node.mapped().deadline, own});
  unlist(own, node.mapped());
  return std::move(node.mapped());
}

relayed_calls::numbered relayed_calls::take_late(time_point now) {
  numbered result;
  while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
    auto own = deadlines_.begin()->second;
    result.emplace_back(own, *take(own));
  }
  return result;
}

std::optional<user_id> relayed_calls::only_user() const {
  if (by_user_.size() != 1)
    return std::nullopt;
  return by_user_.begin()->first;
}

} // namespace troupe::protocol
