#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>

namespace troupe::net {

/// Pool of a few threads for work that may block, which is forbidden on io threads. Threads are started for work that
/// no idle one takes.
///
/// Destroying it waits until all posted work has run.
class worker_pool {
public:
  /// Identifies posted work; never reused, and 0 identifies none.
  using ticket = std::uint64_t;

  /// `most_waiting` is the most items of work that may wait for a thread.
  explicit worker_pool(std::size_t threads, std::size_t most_waiting = std::numeric_limits<std::size_t>::max());
  ~worker_pool();
  worker_pool(const worker_pool&) = delete;
  worker_pool& operator=(const worker_pool&) = delete;

  /// Runs `work`, which must not throw, on one of the threads. Returns 0 if it will never run: too much waits already,
  /// or no thread exists or can be started. Never blocks; callable from any thread.
  ticket post(std::function<void()> work) noexcept;
  /// Drops work that still waits. Callable from any thread.
  void drop(ticket which) noexcept;

  /// Returns how many items of work wait for a thread. Callable from any thread.
  std::size_t waiting() const;
  /// Whether the caller runs on a thread of the pool.
  bool is_current() const;

private:
  class state;
  std::unique_ptr<state> state_;
};

} // namespace troupe::net
