#include "deploy/operator/all_sessions.hpp"

#include "deploy/operator/json_fields.hpp"
#include "protocol/text/json.hpp"

#include <algorithm>

namespace troupe::deploy {

namespace {

constexpr std::size_t longest_page = 1000;

operator_query query_of(const list_sessions& wish, std::uint64_t after, std::size_t limit) {
  return {{"after", std::to_string(after)},
          {"limit", std::to_string(limit)},
          {"server", wish.server},
          {"caller", wish.caller},
          {"id", wish.id},
          {"idle", !wish.idle   ? ""
                   : *wish.idle ? "true"
                                : "false"}};
}

/// The elements of an array, without its brackets.
std::string elements(std::string_view text, std::string_view name) {
  const auto array = protocol::find_member(text, {name});
  if (!array || !array->starts_with('['))
    return {};
  return std::string{protocol::trimmed(array->substr(1, array->size() - 2))};
}

} // namespace

found_sessions find_sessions(const operator_client& client, const list_sessions& wish) {
  found_sessions result;
  std::string listed;
  std::uint64_t after = 0;
  std::uint64_t next = 0;
  do {
    after = next;
    const auto limit = std::min(wish.limit - result.sessions.size(), longest_page);
    const auto page = client.get("/api/sessions", query_of(wish, after, limit));
    const auto& sessions = array_at(page.value, "sessions");
    result.sessions.insert(result.sessions.end(), sessions.begin(), sessions.end());
    if (const auto more = elements(page.text, "sessions"); !more.empty())
      listed += (listed.empty() ? "" : ",") + more;
    result.total = whole_at(page.value, "total");
    next = whole_at(page.value, "next");
  } while (next > after && result.sessions.size() < wish.limit);
  result.json = R"({"sessions":[)" + listed + R"(],"total":)" + std::to_string(result.total);
  result.json += next > after ? R"(,"next":)" + std::to_string(next) + '}' : "}";
  return result;
}

} // namespace troupe::deploy
