#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

namespace boost::asio {
class io_context;
} // namespace boost::asio

namespace troupe::net {

class spare_connections;

/// Thread that waits for sockets, pipes and timers, and runs their handlers.
///
/// Destroying it waits until nothing is left to wait for, so its users must have closed their sockets and pipes.
class io_thread {
public:
  using clock = std::chrono::steady_clock;
  /// Identifies a timer, so that it can be cancelled; a default one identifies none.
  using timer_id = std::pair<clock::time_point, std::uint64_t>;
  /// Precision of timers, which serve as time limits. A timer that is due sooner than this is as exact as the system's.
  static constexpr auto precision = std::chrono::milliseconds{50};

  io_thread();
  ~io_thread();
  io_thread(const io_thread&) = delete;
  io_thread& operator=(const io_thread&) = delete;

  /// Runs `work` on the thread, in order, and never before `post` returns. Callable from any thread.
  void post(std::function<void()> work);
  /// Runs `work` at once when the caller is on the thread; otherwise posts it. Callable from any thread.
  void dispatch(std::function<void()> work);

  /// Returns the time, for deadlines: all work of one turn sees the time at which the turn began. Callable from any
  /// thread.
  clock::time_point now() const;

  /// Turn for an event that begins outside of posted work, as long as this object lives. Only on the thread, and never
  /// inside another turn.
  class turn {
  public:
    explicit turn(io_thread& of);
    ~turn();
    turn(const turn&) = delete;
    turn& operator=(const turn&) = delete;

  private:
    io_thread& of_;
  };

  /// Runs `work` at a time, on the thread; never once destruction has begun. Only from the thread itself.
  timer_id at(clock::time_point when, std::function<void()> work);
  /// Cancels a timer; does nothing when it has fired. Callable from any thread.
  void cancel(timer_id which);

  /// Returns the CPU time that the thread has used. Callable from any thread.
  std::chrono::nanoseconds cpu_time() const;

  /// Whether the caller runs on this thread.
  bool is_current() const;

  /// Event loop, for the classes of net/ that wait on this thread.
  boost::asio::io_context& context();
  /// Spare connections of this thread. Only on the thread.
  spare_connections& spare();

private:
  class state;
  std::unique_ptr<state> state_;
};

} // namespace troupe::net
