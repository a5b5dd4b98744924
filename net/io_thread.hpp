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

/// One thread that waits for sockets, pipes and times, and runs what they wake.
///
/// Destroying it waits until nothing is left to wait for, so whoever uses it must have closed what it opened.
class io_thread {
public:
  using clock = std::chrono::steady_clock;
  /// Identifies a timer, so that it can be cancelled; a default one identifies none.
  using appointment = std::pair<clock::time_point, std::uint64_t>;
  /// How exact timers are: they are for time limits. One for a time closer than this is as exact as the system's.
  static constexpr auto precision = std::chrono::milliseconds{50};

  io_thread();
  ~io_thread();
  io_thread(const io_thread&) = delete;
  io_thread& operator=(const io_thread&) = delete;

  /// Runs `work` on the thread, in order. Callable from any thread; never runs it before it returns.
  void post(std::function<void()> work);
  /// Runs `work` at once when the caller is on the thread; otherwise posts it. Callable from any thread.
  void dispatch(std::function<void()> work);

  /// The time, for deadlines: all work that is done in one turn sees the time at which that turn began. Callable from
  /// any thread.
  clock::time_point now() const;

  /// A turn, as long as it lives: of what an event begins outside of posted work. Only on the thread, and within no
  /// other.
  class turn {
  public:
    explicit turn(io_thread& of);
    ~turn();
    turn(const turn&) = delete;
    turn& operator=(const turn&) = delete;

  private:
    io_thread& of_;
  };

  /// Runs `work` at a time, on the thread; never once the destruction has begun. Only from the thread itself.
  appointment at(clock::time_point when, std::function<void()> work);
  /// Cancels a timer; does nothing when it has fired. Callable from any thread.
  void cancel(appointment which);

  /// The CPU time that the thread has taken. Callable from any thread.
  std::chrono::nanoseconds cpu_time() const;

  /// Whether the caller runs on this thread.
  bool is_current() const;

  /// For the classes of net/ that wait on this thread.
  boost::asio::io_context& context();
  /// Those of this thread. Only on the thread.
  spare_connections& spare();

private:
  class state;
  std::unique_ptr<state> state_;
};

} // namespace troupe::net
