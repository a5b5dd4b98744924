#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

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
  std::size_t would_wait() const;
  bool has_thread_for_more();
  void run();
  bool wait(std::unique_lock<std::mutex>& lock);

  const std::size_t most_;
  const std::size_t most_waiting_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  /// Work in the order in which it was posted.
  std::map<ticket, std::function<void()>> work_;
  ticket last_ = 0;
  std::size_t busy_ = 0;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

} // namespace troupe::net
