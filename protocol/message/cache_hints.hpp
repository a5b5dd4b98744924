#pragma once

#include "protocol/message/splice.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// How long and for whom a client may keep a result (2026-07-28, caching).
struct cache_hints {
  /// Milliseconds.
  std::uint64_t ttl = 0;
  /// Whether it is the same for all users.
  bool is_public = false;

  friend bool operator==(const cache_hints&, const cache_hints&) = default;
};

/// Of what may be kept longest, and by anybody.
inline constexpr cache_hints widest_hints{UINT64_MAX, true};

/// Those of a result, a JSON object. What it does not say, or wrongly, is that nothing may be kept, or by nobody else.
cache_hints cache_hints_of(std::string_view result);

/// For what is made of two results.
cache_hints narrower(cache_hints one, cache_hints other);

/// The members `ttlMs` and `cacheScope`, without braces.
std::string cache_members(cache_hints hints);

/// Makes a result, which is in this text, one that nobody else may be shown: it is not the same for all users, whatever
/// it says. One that says nothing is so already.
void make_private(std::string_view text, std::string_view result, std::vector<edit>& edits);

} // namespace troupe::protocol
