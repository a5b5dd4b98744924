#include "net/server/connection_order.hpp"

#include <algorithm>
#include <chrono>

namespace troupe::net {

namespace {

/// Nanoseconds that one activity is ahead of the next: 73 years.
constexpr connection_order::rank ahead = connection_order::rank{1} << 61;

connection_order::rank rank_of(const connection_order::place& one) {
  const auto since = std::chrono::duration_cast<std::chrono::nanoseconds>(one.since.time_since_epoch()).count();
  return static_cast<connection_order::rank>(one.activity) * ahead + since;
}

} // namespace

void connection_order::add(place& one, io_thread::clock::time_point now) {
  one.since = now;
  auto& there = with(one.activity);
  one.at = there.insert(there.end(), &one);
  publish();
}

void connection_order::remove(place& one) {
  with(one.activity).erase(one.at);
  publish();
}

/// Keeps the node of the list, so that a request costs no allocation.
void connection_order::move(place& one, connection_activity to, io_thread::clock::time_point now) {
  if (one.activity == to)
    return;
  auto& there = with(to);
  there.splice(there.end(), with(one.activity), one.at);
  one.activity = to;
  one.since = now;
  publish();
}

bool connection_order::empty() const {
  return std::all_of(by_activity_.begin(), by_activity_.end(), [](auto& places) { return places.empty(); });
}

connection_order::place* connection_order::first() const {
  for (auto what : {connection_activity::fresh, connection_activity::idle, connection_activity::receiving})
    if (auto& places = by_activity_[static_cast<std::size_t>(what)]; !places.empty())
      return places.front();
  return nullptr;
}

void connection_order::publish() {
  auto* one = first();
  first_rank_.store(one ? rank_of(*one) : no_rank, std::memory_order_relaxed);
  auto& busy = with(connection_activity::busy);
  const auto since = busy.empty() ? io_thread::clock::time_point::max() : busy.front()->since;
  busy_since_.store(since.time_since_epoch().count(), std::memory_order_relaxed);
}

} // namespace troupe::net
