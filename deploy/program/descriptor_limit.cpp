#include "deploy/program/descriptor_limit.hpp"

#include <sys/resource.h>

namespace troupe::deploy {

std::size_t raise_descriptor_limit() {
  struct rlimit limit = {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0)
    return 0;
  const auto before = limit.rlim_cur;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit); // a failure leaves the limit as it is
  return before;
}

} // namespace troupe::deploy
