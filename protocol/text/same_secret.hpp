#pragma once

#include <cstddef>
#include <string_view>

namespace troupe::protocol {

/// Whether two texts are equal; takes the same time wherever they differ, so that one cannot be guessed part by part.
inline bool same_secret(std::string_view one, std::string_view other) {
  unsigned difference = one.size() == other.size() ? 0 : 1;
  for (std::size_t i = 0; i < one.size() && i < other.size(); ++i)
    difference |= static_cast<unsigned char>(one[i]) ^ static_cast<unsigned char>(other[i]);
  return difference == 0;
}

} // namespace troupe::protocol
