#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>

namespace troupe::net {

/// A few threads for work that may block, which the threads that wait for sockets must not. They are started when there
/// is work that no idle one takes.
///
/// Destroying it waits until all that was posted has run.
class worker_pool {
public:
  /// Names work that was posted; never used again, and 0 names none.
  using ticket = std::uint64_t;

  /// `most_waiting` is how much work may wait for a thread.
  explicit worker_pool(std::size_t threads, std::size_t most_waiting = std::numeric_limits<std::size_t>::max());
  ~worker_pool();
  worker_pool(const worker_pool&) = delete;
  worker_pool& operator=(const worker_pool&) = delete;

  /// Runs `work`, which must not throw, on one of the threads. 0 when it never will: too much waits already, or there
  /// is neither a thread nor means for one. Never blocks; callable from any thread.
  ticket post(std::function<void()> work) noexcept;
  /// Forgets work that still waits. Callable from any thread.
  void drop(ticket which) noexcept;

  /// How much waits for a thread. Callable from any thread.
  std::size_t waiting() const;
  /// Whether the caller runs on one of its threads.
  bool is_current() const;

private:
  class state;
  std::unique_ptr<state> state_;
};

} // namespace troupe::net
