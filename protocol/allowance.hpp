#pragma once

#include <cstddef>
#include <optional>
#include <utility>

namespace troupe::protocol {

/// So many bytes that copies of something may take in all. Outlives the shares of it, which give back what they have
/// when they go.
class allowance {
public:
  class share {
  public:
    share(allowance& of, std::size_t bytes) : of_{&of}, bytes_{bytes} { of_->left_ -= bytes_; }
    ~share() { of_->left_ += bytes_; }
    share(share&& other) noexcept : of_{other.of_}, bytes_{std::exchange(other.bytes_, 0)} {}
    share(const share&) = delete;
    share& operator=(const share&) = delete;
    share& operator=(share&&) = delete;

  private:
    allowance* of_;
    std::size_t bytes_;
  };

  explicit allowance(std::size_t bytes) : left_{bytes} {}
  allowance(const allowance&) = delete;
  allowance& operator=(const allowance&) = delete;

  /// Nothing when so much is not left.
  std::optional<share> take(std::size_t bytes) {
    if (bytes > left_)
      return std::nullopt;
    return std::optional<share>{std::in_place, *this, bytes};
  }
  std::size_t left() const { return left_; }

private:
  std::size_t left_;
};

} // namespace troupe::protocol
