#pragma once

#include <cstddef>
#include <optional>
#include <utility>

namespace troupe::protocol {

/// A number of bytes that all copies of something may take together. A share takes some of them and gives them back
/// when it is destroyed; the budget outlives its shares, but for those that were moved from.
class byte_budget {
public:
  class share {
  public:
    share(byte_budget& of, std::size_t bytes) : of_{&of}, bytes_{bytes} { of_->left_ -= bytes_; }
    ~share() {
      if (bytes_ != 0)
        of_->left_ += bytes_;
    }
    share(share&& other) noexcept : of_{other.of_}, bytes_{std::exchange(other.bytes_, 0)} {}
    share(const share&) = delete;
    share& operator=(const share&) = delete;
    share& operator=(share&&) = delete;

  private:
    byte_budget* of_;
    std::size_t bytes_;
  };

  explicit byte_budget(std::size_t bytes) : left_{bytes} {}
  byte_budget(const byte_budget&) = delete;
  byte_budget& operator=(const byte_budget&) = delete;

  /// A share of `bytes`; nothing when fewer are left.
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
