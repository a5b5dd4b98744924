#include "protocol/supervised/cancelled_calls.hpp"

#include <algorithm>

namespace troupe::protocol {

namespace {

constexpr std::size_t most = 1000;
constexpr auto kept_for = std::chrono::seconds{30};

} // namespace

void cancelled_calls::add(std::uint64_t own, user_id user, time_point now) {
  if (all_.size() < most)
    all_.emplace(own, cancelled_call{user, now + kept_for});
}

void cancelled_calls::tick(time_point now) {
  std::erase_if(all_, [&](auto& one) { return now >= one.second.until; });
}

bool cancelled_calls::only_of(user_id user) const {
  return all_.size() < most &&
         std::all_of(all_.begin(), all_.end(), [&](auto& one) { return one.second.user == user; });
}

} // namespace troupe::protocol
