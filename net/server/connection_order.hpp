#pragma once

#include "net/io_thread.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <list>

namespace troupe::net {

class connection;

/// What a connection does, in the order in which connections make room for new ones: it has had no request yet, waits
/// for a further one, or receives a further one. One that is busy makes no room.
enum class connection_activity { fresh, idle, receiving, busy };

/// The connections of one thread in the order in which they make room. Lives on that thread, but for `first_rank` and
/// `busy_since`.
class connection_order {
public:
  /// The place of a connection, which keeps it until it is removed.
  struct place {
    connection* of = nullptr;
    connection_activity activity = connection_activity::fresh;
    io_thread::clock::time_point since = {};
    std::list<place*>::iterator at = {};
  };
  using rank = std::int64_t;
  static constexpr rank no_rank = std::numeric_limits<rank>::max();

  void add(place& one, io_thread::clock::time_point now);
  void remove(place& one);
  /// From now on it does something else.
  void move(place& one, connection_activity to, io_thread::clock::time_point now);

  bool empty() const;
  /// The one that makes room first; null when all are busy.
  place* first() const;
  /// Of the first one, for comparison with other threads: the lower, the sooner; `no_rank` when all are busy. Callable
  /// from any thread.
  rank first_rank() const { return first_rank_.load(std::memory_order_relaxed); }

  /// When the connection that is busy for the longest time became busy; the maximum when none is. Callable from any
  /// thread.
  io_thread::clock::time_point busy_since() const {
    return io_thread::clock::time_point{io_thread::clock::duration{busy_since_.load(std::memory_order_relaxed)}};
  }

  template <class F>
  void for_each(F use) const {
    for (auto& places : by_activity_)
      for (auto* one : places)
        use(*one);
  }

private:
  using places = std::list<place*>;

  places& with(connection_activity what) { return by_activity_[static_cast<std::size_t>(what)]; }
  void publish();

  /// Those of each activity, the longest first.
  std::array<places, 4> by_activity_;
  std::atomic<rank> first_rank_{no_rank};
  std::atomic<io_thread::clock::rep> busy_since_{io_thread::clock::time_point::max().time_since_epoch().count()};
};

} // namespace troupe::net
