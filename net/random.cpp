#include "net/random.hpp"

#include <cstdlib>
#include <cstring>
#include <openssl/rand.h>

namespace troupe::net {

std::array<std::byte, 16> random_128() {
  std::array<std::byte, 16> result;
  // Without randomness there are no sessions that are safe to hand out.
  if (RAND_bytes(reinterpret_cast<unsigned char*>(result.data()), static_cast<int>(result.size())) != 1)
    std::abort();
  return result;
}

std::uint64_t random_64() {
  std::uint64_t result = 0;
  auto bytes = random_128();
  std::memcpy(&result, bytes.data(), sizeof result);
  return result;
}

} // namespace troupe::net
