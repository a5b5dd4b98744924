#include "protocol/catalog/member_retries.hpp"

#include <algorithm>

namespace troupe::protocol {

namespace {

constexpr std::chrono::seconds first_pause{1};
constexpr std::chrono::seconds longest_pause{60};

} // namespace

void member_retries::lost(std::uint64_t server, time_point now) {
  auto known = std::find_if(all_.begin(), all_.end(), [&](auto& one) { return one.server == server; });
  auto& one = known == all_.end() ? all_.emplace_back(retry{server}) : *known;
  one.pause = std::clamp(2 * one.pause, first_pause, longest_pause);
  one.at = now + one.pause;
}

void member_retries::forget(std::uint64_t server) {
  std::erase_if(all_, [&](auto& one) { return one.server == server; });
}

std::vector<std::uint64_t> member_retries::take_due(time_point now) {
  std::vector<std::uint64_t> result;
  for (auto& one : all_) {
    if (one.at > now)
      continue;
    one.at = time_point::max();
    result.push_back(one.server);
  }
  return result;
}

time_point member_retries::deadline() const {
  auto result = time_point::max();
  for (auto& one : all_)
    result = std::min(result, one.at);
  return result;
}

} // namespace troupe::protocol
