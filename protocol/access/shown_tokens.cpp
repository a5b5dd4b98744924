#include "protocol/access/shown_tokens.hpp"

namespace troupe::protocol {

void shown_tokens::put(const std::string& owner, std::string_view token, time_point until) {
  if (auto found = young_.find(owner); found != young_.end()) {
    if (found->second.token != token)
      found->second.token = token;
    found->second.until = until;
    return;
  }
  old_.erase(owner);
  if (young_.size() >= most_)
    old_ = std::exchange(young_, {});
  young_.emplace(owner, shown{std::string{token}, until});
}

std::string shown_tokens::find(const std::string& owner, time_point now) const {
  for (auto* all : {&young_, &old_})
    if (auto found = all->find(owner); found != all->end())
      return now < found->second.until ? found->second.token : std::string{};
  return {};
}

} // namespace troupe::protocol
