#include "net/worker_pool.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace troupe::net {

class worker_pool::state {
public:
  explicit state(std::size_t threads) : most_{std::max<std::size_t>(threads, 1)} {}

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

  void post(std::function<void()> work) {
    std::lock_guard lock{mutex_};
    work_.push_back(std::move(work));
    if (work_.size() > idle_ && threads_.size() < most_ && !ending_)
      threads_.emplace_back([this] { run(); });
    changed_.notify_one();
  }

private:
  void run() {
    std::unique_lock lock{mutex_};
    while (wait(lock)) {
      auto work = std::move(work_.front());
      work_.pop_front();
      lock.unlock();
      work();
      work = nullptr; // what it holds may end with it, and then post
      lock.lock();
    }
  }

  /// Whether there is work.
  bool wait(std::unique_lock<std::mutex>& lock) {
    ++idle_;
    changed_.wait(lock, [this] { return ending_ || !work_.empty(); });
    --idle_;
    return !work_.empty();
  }

  const std::size_t most_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> work_;
  std::size_t idle_ = 0;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

worker_pool::worker_pool(std::size_t threads) : state_{std::make_unique<state>(threads)} {}

worker_pool::~worker_pool() = default;

void worker_pool::post(std::function<void()> work) { state_->post(std::move(work)); }

} // namespace troupe::net
