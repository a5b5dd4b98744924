#pragma once

#include "net/owned_descriptor.hpp"

#include <fcntl.h>
#include <utility>

namespace troupe::net {

/// A descriptor that is kept for a client that comes when there is no other.
class spare_descriptor {
public:
  spare_descriptor() { fill(); }

  /// Opens it again, if it can.
  void fill() {
    if (!held_)
      held_ = owned_descriptor{::open("/dev/null", O_RDONLY | O_CLOEXEC)};
  }
  /// Closes it. Whether there was one.
  bool give() { return static_cast<bool>(std::exchange(held_, owned_descriptor{})); }

private:
  owned_descriptor held_;
};

} // namespace troupe::net
