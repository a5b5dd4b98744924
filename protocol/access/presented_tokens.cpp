#include "protocol/access/presented_tokens.hpp"

#include <algorithm>

namespace troupe::protocol {

std::string token_key(const caller& from) { return from ? "scopes " + scopes_key(*from) : std::string{}; }

std::size_t presented_tokens::bytes_of::operator()(const of_one& tokens) const {
  std::size_t result = 0;
  for (const auto& one : tokens)
    result += one.text.size() + one.scopes.size();
  return result;
}

void presented_tokens::put(const std::string& owner, std::string_view token, std::string_view scopes,
                           time_point until) {
  all_.change(owner, [&](of_one& all) {
    auto same = std::ranges::find(all, scopes, &presented_token::scopes);
    if (same == all.end() && all.size() < most_each)
      same = all.emplace(all.end());
    else if (same == all.end())
      --same;
    std::rotate(all.begin(), same, same + 1);
    auto& one = all.front();
    one.text = token;
    one.scopes = scopes;
    one.until = until;
  });
}

template <class Fits>
presented_token presented_tokens::first(const std::string& owner, time_point now, Fits fits) const {
  const auto* all = all_.find(owner);
  if (!all)
    return {};
  auto one = std::ranges::find_if(*all, [&](auto& each) { return now < each.until && fits(each); });
  return one == all->end() ? presented_token{} : *one;
}

presented_token presented_tokens::find(const std::string& owner, std::string_view scopes, time_point now) const {
  return first(owner, now, [&](auto& one) { return one.scopes == scopes; });
}

presented_token presented_tokens::last(const std::string& owner, time_point now) const {
  return first(owner, now, [](auto&) { return true; });
}

} // namespace troupe::protocol
