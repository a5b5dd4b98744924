#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace troupe::protocol {

/// Whether two texts are equal; takes the same time wherever they differ, so that one cannot be guessed part by part.
inline bool same_secret(std::string_view one, std::string_view other) {
  if (one.size() != other.size())
    return false;
  std::uint64_t difference = 0;
  auto compare = [&](std::size_t from, std::size_t size) {
    std::uint64_t mine = 0, theirs = 0;
    std::memcpy(&mine, one.data() + from, size);
    std::memcpy(&theirs, other.data() + from, size);
    difference |= mine ^ theirs;
  };
  std::size_t from = 0;
  for (; from + sizeof difference <= one.size(); from += sizeof difference)
    compare(from, sizeof difference);
  if (from < one.size())
    compare(from, one.size() - from);
  return difference == 0;
}

} // namespace troupe::protocol
