#include "tests/simulation/redis.hpp"

#include "protocol/cluster/sealed_session_ids.hpp"
#include "protocol/cluster/tenure.hpp"

#include <algorithm>
#include <utility>

namespace troupe::tests::simulation {

namespace {

constexpr std::size_t most_events = 1000;
constexpr std::size_t most_snapshots = 40;

} // namespace

// -- scripts ---------------------------------------------------------------------------------

bool redis_data::runs(const std::string& owner, time_point now) const {
  auto found = tenures_.find(owner);
  return found != tenures_.end() && now < found->second;
}

bool redis_data::lacks_seen(const std::string& owner, const store_sight& seen) const {
  auto found = known_.find(owner);
  auto [renewal, taken] = found == known_.end() ? std::pair<std::uint64_t, std::uint64_t>{} : found->second;
  return renewal < seen.renewal || taken < seen.taken;
}

bool redis_data::notice_loss(const std::string& owner, const store_sight& seen, time_point now) {
  auto has_lost = lacks_seen(owner, seen) || differs(last_process_) || differs(seen.process);
  if (has_lost && (!last_process_.empty() || process_.empty()))
    moved_until_ = now + tenure_time_ * 3 / 2;
  if (has_lost || (last_process_.empty() && !process_.empty()))
    begin_untold(now);
  last_process_ = process_;
  return has_lost;
}

void redis_data::begin_untold(time_point now) {
  untold_until_ = now + tenure::untold_for(std::chrono::ceil<std::chrono::milliseconds>(tenure_time_));
}

store_answer redis_data::renew(const std::string& owner, const renew_tenure& what, time_point now) {
  auto has_lost = notice_loss(owner, what.seen, now);
  auto is_known = known_.contains(owner);
  auto is_lapsed = !runs(owner, now);
  if (is_lapsed && is_known && untold_until_ != time_point::min())
    begin_untold(now);
  tenures_[owner] = now + tenure_time_;
  auto& [renewal, taken] = known_[owner];
  renewal = std::max(renewal, what.number);
  taken = std::max(taken, what.seen.taken);
  auto is_moved = has_lost || (is_lapsed && now < moved_until_);
  auto is = !is_known   ? store_verdict::emptied
            : is_moved  ? store_verdict::moved
            : is_lapsed ? store_verdict::lapsed
                        : store_verdict::done;
  return {is, {}, 0, process_};
}

std::size_t redis_data::bytes_of(const kept& one) {
  std::size_t result = 0;
  for (auto& event : one.events)
    result += event.text.size();
  return result;
}

store_answer redis_data::write(const std::string& owner, const store_write& what, time_point now) {
  auto found = sessions_.find(what.session);
  auto is_known = found != sessions_.end();
  auto is_own = is_known && found->second.owner == owner;
  if (what.what == store_task::give_back) {
    if (is_own && found->second.taken == what.taken)
      found->second.owner.clear();
    return {store_verdict::done};
  }
  auto gives_way = what.claim.is_held && is_known && !runs(found->second.owner, now);
  if (is_known && !is_own && !gives_way)
    return {store_verdict::foreign};
  if (what.what == store_task::forget) {
    if (is_known && found->second.taken != 0)
      over_.insert(what.session);
    sessions_.erase(what.session);
    return {store_verdict::done};
  }
  if (what.what == store_task::claim || what.what == store_task::record)
    return save(owner, what, now);
  if (!is_known)
    return {store_verdict::unknown};
  if (what.what == store_task::release) {
    found->second.owner.clear();
    return {store_verdict::done};
  }
  if (!runs(owner, now))
    return {store_verdict::lapsed};
  if (what.what == store_task::event)
    return append(found->second, what.event);
  found->second.events.clear();
  return {store_verdict::done};
}

store_answer redis_data::save(const std::string& owner, const store_write& what, time_point now) {
  if (over_.contains(what.session))
    return {store_verdict::foreign};
  if (!runs(owner, now))
    return {store_verdict::lapsed};
  auto is_known = sessions_.contains(what.session);
  if (what.what == store_task::claim && !is_known && !what.claim.is_new_store)
    return {store_verdict::unknown};
  auto& one = sessions_[what.session];
  if (one.owner != owner || what.claim.is_new_store)
    one = {};
  one.owner = owner;
  one.record = what.record;
  return {store_verdict::done, {}, bytes_of(one)};
}

store_answer redis_data::append(kept& to, const saved_event& what) {
  if (what.position != 0)
    to.events.push_back(what);
  else if (!what.text.empty())
    to.roles[what.stream] = what.text;
  else {
    to.roles.erase(what.stream);
    std::erase_if(to.events, [&](auto& one) { return one.stream == what.stream && one.vital; });
  }
  if (to.events.size() > most_events)
    to.events.erase(to.events.begin());
  return {store_verdict::done, {}, bytes_of(to)};
}

search_result redis_data::take_over(const std::string& owner, const take_over_session& what, const store_sight& seen,
                                    time_point now) {
  auto& session = what.session;
  notice_loss(owner, seen, now);
  if (!runs(owner, now))
    return {session, {store_verdict::lapsed}};
  auto found = sessions_.find(session);
  if (auto named = life_named_by(session); found == sessions_.end() && now >= untold_until_)
    return named != owner && runs(named, now) ? search_result{session, {store_verdict::busy}, named}
                                              : search_result{session, {store_verdict::unknown}};
  if (found == sessions_.end())
    return {session, {store_verdict::untold}};
  auto& one = found->second;
  if (one.owner != owner && checks_ && runs(one.owner, now))
    return {session, {store_verdict::busy}, one.owner};
  if (now < moved_until_)
    return {session, {store_verdict::untold}};
  search_result result{session, {store_verdict::done}, std::exchange(one.owner, owner), one.record};
  one.taken = what.number;
  known_[owner].second = std::max(known_[owner].second, what.number);
  for (auto& [stream, role] : one.roles)
    result.events.push_back({stream, 0, role});
  result.events.insert(result.events.end(), one.events.begin(), one.events.end());
  return result;
}

// -- the process -----------------------------------------------------------------------------

void redis_server::wipe() {
  data = empty_;
  begin_process();
  snapshots_.clear();
}

void redis_server::take_snapshot() {
  snapshots_.emplace_back(time_.now(), data);
  if (snapshots_.size() > most_snapshots)
    snapshots_.pop_front();
}

void redis_server::go_back(span_of_time how_far) {
  load(how_far);
  begin_process();
}

void redis_server::restore(span_of_time how_far) {
  load(how_far);
  restored_at_ = time_.now();
}

void redis_server::load(span_of_time how_far) {
  auto process = data.process();
  while (snapshots_.size() > 1 && snapshots_.back().first > time_.now() - how_far)
    snapshots_.pop_back();
  if (snapshots_.empty())
    return;
  data = snapshots_.back().second;
  data.serve_by(std::move(process));
  lost_.emplace_back(snapshots_.back().first, time_.now());
}

bool redis_server::may_have_lost(time_point from, time_point to) const {
  return std::ranges::any_of(lost_, [&](auto& one) { return one.first <= to && from <= one.second; });
}

} // namespace troupe::tests::simulation
