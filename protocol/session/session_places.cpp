#include "protocol/session/session_places.hpp"

#include <algorithm>

namespace troupe::protocol {

void session_places::take(const std::string& caller) {
  ++taken_;
  ++by_caller_[caller];
}

void session_places::give_back(const std::string& caller) {
  auto found = by_caller_.find(caller);
  if (found == by_caller_.end())
    return;
  --taken_;
  if (--found->second == 0)
    by_caller_.erase(found);
}

std::size_t session_places::held_by(const std::string& caller) const {
  auto found = by_caller_.find(caller);
  return found == by_caller_.end() ? 0 : found->second;
}

bool session_places::ends_one_for_shortage(time_point now) {
  if (now >= second_ + std::chrono::seconds{1}) {
    second_ = now;
    ended_ = 0;
  }
  return ended_++ < most_ended;
}

bool session_places::must_wait() const { return (taken_ < most_ && is_full()) || stopping_ > most_ / 10; }

bool session_places::is_full_for(const std::string& caller) const {
  return !caller.empty() && most_each_ != 0 && held_by(caller) >= most_each_;
}

std::optional<std::string> session_places::who_makes_room(const std::string& newcomer) const {
  if (is_full_for(newcomer))
    return newcomer;
  if (!is_full())
    return std::nullopt;
  if (by_caller_.empty())
    return newcomer;
  return std::ranges::max_element(by_caller_, {}, [](auto& one) { return one.second; })->first;
}

} // namespace troupe::protocol
