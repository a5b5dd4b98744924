#include "net/worker_pool.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace troupe::net {

class worker_pool::state {
public:
  state(std::size_t threads, std::size_t most_waiting)
      : most_{std::max<std::size_t>(threads, 1)}, most_waiting_{most_waiting} {}

  ~state() {
    {
      std::lock_guard lock{mutex_};
      ending_ = true;
    }
    changed_.notify_all();
    for (auto& one : threads_)
      one.join();
  }
  state(const state&) = delete;
  state& operator=(const state&) = delete;

  /// Leaves refused work with the caller: destroying its captures may call `post` again.
  ticket post(std::function<void()>& work) {
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
  }

  std::function<void()> take(ticket which) {
    std::lock_guard lock{mutex_};
    auto node = work_.extract(which);
    return node.empty() ? nullptr : std::move(node.mapped());
  }

  std::size_t waiting() {
    std::lock_guard lock{mutex_};
    return work_.size();
  }

  bool is_current() const { return current == this; }

private:
  /// Returns how many items will wait once one more is added.
  std::size_t would_wait() const {
    const auto free = most_ - busy_;
    return work_.size() < free ? 0 : work_.size() + 1 - free;
  }

  /// Starts a thread if none is idle. A busy thread will do when no other can be started.
  bool has_thread_for_more() {
    if (work_.size() <= threads_.size() - busy_ || threads_.size() == most_ || ending_)
      return !threads_.empty();
    try {
      threads_.emplace_back([this] { run(); });
    } catch (const std::exception&) {
      return !threads_.empty();
    }
    return true;
  }

  void run() {
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
  bool wait(std::unique_lock<std::mutex>& lock) {
    changed_.wait(lock, [this] { return ending_ || !work_.empty(); });
    return !work_.empty();
  }

  static thread_local const state* current;

  const std::size_t most_;
  const std::size_t most_waiting_;
  std::mutex mutex_;
  std::condition_variable changed_;
  /// Work in the order in which it was posted.
  std::map<ticket, std::function<void()>> work_;
  ticket last_ = 0;
  std::size_t busy_ = 0;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

thread_local const worker_pool::state* worker_pool::state::current = nullptr;

worker_pool::worker_pool(std::size_t threads, std::size_t most_waiting)
    : state_{std::make_unique<state>(threads, most_waiting)} {}

worker_pool::~worker_pool() = default;

worker_pool::ticket worker_pool::post(std::function<void()> work) noexcept {
  try {
    return state_->post(work);
  } catch (const std::exception&) {
    return 0;
  }
}

void worker_pool::drop(ticket which) noexcept { state_->take(which); }

std::size_t worker_pool::waiting() const { return state_->waiting(); }

bool worker_pool::is_current() const { return state_->is_current(); }

} // namespace troupe::net
