#pragma once

#include <cstdint>
#include <string_view>

namespace troupe::protocol {

/// FNV-1a hash, 64 bits: equal on every machine and in every release, and no secret. `state`: hash of the preceding
/// text.
constexpr std::uint64_t fnv1a_64(std::string_view text, std::uint64_t state = 14695981039346656037U) {
  for (auto c : text)
    state = (state ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return state;
}

} // namespace troupe::protocol
