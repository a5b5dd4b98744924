#include "protocol/catalog/member_request_table.hpp"

namespace troupe::protocol {

void member_request_table::add(std::uint64_t own, member_request one) {
  index(*by_own_id_.emplace_hint(by_own_id_.end(), own, std::move(one)));
}

const member_request* member_request_table::find(std::uint64_t own) const {
  auto found = by_own_id_.find(own);
  return found == by_own_id_.end() ? nullptr : &found->second;
}

std::optional<member_request> member_request_table::take(std::uint64_t own) {
  auto found = by_own_id_.find(own);
  if (found == by_own_id_.end())
    return std::nullopt;
  unindex(*found);
  auto result = std::move(found->second);
  by_own_id_.erase(found);
  return result;
}

void member_request_table::make_late(std::uint64_t own) {
  auto found = by_own_id_.find(own);
  unindex(*found);
  found->second.client_id.clear();
  found->second.why = member_request::purpose::late_page;
}

bool member_request_table::serves(std::string_view client_id) const {
  auto first = by_client_id_.lower_bound({client_id, 0});
  return first != by_client_id_.end() && first->first == client_id;
}

std::vector<std::uint64_t> member_request_table::serving(std::string_view client_id) const {
  std::vector<std::uint64_t> result;
  for (auto i = by_client_id_.lower_bound({client_id, 0}); i != by_client_id_.end() && i->first == client_id; ++i)
    result.push_back(i->second);
  return result;
}

void member_request_table::index(by_own_id::const_reference one) {
  auto& client_id = one.second.client_id;
  if (client_id.empty())
    return;
  served_ += serves(client_id) ? 0 : 1;
  by_client_id_.emplace(client_id, one.first);
}

void member_request_table::unindex(by_own_id::const_reference one) {
  auto& client_id = one.second.client_id;
  if (by_client_id_.erase({client_id, one.first}) != 0 && !serves(client_id))
    --served_;
}

} // namespace troupe::protocol
