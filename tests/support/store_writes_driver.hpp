#pragma once

#include "protocol/cluster/store_writes.hpp"

#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace troupe::tests {

using namespace protocol;

using lines = std::vector<std::string>;

inline saved_event event(std::uint64_t position, std::string text = "x") {
  return {1, position, std::move(text), false};
}

inline std::string line_of(const store_write& one) {
  switch (one.what) {
  case store_task::claim:
    return one.session + " claim " + one.record;
  case store_task::record:
    return one.session + " record " + one.record;
  case store_task::event:
    return one.session + " event " + std::to_string(one.event.position);
  case store_task::clear:
    return one.session + " clear";
  case store_task::forget:
    return one.session + " forget";
  case store_task::release:
    return one.session + " release";
  default:
    return one.session + " give back";
  }
}

/// Drives the queue of writes with a store that answers by hand.
struct store_writes_driver {
  explicit store_writes_driver(const store_limits& limits = {}) : it{limits} {}

  /// The writes that are sent now.
  lines sent() {
    lines result;
    while (auto one = it.next()) {
      result.push_back(line_of(*one));
      open.push_back(*one);
    }
    return result;
  }
  void end(store_fate fate, std::size_t count = 1) {
    for (; count > 0; --count) {
      it.carried_out(open.front().session, open.front().what, fate);
      open.pop_front();
    }
  }
  /// All writes that are sent if each of them succeeds.
  lines done() {
    lines result;
    for (auto more = sent(); !more.empty(); more = sent()) {
      result.insert(result.end(), more.begin(), more.end());
      end(store_fate::done, open.size());
    }
    return result;
  }

  store_writes it;
  std::deque<store_write> open;
};

inline constexpr store_limits one_at_a_time{.sent = 1};

} // namespace troupe::tests
