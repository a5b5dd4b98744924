#include "protocol/message/cache_hints.hpp"

#include "protocol/text/json.hpp"
#include "protocol/text/number.hpp"

#include <algorithm>

namespace troupe::protocol {

cache_hints cache_hints_of(std::string_view result) {
  return {unsigned_number(find_member(result, {"ttlMs"}).value_or("")).value_or(0),
          find_member(result, {"cacheScope"}) == R"("public")"};
}

cache_hints narrower(cache_hints one, cache_hints other) {
  return {std::min(one.ttl, other.ttl), one.is_public && other.is_public};
}

std::string cache_members(cache_hints hints) {
  return R"("ttlMs":)" + std::to_string(hints.ttl) + R"(,"cacheScope":)" +
         (hints.is_public ? R"("public")" : R"("private")");
}

void make_private(std::string_view text, std::string_view result, std::vector<edit>& edits) {
  for (object_reader members{result}; members.next();)
    if (members.key() == "cacheScope")
      edits.push_back(replacing(text, members.value(), R"("private")"));
}

} // namespace troupe::protocol
