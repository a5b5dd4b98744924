#pragma once

#include "tests/support/store_driver.hpp"

#include "protocol/cluster/store_writes.hpp"

#include <map>
#include <set>
#include <string>

namespace troupe::tests {

/// A model of the scripts in `actors/cluster/redis_scripts.cpp`, with Redis' clock and without events.
class store_model {
public:
  explicit store_model(std::chrono::milliseconds tenure_time) : tenure_time_{tenure_time} {}

  store_verdict renew(const std::string& owner, bool has_run, time_point now) {
    auto is_known = known_.contains(owner), is_lapsed = !runs(owner, now);
    tenures_[owner] = now + tenure_time_;
    known_.insert(owner);
    if (!is_known && has_run)
      unannounced_until_ = now + 3 * tenure_time_;
    if (!is_known)
      return store_verdict::emptied;
    return is_lapsed ? store_verdict::lapsed : store_verdict::done;
  }
  void leave(const std::string& owner) { tenures_.erase(owner); }
  store_verdict write(const std::string& owner, const store_write& what, time_point now) {
    auto found = sessions_.find(what.session);
    auto is_own = found != sessions_.end() && found->second.owner == owner;
    auto is_foreign = found != sessions_.end() && !is_own;
    switch (what.what) {
    case store_task::give_back:
      if (is_own && found->second.taken == what.taken)
        found->second.owner.clear();
      return store_verdict::done;
    case store_task::forget:
      if (is_own)
        sessions_.erase(found);
      return is_foreign ? store_verdict::foreign : store_verdict::done;
    default:
      if (is_foreign || !runs(owner, now))
        return is_foreign ? store_verdict::foreign : store_verdict::lapsed;
      if (what.what == store_task::claim && !is_own && !what.claim.is_new_store)
        return store_verdict::unknown;
      sessions_[what.session].owner = owner;
      sessions_[what.session].record = what.record;
      return store_verdict::done;
    }
  }
  search_result take_over(const std::string& owner, const std::string& session, std::uint64_t number, time_point now) {
    if (!runs(owner, now))
      return {session, {store_verdict::lapsed}};
    auto found = sessions_.find(session);
    if (found == sessions_.end())
      return {session, {now < unannounced_until_ ? store_verdict::untold : store_verdict::unknown}};
    auto& one = found->second;
    if (one.owner != owner && runs(one.owner, now))
      return {session, {store_verdict::busy}, one.owner};
    one.owner = owner;
    one.taken = number;
    return {session, {store_verdict::done}, {}, one.record};
  }
  /// Restarts empty.
  void wipe() {
    sessions_.clear();
    tenures_.clear();
    known_.clear();
    unannounced_until_ = time_point::min();
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

  std::chrono::milliseconds tenure_time_;
  std::map<std::string, kept> sessions_;
  std::map<std::string, time_point> tenures_;
  std::set<std::string> known_;
  time_point unannounced_until_ = time_point::min();
};

} // namespace troupe::tests
