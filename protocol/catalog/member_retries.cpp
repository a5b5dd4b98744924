#include "protocol/catalog/member_retries.hpp"

#include <algorithm>

namespace troupe::protocol {

member_retries::retry* member_retries::find(const request& what) {
  auto known = std::find_if(all_.begin(), all_.end(), [&](auto& one) { return one.what == what; });
  return known == all_.end() ? nullptr : &*known;
}

void member_retries::failed(const request& what, time_point now) {
  auto known = find(what);
  auto& one = known ? *known : all_.emplace_back(retry{.what = what});
  if (!one.is_recent(now))
    one.pause.reset();
  one.failed = now;
  one.at = after(one.pause.next(), now);
}

bool member_retries::is_due_now(const request& what, time_point now) {
  auto known = find(what);
  if (known && known->is_recent(now)) {
    failed(what, now);
    return false;
  }
  auto& one = known ? *known : all_.emplace_back(retry{.what = what});
  one.pause.reset();
  one.failed = now;
  one.at = time_point::max();
  return true;
}

bool member_retries::retry::is_recent(time_point now) const { return now - failed <= pause.last() + longest_pause; }

time_point member_retries::after(std::chrono::milliseconds pause, time_point now) {
  const auto half = static_cast<std::uint64_t>(pause.count() / 2);
  return now + pause - std::chrono::milliseconds{is_shortened_ ? dice_() % (half + 1) : 0};
}

void member_retries::cancel(const request& what) {
  if (auto known = find(what))
    known->at = time_point::max();
}

void member_retries::forget(const request& what) {
  std::erase_if(all_, [&](auto& one) { return one.what == what; });
}

void member_retries::forget_all(std::uint64_t server) {
  std::erase_if(all_, [&](auto& one) { return one.what.server == server; });
}

std::vector<member_retries::request> member_retries::extract_due(time_point now) {
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
