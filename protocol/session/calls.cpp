#include "protocol/session/calls.hpp"

namespace troupe::protocol {

std::uint64_t calls::add(call one) {
  first_.add(one.deadline);
  of_exchanges_ += one.exchange != 0 ? 1 : 0;
  auto& added = by_own_id_.emplace_hint(by_own_id_.end(), ++last_, std::move(one))->second;
  auto [known, is_new] = own_ids_.try_emplace(added.id, last_);
  if (!is_new) {
    own_ids_.erase(known);
    own_ids_.emplace(added.id, last_);
  }
  return last_;
}

call* calls::find(std::uint64_t own) {
  auto found = by_own_id_.find(own);
  if (found == by_own_id_.end())
    return nullptr;
  first_.changed();
  return &found->second;
}

void calls::go_with(std::uint64_t own, exchange_id exchange) {
  auto& one = by_own_id_.at(own);
  of_exchanges_ -= one.exchange != 0 ? 1 : 0;
  of_exchanges_ += exchange != 0 ? 1 : 0;
  one.exchange = exchange;
}

std::optional<std::uint64_t> calls::own_id_of(std::string_view asker_id) const {
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
  of_exchanges_ -= node.mapped().exchange != 0 ? 1 : 0;
  first_.changed();
  return std::move(node.mapped());
}

std::vector<std::pair<std::uint64_t, call>> calls::take_late(time_point now) {
  if (!first_.may_be_late(now))
    return {};
  std::vector<std::uint64_t> late;
  for (auto& [own, one] : by_own_id_)
    if (now >= one.deadline)
      late.push_back(own);
  std::vector<std::pair<std::uint64_t, call>> result;
  for (auto own : late)
    result.emplace_back(own, *take(own));
  first_.look(by_own_id_, deadline_of);
  return result;
}

time_point calls::deadline() const { return first_.of(by_own_id_, deadline_of); }

} // namespace troupe::protocol
