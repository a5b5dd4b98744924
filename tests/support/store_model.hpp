#pragma once

#include "tests/support/store_driver.hpp"

#include "protocol/cluster/store_writes.hpp"
#include "protocol/cluster/tenure.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace troupe::tests {

/// A model of the scripts in `actors/cluster/redis_scripts.cpp`, with Redis' clock and without events.
class store_model {
public:
  explicit store_model(std::chrono::milliseconds tenure_time) : tenure_time_{tenure_time} {}

  store_answer renew(const std::string& owner, const renew_tenure& what, time_point now) {
    auto is_known = known_.contains(owner), is_lapsed = !runs(owner, now);
    auto has_lost = notice_loss(owner, what.seen, now);
    if (is_lapsed && is_known)
      untold_until_ = now + tenure::untold_for(tenure_time_);
    tenures_[owner] = now + tenure_time_;
    auto& [renewal, taken] = known_[owner];
    renewal = std::max(renewal, what.number);
    taken = std::max(taken, what.seen.taken);
    auto is = is_lapsed ? store_verdict::lapsed : store_verdict::done;
    auto is_moved = has_lost || (is_lapsed && now < moved_until_);
    return {!is_known ? store_verdict::emptied : is_moved ? store_verdict::moved : is, {}, 0, process()};
  }
  void leave(const std::string& owner) { tenures_.erase(owner); }
  store_verdict write(const std::string& owner, const store_write& what, time_point now) {
    auto found = sessions_.find(what.session);
    auto is_own = found != sessions_.end() && found->second.owner == owner;
    auto gives_way = what.claim.is_held && found != sessions_.end() && !runs(found->second.owner, now);
    auto is_foreign = found != sessions_.end() && !is_own && !gives_way;
    switch (what.what) {
    case store_task::give_back:
      if (is_own && found->second.taken == what.taken)
        found->second.owner.clear();
      return store_verdict::done;
    case store_task::forget:
      if (!is_foreign && found != sessions_.end() && found->second.taken != 0)
        over_.insert(what.session);
      if (!is_foreign)
        sessions_.erase(what.session);
      return is_foreign ? store_verdict::foreign : store_verdict::done;
    default:
      if (is_foreign || over_.contains(what.session))
        return store_verdict::foreign;
      if (!runs(owner, now))
        return store_verdict::lapsed;
      if (what.what == store_task::claim && found == sessions_.end() && !what.claim.is_new_store)
        return store_verdict::unknown;
      sessions_[what.session].owner = owner;
      sessions_[what.session].record = what.record;
      return store_verdict::done;
    }
  }
  search_result take_over(const std::string& owner, const take_over_session& what, const store_sight& seen,
                          time_point now) {
    auto& session = what.session;
    notice_loss(owner, seen, now);
    if (!runs(owner, now))
      return {session, {store_verdict::lapsed}};
    auto found = sessions_.find(session);
    if (found == sessions_.end())
      return {session, {now < untold_until_ ? store_verdict::untold : store_verdict::unknown}};
    auto& one = found->second;
    if (one.owner != owner && runs(one.owner, now))
      return {session, {store_verdict::busy}, one.owner};
    if (now < moved_until_)
      return {session, {store_verdict::untold}};
    one.taken = what.number;
    known_[owner].second = std::max(known_[owner].second, what.number);
    return {session, {store_verdict::done}, std::exchange(one.owner, owner), one.record};
  }
  /// Restarts empty.
  void wipe() { restart_with(store_model{tenure_time_}); }
  /// Restarts with data that it had before.
  void restart_with(const store_model& before) {
    auto processes = processes_;
    *this = before;
    processes_ = processes + 1;
  }

  bool runs(const std::string& owner, time_point now) const {
    auto found = tenures_.find(owner);
    return found != tenures_.end() && now < found->second;
  }
  /// Whether the session is stored for a different owner.
  bool is_foreign(const std::string& session, const std::string& owner) const {
    auto found = sessions_.find(session);
    return found != sessions_.end() && found->second.owner != owner;
  }
  bool has(const std::string& session) const { return sessions_.contains(session); }

private:
  struct kept {
    std::string owner;
    std::string record;
    std::uint64_t taken = 0;
  };

  std::string process() const { return std::to_string(processes_); }
  bool notice_loss(const std::string& owner, const store_sight& seen, time_point now) {
    auto differs = [this](const std::string& one) { return !one.empty() && one != process(); };
    auto& [renewal, taken] = known_[owner];
    auto has_lost = renewal < seen.renewal || taken < seen.taken || differs(last_process_) || differs(seen.process);
    if (has_lost && !last_process_.empty())
      moved_until_ = now + tenure::pause_for(tenure_time_);
    if (has_lost || last_process_.empty())
      untold_until_ = now + tenure::untold_for(tenure_time_);
    last_process_ = process();
    return has_lost;
  }

  std::chrono::milliseconds tenure_time_;
  std::map<std::string, kept> sessions_;
  /// Sessions that were taken, and have ended.
  std::set<std::string> over_;
  std::map<std::string, time_point> tenures_;
  /// Numbers of the last renewal and of the last take-over of each owner.
  std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> known_;
  /// Number of the process that has the data, and the process that had them when they were last written.
  std::uint64_t processes_ = 1;
  std::string last_process_;
  time_point moved_until_ = time_point::min();
  time_point untold_until_ = time_point::min();
};

} // namespace troupe::tests
