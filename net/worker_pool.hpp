#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace troupe::net {

/// A few threads for work that may block, which the threads that wait for sockets must not. They are started when there
/// is work that no idle one takes.
///
/// Destroying it waits until all that was posted has run.
class worker_pool {
public:
  explicit worker_pool(std::size_t threads);
  ~worker_pool();
  worker_pool(const worker_pool&) = delete;
  worker_pool& operator=(const worker_pool&) = delete;

  /// Runs `work` on one of the threads, which must not throw. Never blocks; callable from any thread.
  void post(std::function<void()> work);

private:
  class state;
  std::unique_ptr<state> state_;
};

} // namespace troupe::net
