#include "net/server/unsent_bytes.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace troupe::net {

std::unique_ptr<unsent_bytes::share> unsent_bytes::begin(std::function<void()> drop, time_point now) {
  const auto number = ++last_;
  holders_.with([&](holders& all) { all.emplace(number, holder{0, now, std::move(drop)}); });
  return std::make_unique<share>(shared_from_this(), number);
}

void unsent_bytes::hold(std::uint64_t number, std::size_t bytes, time_point now) {
  holders_.with([&](holders& all) {
    auto found = all.find(number);
    if (found == all.end())
      return; // it was dropped
    set(found->second, bytes);
    while (held_ > limit_)
      drop_worst(all, now);
  });
}

void unsent_bytes::remove(std::uint64_t number) {
  holders_.with([&](holders& all) {
    auto found = all.find(number);
    if (found == all.end())
      return;
    set(found->second, 0);
    all.erase(found);
  });
}

void unsent_bytes::set(holder& one, std::size_t bytes) { held_ += bytes - std::exchange(one.bytes, bytes); }

void unsent_bytes::drop_worst(holders& all, time_point now) {
  auto weight = [now](const holders::value_type& one) {
    const auto time = std::chrono::duration<double>(now - one.second.since) + std::chrono::milliseconds{1};
    return static_cast<double>(one.second.bytes) * time.count();
  };
  auto worst =
      std::max_element(all.begin(), all.end(), [&](auto& one, auto& other) { return weight(one) < weight(other); });
  set(worst->second, 0);
  worst->second.drop();
  all.erase(worst);
}

} // namespace troupe::net
