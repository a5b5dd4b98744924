#pragma once

#include <atomic>
#include <cstddef>
#include <limits>
#include <memory>

namespace troupe::net {

/// Slots for what may exist a limited number of times at once, such as processes. Copies share the slots. Never blocks;
/// callable from any thread.
class slots {
public:
  /// Slot, held for as long as it lives; may outlive the slots.
  using share = std::shared_ptr<void>;

  /// Takes a slot; null when so many are taken.
  share try_acquire(std::size_t most = std::numeric_limits<std::size_t>::max()) {
    for (auto now = taken_->load(); now < most;)
      if (taken_->compare_exchange_weak(now, now + 1))
        return {taken_.get(), [taken = taken_](void*) { --*taken; }};
    return nullptr;
  }
  std::size_t taken() const { return *taken_; }

private:
  std::shared_ptr<std::atomic<std::size_t>> taken_ = std::make_shared<std::atomic<std::size_t>>(0);
};

/// Slots of a gateway's child processes until they are reaped, and of those that are being stopped.
struct process_slots {
  std::size_t most;
  slots living = {};
  slots stopping = {};
};

} // namespace troupe::net
