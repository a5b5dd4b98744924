#include "protocol/session/calls.hpp"

#include <algorithm>
#include <cassert>

namespace troupe::protocol {

std::uint64_t calls::add(call one) {
  of_exchanges_ += one.exchange != 0 ? 1 : 0;
  return all_.add(std::move(one));
}

void calls::go_with(std::uint64_t own, exchange_id exchange) {
  auto one = all_.find(own);
  assert(one);
  of_exchanges_ -= one->exchange != 0 ? 1 : 0;
  of_exchanges_ += exchange != 0 ? 1 : 0;
  one->exchange = exchange;
}

std::optional<call> calls::take(std::uint64_t own) {
  auto result = all_.take(own);
  of_exchanges_ -= result && result->exchange != 0 ? 1 : 0;
  return result;
}

std::vector<std::pair<std::uint64_t, call>> calls::take_late(time_point now) {
  auto result = all_.take_late(now);
  for (auto& [own, one] : result)
    of_exchanges_ -= one.exchange != 0 ? 1 : 0;
  std::sort(result.begin(), result.end(), [](auto& a, auto& b) { return a.first < b.first; });
  return result;
}

} // namespace troupe::protocol
