#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>

namespace troupe::net {

/// Places for connections that are too many: each is answered one request, most of them by a refusal. Copies have the
/// same places. Callable from any thread.
class surplus_places {
public:
  /// Has a place for as long as it lives.
  using share = std::shared_ptr<void>;

  /// How many there are where so many connections are admitted.
  static constexpr std::size_t most(std::size_t admitted) {
    constexpr std::size_t least = 2, enough = 32, part = 8;
    return std::clamp(admitted / part, least, enough);
  }

  /// Null when all are taken.
  share take(std::size_t most) {
    if (taken_->fetch_add(1) < most)
      return {taken_.get(), [taken = taken_](void*) { taken->fetch_sub(1); }};
    taken_->fetch_sub(1);
    return nullptr;
  }
  std::size_t taken() const { return taken_->load(); }

private:
  std::shared_ptr<std::atomic<std::size_t>> taken_ = std::make_shared<std::atomic<std::size_t>>(0);
};

} // namespace troupe::net
