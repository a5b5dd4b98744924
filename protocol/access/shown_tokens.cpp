#include "protocol/access/shown_tokens.hpp"

namespace troupe::protocol {

void shown_tokens::put(const std::string& owner, std::string_view token, std::string_view scopes, time_point until) {
  if (auto found = young_.find(owner); found != young_.end()) {
    if (found->second.text != token) {
      found->second.text = token;
      found->second.scopes = scopes;
    }
    found->second.until = until;
    return;
  }
  old_.erase(owner);
  if (young_.size() >= most_)
    old_ = std::exchange(young_, {});
  young_.emplace(owner, shown_token{std::string{token}, std::string{scopes}, until});
}

shown_token shown_tokens::find(const std::string& owner, time_point now) const {
  for (auto* all : {&young_, &old_})
    if (auto found = all->find(owner); found != all->end())
      return now < found->second.until ? found->second : shown_token{};
  return {};
}

} // namespace troupe::protocol
