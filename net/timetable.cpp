#include "net/timetable.hpp"

#include <utility>

namespace troupe::net {

void timetable::add(io_thread::appointment which, std::function<void()> work) {
  all_.emplace(which, std::move(work));
  arm();
}

void timetable::clear() {
  auto left = std::exchange(all_, {});
  timer_.cancel();
}

void timetable::arm() {
  if (all_.empty() || all_.begin()->first.first >= armed_)
    return;
  armed_ = all_.begin()->first.first;
  timer_.expires_at(armed_ + span_);
  timer_.async_wait([this](boost::system::error_code error) {
    if (!error)
      keep();
  });
}

void timetable::keep() {
  armed_ = time_point::max();
  auto now = io_thread::clock::now();
  while (!all_.empty() && all_.begin()->first.first <= now) {
    auto work = std::move(all_.begin()->second);
    all_.erase(all_.begin());
    work();
  }
  arm();
}

} // namespace troupe::net
