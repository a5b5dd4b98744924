#include "tests/simulation/scheduler.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace troupe::tests::simulation {

bool scheduler::is_later(const event& a, const event& b) {
  return std::tie(a.when, a.tie, a.place) > std::tie(b.when, b.tie, b.place);
}

void scheduler::at(time_point when, action what) {
  heap_.push_back({std::max(when, now_), dice_.next(), keep(std::move(what))});
  std::push_heap(heap_.begin(), heap_.end(), is_later);
}

std::size_t scheduler::keep(action what) {
  if (free_places_.empty()) {
    actions_.push_back(std::move(what));
    return actions_.size() - 1;
  }
  auto place = free_places_.back();
  free_places_.pop_back();
  actions_[place] = std::move(what);
  return place;
}

void scheduler::run_until(time_point end) {
  while (!is_stopped_ && !heap_.empty() && heap_.front().when <= end) {
    std::pop_heap(heap_.begin(), heap_.end(), is_later);
    auto next = heap_.back();
    heap_.pop_back();
    now_ = next.when;
    ++steps_;
    auto what = std::move(actions_[next.place]);
    free_places_.push_back(next.place);
    what();
  }
  now_ = std::max(now_, end);
}

} // namespace troupe::tests::simulation
