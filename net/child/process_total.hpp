#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

namespace troupe::net {

/// Counter of a gateway's child processes until they are reaped, and of those being stopped. Never blocks; callable
/// from any thread. Outlives the children.
class process_total {
public:
  explicit process_total(std::size_t most) : most_{most} {}

  std::size_t living() const { return living_; }
  std::size_t most() const { return most_; }
  std::size_t stopping() const { return stopping_; }

private:
  friend class counted_process;

  bool add() {
    auto now = living_.load();
    while (now < most_)
      if (living_.compare_exchange_weak(now, now + 1))
        return true;
    return false;
  }

  const std::size_t most_;
  std::atomic<std::size_t> living_ = 0;
  std::atomic<std::size_t> stopping_ = 0;
};

/// Counts a process in the total for as long as this object lives.
class counted_process {
public:
  /// Enters a process in the total. Without a total there is always room.
  explicit counted_process(process_total* of) : of_{of}, fits_{!of || of->add()} {}
  counted_process(counted_process&& other) noexcept
      : of_{std::exchange(other.of_, nullptr)}, fits_{other.fits_}, stops_{other.stops_} {}
  counted_process& operator=(counted_process&&) = delete;
  ~counted_process() {
    if (!of_ || !fits_)
      return;
    --of_->living_;
    of_->stopping_ -= stops_ ? 1 : 0;
  }

  /// Whether the total had room for the process.
  bool fits() const { return fits_; }
  /// Counts the process as being stopped from now on.
  void stops() {
    if (of_ && fits_ && !std::exchange(stops_, true))
      ++of_->stopping_;
  }

private:
  process_total* of_;
  bool fits_;
  bool stops_ = false;
};

} // namespace troupe::net
