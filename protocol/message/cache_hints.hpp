#pragma once

#include "protocol/message/splice.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// Caching rules of a result: how long and for whom a client may store it (2026-07-28, caching).
struct cache_hints {
  /// Lifetime in milliseconds.
  std::uint64_t ttl = 0;
  /// Whether the result is the same for all users.
  bool is_public = false;

  friend bool operator==(const cache_hints&, const cache_hints&) = default;
};

/// Hints of a result that any client may store for the longest time.
inline constexpr cache_hints widest_hints{UINT64_MAX, true};

/// Reads the hints of a result, a JSON object. Absent or invalid members mean a lifetime of zero, and private.
cache_hints cache_hints_of(std::string_view result);

/// Returns the hints of a result that is made of two.
cache_hints narrower(cache_hints one, cache_hints other);

/// Formats the members `ttlMs` and `cacheScope`, without braces.
std::string cache_members(cache_hints hints);

/// Adds the edits that make a result, which is in this text, private: it is not the same for all users, regardless of
/// its `cacheScope`. A result without that member is private already.
void make_private(std::string_view text, std::string_view result, std::vector<edit>& edits);

} // namespace troupe::protocol
