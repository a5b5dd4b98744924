#include "tests/simulation/scheduler.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace troupe::tests::simulation {

bool scheduler::is_later(const event& a, const event& b) {
  return std::tie(a.when, a.tie, a.number) > std::tie(b.when, b.tie, b.number);
}

void scheduler::at(time_point when, action what) {
  heap_.push_back({std::max(when, now_), dice_.next(), ++last_, std::move(what)});
  std::push_heap(heap_.begin(), heap_.end(), is_later);
}

void scheduler::run_until(time_point end) {
  while (!is_stopped_ && !heap_.empty() && heap_.front().when <= end) {
    std::pop_heap(heap_.begin(), heap_.end(), is_later);
    auto next = std::move(heap_.back());
    heap_.pop_back();
    now_ = next.when;
    ++steps_;
    next.what();
  }
  now_ = std::max(now_, end);
}

} // namespace troupe::tests::simulation
