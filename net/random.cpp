#include "net/random.hpp"

#include <cstdlib>
#include <openssl/rand.h>

namespace troupe::net {

std::array<std::byte, 16> random_128() {
  std::array<std::byte, 16> result;
  // Without randomness there are no sessions that are safe to hand out.
  if (RAND_bytes(reinterpret_cast<unsigned char*>(result.data()), static_cast<int>(result.size())) != 1)
    std::abort();
  return result;
}

} // namespace troupe::net
