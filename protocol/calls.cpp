#include "protocol/calls.hpp"

#include <algorithm>

namespace troupe::protocol {

std::uint64_t calls::add(call one) {
  own_ids_[one.id] = ++last_;
  by_own_id_.emplace(last_, std::move(one));
  return last_;
}

call* calls::find(std::uint64_t own) {
  auto found = by_own_id_.find(own);
  return found == by_own_id_.end() ? nullptr : &found->second;
}

std::optional<std::uint64_t> calls::own_id_of(const std::string& asker_id) const {
  auto found = own_ids_.find(asker_id);
  if (found == own_ids_.end())
    return std::nullopt;
  return found->second;
}

std::optional<call> calls::take(std::uint64_t own) {
  auto node = by_own_id_.extract(own);
  if (node.empty())
    return std::nullopt;
  if (auto known = own_ids_.find(node.mapped().id); known != own_ids_.end() && known->second == own)
    own_ids_.erase(known);
  return std::move(node.mapped());
}

std::vector<std::pair<std::uint64_t, call>> calls::take_late(time_point now) {
  std::vector<std::uint64_t> late;
  for (auto& [own, one] : by_own_id_)
    if (now >= one.deadline)
      late.push_back(own);
  std::vector<std::pair<std::uint64_t, call>> result;
  for (auto own : late)
    result.emplace_back(own, *take(own));
  return result;
}

std::size_t calls::count_of(exchange_id exchange) const {
  auto of = [&](auto& one) { return one.second.exchange == exchange; };
  return static_cast<std::size_t>(std::count_if(by_own_id_.begin(), by_own_id_.end(), of));
}

time_point calls::deadline() const {
  auto first = time_point::max();
  for (auto& [own, one] : by_own_id_)
    first = std::min(first, one.deadline);
  return first;
}

} // namespace troupe::protocol
