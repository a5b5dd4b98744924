#include "protocol/supervised/configured_server.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

namespace {

/// Time that a removed server keeps running for its remaining users.
constexpr auto kept_after_removal = std::chrono::minutes{1};

} // namespace

// -- users ---------------------------------------------------------------------------------

upstream_choice configured_server::wanted_alone(std::size_t unit, const std::string& owner, time_point now) {
  if (auto choice = shared_or_refused(owner, now))
    return *std::move(choice);
  auto may_be_shared = rules_.shares_modern && known_ != server_era::session;
  return rules_.bare_alone && !may_be_shared ? wanted_bare(unit, now) : give_supervised{rules_.ends_users};
}

/// Restarts after a loss, since the user outlives it.
upstream_choice configured_server::wanted_lasting(const std::string& owner, time_point now) {
  return shared_or_refused(owner, now).value_or(give_supervised{false});
}

/// Refills the pool only after the user got its process, because starting one blocks the thread of its unit. Prefers a
/// process on the user's unit, but any will do.
upstream_choice configured_server::wanted_bare(std::size_t unit, time_point now) {
  fill_by(now);
  if (pool_.empty())
    return give_bare{};
  auto found = std::find_if(pool_.begin(), pool_.end(), [&](auto& one) { return one.unit == unit; });
  if (found == pool_.end())
    found = pool_.begin();
  give_pooled result{found->number};
  pool_.erase(found);
  return result;
}

std::optional<upstream_choice> configured_server::shared_or_refused(const std::string& owner, time_point now) {
  if (retired_)
    return refuse_user{"the MCP server was removed from the configuration"};
  if (is_searching())
    return wait_for_era{};
  if (is_for_all() || (rules_.by_owner && !owner.empty())) {
    auto whose = is_for_all() ? std::string{} : owner;
    return give_shared{shared_.insert_or_assign(whose, now).second, std::move(whose)};
  }
  if (auto pause = pool_.empty() ? breaker_.claims(now) : std::nullopt)
    return refuse_user{"The MCP server does not start; the next try is in " + seconds_text(*pause)};
  if (rules_.shares_modern && known_ == server_era::automatic && search_ == search::not_begun) {
    search_ = search::under_way;
    search_until_ = now + era_patience;
  }
  return std::nullopt;
}

// -- the era -------------------------------------------------------------------------------

void configured_server::end_search() {
  search_until_ = time_point::max();
  if (is_searching())
    search_ = search::over;
}

void configured_server::searcher_left() {
  search_until_ = time_point::max();
  if (is_searching())
    search_ = search::not_begun;
}

/// Users of the shared upstream lose it when the server turns out to have sessions only.
configured_server_effects configured_server::era_found(server_era is, time_point now, bool is_doubtful) {
  if (is_doubtful) {
    believe_with_doubt(is, now);
    return {};
  }
  known_ = is;
  doubt_.reset();
  known_until_ = is == server_era::session ? now + session_era_time : time_point::max();
  if (is_modern() || !rules_.shares_modern || shared_.erase(std::string{}) == 0)
    return {};
  return {retire_shared{}};
}

/// Users that met the same silence report one doubt. A doubt long after the last restarts with the shortest time.
void configured_server::believe_with_doubt(server_era is, time_point now) {
  if (doubt_.last() != backoff::duration::zero() && now < known_until_)
    return;
  if (now - session_era_time >= known_until_)
    doubt_.reset();
  known_ = is;
  known_until_ = now + doubt_.next();
}

/// A user that did not wait starts a second process, which remains that user's own.
bool configured_server::greeted(bool is_modern, time_point now) {
  end_search();
  known_ = is_modern ? server_era::stateless : server_era::session;
  known_until_ = time_point::max();
  return is_modern && !retired_ && shared_.try_emplace(std::string{}, now).second;
}

// -- starts --------------------------------------------------------------------------------

configured_server_effects configured_server::begin(time_point now) {
  fill_by(now);
  if (!is_for_all() || !rules_.eager)
    return {};
  shared_[{}] = now;
  return {start_shared{}};
}

/// A loss after a steady run is not a failed start.
std::optional<std::chrono::milliseconds> configured_server::start_failed(std::string why, std::chrono::milliseconds age,
                                                                         time_point now) {
  end_search();
  if (age >= rules_.restarts.steady)
    return std::nullopt;
  why_not_started_ = std::move(why);
  breaker_.failed(now);
  return breaker_.refuses(now);
}

void configured_server::start_prevented() {
  end_search();
  breaker_.unclaim();
}

// -- the pool ------------------------------------------------------------------------------

void configured_server::pooled_lost(std::uint64_t number, time_point now) {
  std::erase_if(pool_, [&](auto& one) { return one.number == number; });
  fill_by(now + rules_.restarts.first_delay);
}

void configured_server::fill_by(time_point when) {
  if (rules_.pool != 0 && !retired_)
    fill_at_ = std::min(fill_at_, when);
}

void configured_server::fill(time_point now, configured_server_effects& out) {
  fill_at_ = time_point::max();
  if (auto pause = breaker_.refuses(now))
    return fill_by(now + *pause);
  for (; pool_.size() < rules_.pool; ++started_) {
    auto& added = pool_.emplace_back(pooled{started_, started_ % rules_.units});
    out.push_back(start_pooled{added.number, added.unit});
  }
}

// -- the end -------------------------------------------------------------------------------

configured_server_effects configured_server::retire(time_point now) {
  configured_server_effects out;
  retired_ = true;
  end_search();
  fill_at_ = time_point::max();
  end_at_ = now + kept_after_removal;
  if (!std::exchange(pool_, {}).empty())
    out.push_back(stop_pool{});
  for (auto& [owner, given] : shared_)
    out.push_back(retire_shared{owner});
  return out;
}

/// Keeps an upstream given out a moment ago, which may be about to be used.
configured_server_effects configured_server::shared_unused(const std::string& owner, time_point now) {
  auto found = shared_.find(owner);
  if (found == shared_.end() || now - found->second < unused_time)
    return {};
  shared_.erase(found);
  return {retire_shared{owner}};
}

/// Shared upstreams end by themselves, with their last user.
void configured_server::end_unless_used(time_point now, configured_server_effects& out) {
  end_at_ = shared_.empty() ? time_point::max() : now + kept_after_removal;
  if (shared_.empty())
    out.push_back(end_server{});
}

// -- time ----------------------------------------------------------------------------------

configured_server_effects configured_server::tick(time_point now) {
  configured_server_effects out;
  if (now >= search_until_)
    end_search();
  if (now >= fill_at_)
    fill(now, out);
  if (now >= end_at_)
    end_unless_used(now, out);
  return out;
}

time_point configured_server::deadline() const { return std::min({fill_at_, end_at_, search_until_}); }

} // namespace troupe::protocol
