#include "actors/access/caller_tokens.hpp"

#include "actors/runtime/calendar.hpp"

#include <algorithm>
#include <chrono>

namespace troupe::actors {

namespace {

constexpr std::chrono::hours longest_kept{1};

} // namespace

void caller_tokens::put(const protocol::caller& who, std::string_view token, protocol::time_point now) {
  if (!are_wanted_ || !who || !protocol::has_token(*who) || token.empty())
    return;
  auto end = protocol::good_until(*who);
  auto until = end ? std::min(time_of(*end, now), now + longest_kept) : now + longest_kept;
  tokens_.with([&](auto& all) { all.put(protocol::identity_of(who), token, protocol::scopes_key(*who), until); });
}

protocol::presented_token caller_tokens::find(const protocol::caller& who, protocol::time_point now) {
  if (!who)
    return {};
  return tokens_.with([&](auto& all) { return all.find(protocol::identity_of(who), protocol::scopes_key(*who), now); });
}

protocol::presented_token caller_tokens::last(const protocol::caller& who, protocol::time_point now) {
  return tokens_.with([&](auto& all) { return all.last(protocol::identity_of(who), now); });
}

} // namespace troupe::actors
