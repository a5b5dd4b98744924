#pragma once

#include "net/guarded.hpp"
#include "net/io_thread.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>

namespace troupe::net {

/// A budget of bytes that all connections of all threads together keep for clients that have not read them.
///
/// Beyond it a connection is dropped: the one whose bytes, multiplied by the time since it began to hold any, are the
/// most. So neither a client that is about to read a long answer pays for others, nor one that is slow with a short
/// one. Callable from any thread.
class unsent_bytes : public std::enable_shared_from_this<unsent_bytes> {
public:
  using time_point = io_thread::clock::time_point;

  explicit unsent_bytes(std::size_t limit) : limit_{limit} {}

  /// What one connection holds. Destroying it gives the bytes back.
  class share {
  public:
    share(std::shared_ptr<unsent_bytes> of, std::uint64_t number) : of_{std::move(of)}, number_{number} {}
    ~share() { of_->remove(number_); }
    share(const share&) = delete;
    share& operator=(const share&) = delete;

    void hold(std::size_t bytes, time_point now) { of_->hold(number_, bytes, now); }

  private:
    std::shared_ptr<unsent_bytes> of_;
    std::uint64_t number_;
  };

  /// `drop` is called at most once, by any thread and before some `hold` returns; it must not use the budget. What was
  /// held counts as given back then.
  std::unique_ptr<share> begin(std::function<void()> drop, time_point now);
  std::size_t limit() const { return limit_; }
  std::size_t held() const { return held_.load(std::memory_order_relaxed); }

private:
  struct holder {
    std::size_t bytes = 0;
    time_point since;
    std::function<void()> drop;
  };
  using holders = std::unordered_map<std::uint64_t, holder>;

  void hold(std::uint64_t number, std::size_t bytes, time_point now);
  void remove(std::uint64_t number);
  void set(holder& one, std::size_t bytes);
  void drop_worst(holders& all, time_point now);

  std::size_t limit_;
  guarded<holders> holders_;
  std::atomic<std::uint64_t> last_{0};
  /// Changes under the lock of the holders.
  std::atomic<std::size_t> held_{0};
};

} // namespace troupe::net
