#pragma once

#include <unistd.h>
#include <utility>

namespace troupe::net {

/// File descriptor that is closed with its owner, unless released.
class owned_descriptor {
public:
  owned_descriptor() = default;
  explicit owned_descriptor(int descriptor) : descriptor_{descriptor} {}
  owned_descriptor(owned_descriptor&& other) noexcept : descriptor_{other.release()} {}
  owned_descriptor& operator=(owned_descriptor&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~owned_descriptor() {
    if (descriptor_ >= 0)
      ::close(descriptor_);
  }

  explicit operator bool() const { return descriptor_ >= 0; }
  int get() const { return descriptor_; }
  int release() { return std::exchange(descriptor_, -1); }

private:
  int descriptor_ = -1;
};

} // namespace troupe::net
