#include "net/worker_pool.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace troupe::net {

namespace {

/// Pool that the current thread belongs to.
thread_local const worker_pool* current = nullptr;

} // namespace

worker_pool::worker_pool(std::size_t threads, std::size_t most_waiting)
    : most_{std::max<std::size_t>(threads, 1)}, most_waiting_{most_waiting} {}

worker_pool::~worker_pool() {
  {
    std::lock_guard lock{mutex_};
    ending_ = true;
  }
  changed_.notify_all();
  for (auto& one : threads_)
    one.join();
}

/// Refused work is destroyed without the lock: destroying its captures may call `post` again.
worker_pool::ticket worker_pool::post(std::function<void()> work) noexcept try {
  std::lock_guard lock{mutex_};
  if (would_wait() > most_waiting_)
    return 0;
  const auto place = work_.emplace_hint(work_.end(), last_ + 1, std::move(work));
  if (!has_thread_for_more()) {
    work = std::move(place->second);
    work_.erase(place);
    return 0;
  }
  changed_.notify_one();
  return ++last_;
} catch (const std::exception&) {
  return 0;
}

void worker_pool::drop(ticket which) noexcept {
  decltype(work_)::node_type dropped; // destroyed without the lock
  std::lock_guard lock{mutex_};
  dropped = work_.extract(which);
}

std::size_t worker_pool::waiting() const {
  std::lock_guard lock{mutex_};
  return work_.size();
}

bool worker_pool::is_current() const { return current == this; }

/// Returns how many items will wait once one more is added.
std::size_t worker_pool::would_wait() const {
  const auto free = most_ - busy_;
  return work_.size() < free ? 0 : work_.size() + 1 - free;
}

/// Starts a thread if none is idle. A busy thread will do when no other can be started.
bool worker_pool::has_thread_for_more() {
  if (work_.size() <= threads_.size() - busy_ || threads_.size() == most_ || ending_)
    return !threads_.empty();
  try {
    threads_.emplace_back([this] { run(); });
  } catch (const std::exception&) {
    return !threads_.empty();
  }
  return true;
}

void worker_pool::run() {
  current = this;
  std::unique_lock lock{mutex_};
  while (wait(lock)) {
    auto work = std::move(work_.begin()->second);
    work_.erase(work_.begin());
    ++busy_;
    lock.unlock();
    work();
    work = nullptr; // destroying its captures may call `post`
    lock.lock();
    --busy_;
  }
}

/// Waits for work. False if there is none because the pool ends.
bool worker_pool::wait(std::unique_lock<std::mutex>& lock) {
  changed_.wait(lock, [this] { return ending_ || !work_.empty(); });
  return !work_.empty();
}

} // namespace troupe::net
