#include "protocol/remote/obtained_tokens.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

/// A further token replaces the first to expire, unless the answer to its `want_token` is due.
obtained_tokens::token& obtained_tokens::token_of(const std::string& whose) {
  if (auto found = tokens_.find(whose); found != tokens_.end())
    return found->second;
  if (tokens_.size() >= most_tokens) {
    auto first = std::ranges::min_element(
        tokens_, {}, [](auto& one) { return one.second.is_wanted ? time_point::max() : one.second.until; });
    if (!first->second.is_wanted)
      tokens_.erase(first);
  }
  return tokens_[whose];
}

std::optional<want_token> obtained_tokens::wanted(const token_call& by, std::string stale) {
  if (std::exchange(token_of(by.whose).is_wanted, true))
    return std::nullopt;
  return want_token{by.whose, by.requester, std::move(stale)};
}

bool obtained_tokens::has_newer(const token_call& one) {
  const auto& text = text_of(one.whose);
  return !text.empty() && text != one.sent_with;
}

std::optional<want_token> obtained_tokens::refused_to(const token_call& one, const bearer_challenge&) {
  token_of(one.whose).text.clear();
  return wanted(one, one.sent_with);
}

const std::string* obtained_tokens::last(time_point now) const {
  auto good = std::ranges::find_if(tokens_, [&](auto& one) { return one.second.is_good(now); });
  return good == tokens_.end() ? nullptr : &good->second.text;
}

bool obtained_tokens::are_awaited() const {
  return std::ranges::any_of(tokens_, [](auto& one) { return one.second.is_wanted; });
}

} // namespace troupe::protocol
