#include "protocol/catalog/member_retries.hpp"

#include <algorithm>

namespace troupe::protocol {

namespace {

constexpr std::chrono::seconds first_pause{1};
constexpr std::chrono::seconds longest_pause{60};

} // namespace

void member_retries::failed(const request& what, time_point now) {
  auto known = std::find_if(all_.begin(), all_.end(), [&](auto& one) { return one.what == what; });
  auto& one = known == all_.end() ? all_.emplace_back(retry{.what = what}) : *known;
  if (now - one.failed > one.pause + longest_pause)
    one.pause = std::chrono::seconds{0};
  one.pause = std::clamp(2 * one.pause, first_pause, longest_pause);
  one.failed = now;
  one.at = now + one.pause;
}

void member_retries::rest(const request& what) {
  auto known = std::find_if(all_.begin(), all_.end(), [&](auto& one) { return one.what == what; });
  if (known != all_.end())
    known->at = time_point::max();
}

void member_retries::forget(const request& what) {
  std::erase_if(all_, [&](auto& one) { return one.what == what; });
}

void member_retries::forget_all(std::uint64_t server) {
  std::erase_if(all_, [&](auto& one) { return one.what.server == server; });
}

std::vector<member_retries::request> member_retries::take_due(time_point now) {
  std::vector<request> result;
  for (auto& one : all_) {
    if (one.at > now)
      continue;
    one.at = time_point::max();
    result.push_back(one.what);
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
