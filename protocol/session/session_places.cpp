#include "protocol/session/session_places.hpp"

#include <algorithm>

namespace troupe::protocol {

void session_places::take(const std::string& address) {
  ++taken_;
  ++by_address_[address];
}

void session_places::give_back(const std::string& address) {
  auto found = by_address_.find(address);
  if (found == by_address_.end())
    return;
  --taken_;
  if (--found->second == 0)
    by_address_.erase(found);
}

bool session_places::must_wait() const { return (taken_ < most_ && is_full()) || stopping_ > most_ / 10; }

bool session_places::is_full_for(const std::string& address) const {
  auto found = by_address_.find(address);
  return !address.empty() && most_each_ != 0 && found != by_address_.end() && found->second >= most_each_;
}

std::optional<std::string> session_places::who_makes_room(const std::string& newcomer) const {
  if (is_full_for(newcomer))
    return newcomer;
  if (!is_full())
    return std::nullopt;
  if (by_address_.empty())
    return newcomer;
  return std::ranges::max_element(by_address_, {}, [](auto& one) { return one.second; })->first;
}

} // namespace troupe::protocol
