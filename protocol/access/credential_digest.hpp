#pragma once

#include <array>
#include <cstddef>
#include <cstring>

namespace troupe::protocol {

/// SHA-256 of a key or token: names it to those who must not learn it.
using credential_digest = std::array<std::byte, 32>;

/// Digests are evenly spread as they are.
struct digest_hash {
  std::size_t operator()(const credential_digest& of) const {
    std::size_t result = 0;
    std::memcpy(&result, of.data(), sizeof result);
    return result;
  }
};

} // namespace troupe::protocol
