#pragma once

#include <cerrno>

namespace troupe::net {

/// Whether an `errno` says that this process or machine has no descriptors, memory or processes left: that is no
/// failure of whom one wanted to reach or start, and may have passed soon.
inline bool is_shortage(int error) {
  return error == EMFILE || error == ENFILE || error == ENOMEM || error == ENOBUFS || error == EAGAIN;
}

} // namespace troupe::net
