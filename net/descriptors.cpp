#include "net/descriptors.hpp"

#include <algorithm>
#include <limits>
#include <sys/resource.h>

namespace troupe::net {

std::size_t descriptor_limit() {
  struct rlimit limit = {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0)
    return std::numeric_limits<int>::max();
  return std::min<rlim_t>(limit.rlim_cur, std::numeric_limits<int>::max());
}

} // namespace troupe::net
