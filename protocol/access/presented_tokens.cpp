#include "protocol/access/presented_tokens.hpp"

#include <algorithm>

namespace troupe::protocol {

namespace {

std::size_t size_of(const presented_token& one) { return one.text.size() + one.scopes.size(); }

} // namespace

std::string whose_requests(const caller& from) { return from ? "scopes " + scopes_told(*from) : std::string{}; }

void presented_tokens::put(const std::string& owner, std::string_view token, std::string_view scopes,
                           time_point until) {
  auto& all = those_of(owner);
  auto same = std::ranges::find(all, scopes, &presented_token::scopes);
  if (same == all.end() && all.size() < most_each)
    same = all.emplace(all.end());
  else if (same == all.end())
    --same;
  std::rotate(all.begin(), same, same + 1);
  auto& one = all.front();
  if (one.text != token || one.scopes != scopes) {
    young_bytes_ -= size_of(one);
    one.text = token;
    one.scopes = scopes;
    young_bytes_ += size_of(one);
  }
  one.until = until;
  if (young_bytes_ > most_bytes_ / 2)
    grow_old();
}

void presented_tokens::grow_old() {
  old_ = std::exchange(young_, {});
  old_bytes_ = std::exchange(young_bytes_, 0);
}

presented_tokens::of_one& presented_tokens::those_of(const std::string& owner) {
  if (auto found = young_.find(owner); found != young_.end())
    return found->second;
  auto before = old_.extract(owner);
  auto bytes = std::size_t{0};
  if (before)
    for (auto& one : before.mapped())
      bytes += size_of(one);
  old_bytes_ -= bytes;
  if (young_.size() >= most_)
    grow_old();
  young_bytes_ += bytes;
  return before ? young_.insert(std::move(before)).position->second : young_[owner];
}

template <class Fits>
presented_token presented_tokens::first(const std::string& owner, time_point now, Fits fits) const {
  for (auto* generation : {&young_, &old_})
    if (auto found = generation->find(owner); found != generation->end()) {
      auto one = std::ranges::find_if(found->second, [&](auto& each) { return now < each.until && fits(each); });
      return one == found->second.end() ? presented_token{} : *one;
    }
  return {};
}

presented_token presented_tokens::find(const std::string& owner, std::string_view scopes, time_point now) const {
  return first(owner, now, [&](auto& one) { return one.scopes == scopes; });
}

presented_token presented_tokens::last(const std::string& owner, time_point now) const {
  return first(owner, now, [](auto&) { return true; });
}

} // namespace troupe::protocol
