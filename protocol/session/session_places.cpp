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

void session_places::look(std::size_t stopping, time_point now) {
  stopping_ = stopping;
  if (short_most_ && now >= short_since_ + shortage_lasts)
    short_most_.reset();
}

std::size_t session_places::found_shortage(time_point now) {
  constexpr std::size_t least = 3, most_at_once = 50;
  if (short_most_ && now < short_since_ + shortage_pause)
    return 0;
  short_since_ = now;
  const auto result = std::clamp(taken_ / 20, least, most_at_once);
  short_most_ = std::max(taken_, result + 1) - result;
  return result;
}

bool session_places::must_wait() const { return (taken_ < most() && is_full()) || stopping_ > most() / 10; }

bool session_places::is_full_for(const std::string& caller) const {
  auto found = by_caller_.find(caller);
  return !caller.empty() && most_each_ != 0 && found != by_caller_.end() && found->second >= most_each_;
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
