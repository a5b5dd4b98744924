#pragma once

#include "net/io_thread.hpp"

#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <functional>
#include <map>

namespace troupe::net {

/// What an `io_thread` does at times, up to a span of time too late, so that one timer serves all that falls into it.
/// Only for that thread.
class timetable {
public:
  timetable(boost::asio::io_context& context, std::chrono::milliseconds span) : timer_{context}, span_{span} {}

  void add(io_thread::appointment which, std::function<void()> work);
  /// Does nothing when it is over.
  void remove(io_thread::appointment which) { all_.erase(which); }
  /// What the works hold may remove others as it is destroyed.
  void clear();

private:
  using time_point = io_thread::clock::time_point;

  void arm();
  void keep();

  boost::asio::steady_timer timer_;
  std::chrono::milliseconds span_;
  /// The earliest, to which the timer is set.
  time_point armed_ = time_point::max();
  std::map<io_thread::appointment, std::function<void()>> all_;
};

} // namespace troupe::net
