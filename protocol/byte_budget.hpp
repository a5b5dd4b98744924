#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

namespace troupe::protocol {

/// Count of the bytes that many holders have together, on all threads. Never refuses: a holder checks `is_over` and
/// keeps less if the total is too large.
class byte_total {
public:
  explicit byte_total(std::size_t most) : most_{most} {}

  std::size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
  std::size_t most() const { return most_; }
  bool is_over() const { return bytes() > most_; }

private:
  friend class counted_bytes;

  std::size_t most_;
  std::atomic<std::size_t> bytes_ = 0;
};

/// Bytes of one holder, counted into a `byte_total` (if there is one) until destruction.
class counted_bytes {
public:
  explicit counted_bytes(std::shared_ptr<byte_total> of = nullptr) : of_{std::move(of)} {}
  ~counted_bytes() { remove(bytes_); }
  counted_bytes(counted_bytes&& other) noexcept : of_{std::move(other.of_)}, bytes_{std::exchange(other.bytes_, 0)} {}
  counted_bytes(const counted_bytes&) = delete;
  counted_bytes& operator=(const counted_bytes&) = delete;
  counted_bytes& operator=(counted_bytes&& other) noexcept {
    std::swap(of_, other.of_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }

  void add(std::size_t bytes) {
    bytes_ += bytes;
    if (of_)
      of_->bytes_.fetch_add(bytes, std::memory_order_relaxed);
  }
  void remove(std::size_t bytes) {
    bytes_ -= bytes;
    if (of_)
      of_->bytes_.fetch_sub(bytes, std::memory_order_relaxed);
  }

  std::size_t bytes() const { return bytes_; }
  /// Limit of this holder: `most`, but no more than `least` while the total is over its limit.
  std::size_t allowed(std::size_t most, std::size_t least) const {
    return of_ && of_->is_over() ? std::min(most, least) : most;
  }

private:
  std::shared_ptr<byte_total> of_;
  std::size_t bytes_ = 0;
};

/// Budget of bytes, or of other units, that all copies of something may take together. A share takes some and returns
/// them on destruction. The budget outlives its shares, except for those that were moved from.
class byte_budget {
public:
  class share {
  public:
    /// Takes the bytes even if fewer are left, for what must not be refused; otherwise see `take`.
    share(byte_budget& of, std::size_t bytes) : of_{&of}, bytes_{bytes} { of_->taken_ += bytes_; }
    ~share() {
      if (bytes_ != 0)
        of_->taken_ -= bytes_;
    }
    share(share&& other) noexcept : of_{other.of_}, bytes_{std::exchange(other.bytes_, 0)} {}
    share(const share&) = delete;
    share& operator=(const share&) = delete;
    share& operator=(share&&) = delete;

  private:
    byte_budget* of_;
    std::size_t bytes_;
  };

  explicit byte_budget(std::size_t most) : most_{most} {}
  byte_budget(const byte_budget&) = delete;
  byte_budget& operator=(const byte_budget&) = delete;

  /// Returns a share of `bytes`, or nullopt if fewer are left.
  std::optional<share> try_acquire(std::size_t bytes) {
    if (bytes > left())
      return std::nullopt;
    return std::optional<share>{std::in_place, *this, bytes};
  }
  std::size_t taken() const { return taken_; }
  std::size_t left() const { return most_ - std::min(taken_, most_); }

private:
  std::size_t most_;
  std::size_t taken_ = 0;
};

} // namespace troupe::protocol
