#include "protocol/cluster/session_searches.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

namespace {

using outcome = search_outcome::outcome;

bool contains_node(const std::vector<std::string>& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

} // namespace

store_effects session_searches::searched(const std::string& session, std::vector<std::string> alive,
                                         std::string uncertain_owner, moment can_ask, time_point now) {
  if (searches_.size() >= most && !searches_.contains(session))
    return {search_outcome{session, outcome::unavailable}};
  search one{std::move(alive), std::move(uncertain_owner), time_point::max(), now + patience_};
  if (!searches_.try_emplace(session, std::move(one)).second)
    return {};
  return ask(session, can_ask, now);
}

void session_searches::nodes_alive(const std::vector<std::string>& alive) {
  for (auto& [session, one] : searches_)
    one.alive = alive;
}

store_effects session_searches::ask(const std::string& session, moment can_ask, time_point now) {
  auto over = over_.find(session);
  if (over != over_.end())
    return tell({session, {}}, over->second ? outcome::over : outcome::unavailable);
  auto& one = searches_.at(session);
  one.next = time_point::max();
  one.is_covered = is_held_;
  if (can_ask == moment::now)
    return {take_over_session{session, one.number = ++last_number_}};
  if (can_ask == moment::never || now >= one.until)
    return tell({session, {}}, outcome::unavailable);
  one.next = now + pause;
  return {};
}

bool session_searches::end_pause(const std::string& session, time_point now) {
  auto found = searches_.find(session);
  if (found == searches_.end() || found->second.next == time_point::max())
    return false;
  found->second.next = now;
  return true;
}

std::vector<std::string> session_searches::due(time_point now) const {
  std::vector<std::string> result;
  for (auto& [session, one] : searches_)
    if (one.next <= now)
      result.push_back(session);
  return result;
}

time_point session_searches::deadline() const {
  auto result = time_point::max();
  for (auto& [session, one] : searches_)
    result = std::min(result, one.next);
  return result;
}

// -- answers ---------------------------------------------------------------------------------

/// If the tenure lapsed since the query, the store may have given the session to another node: it is queried again. A
/// `lost` answer went with its connection, which is re-established.
bool session_searches::may_change(const search& of, const search_result& what) const {
  switch (what.answer.is) {
  case store_verdict::done:
    return !is_held_ || !of.is_covered;
  case store_verdict::busy:
    return !contains_node(of.alive, what.owner) || what.owner == of.uncertain_owner;
  case store_verdict::lapsed:
  case store_verdict::untold:
  case store_verdict::lost:
    return true;
  default:
    return false;
  }
}

store_effects session_searches::found(search_result&& what, time_point now) {
  auto found = searches_.find(what.session);
  if (found == searches_.end())
    return {};
  auto& one = found->second;
  if (may_change(one, what) && now < one.until) {
    one.next = now + pause;
    one.uncertain_owner.clear();
    return {};
  }
  auto is = outcome_of(one, what);
  return tell(std::move(what), is);
}

/// A session taken in a tenure that has ended since is not ours.
outcome session_searches::outcome_of(const search& of, const search_result& what) const {
  switch (what.answer.is) {
  case store_verdict::done:
    return is_held_ && of.is_covered ? outcome::ours : outcome::unavailable;
  case store_verdict::busy:
    return contains_node(of.alive, what.owner) ? outcome::elsewhere : outcome::unavailable;
  case store_verdict::unknown:
    return outcome::unknown;
  default:
    return outcome::unavailable;
  }
}

store_effects session_searches::tell(search_result&& what, outcome is) {
  auto number = searches_.extract(what.session).mapped().number;
  search_outcome result{std::move(what.session), is};
  if (is == outcome::elsewhere || is == outcome::ours)
    result.owner = std::move(what.owner);
  if (is == outcome::ours) {
    result.record = std::move(what.record);
    result.events = std::move(what.events);
    result.taken = number;
  }
  store_effects effects;
  effects.push_back(std::move(result));
  return effects;
}

// -- sessions lost to others -----------------------------------------------------------------

void session_searches::end(const std::string& session, bool has_forgotten) {
  if (over_.size() >= most_over)
    over_.clear();
  over_[session] = has_forgotten;
}

void session_searches::store_is_new() {
  for (auto& [session, has_forgotten] : over_)
    has_forgotten = false;
}

bool session_searches::extract_unforgotten(const std::string& session) {
  auto over = over_.find(session);
  auto result = over != over_.end() && !over->second;
  if (result)
    over_.erase(over);
  return result;
}

void session_searches::tenure_moved() {
  for (auto& [session, one] : searches_)
    one.is_covered = false;
}

void session_searches::tenure_ended() {
  is_held_ = false;
  tenure_moved();
}

} // namespace troupe::protocol
