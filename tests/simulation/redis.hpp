#pragma once

#include "tests/simulation/scheduler.hpp"

#include "protocol/cluster/store_effects.hpp"
#include "protocol/cluster/store_writes.hpp"

#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace troupe::tests::simulation {

/// The data of the store, and the scripts of `actors/cluster/redis_scripts.cpp` on them. `store_model` of
/// `tests/support` is the same without events.
class redis_data {
public:
  /// The store gives a session to any node that asks, unless it `checks`.
  redis_data(span_of_time tenure_time, bool checks) : tenure_time_{tenure_time}, checks_{checks} {}

  /// A process of that id serves the data from now on.
  void serve_by(std::string process) { process_ = std::move(process); }
  const std::string& process() const { return process_; }
  store_answer renew(const std::string& owner, const renew_tenure& what, time_point now);
  store_answer write(const std::string& owner, const store_write& what, time_point now);
  search_result take_over(const std::string& owner, const take_over_session& what, const store_sight& seen,
                          time_point now);
  bool has(const std::string& session) const { return sessions_.contains(session); }
  bool runs(const std::string& owner, time_point now) const;
  /// The node gives its tenure up.
  void leave(const std::string& owner) { tenures_.erase(owner); }
  span_of_time tenure_time() const { return tenure_time_; }

private:
  struct kept {
    std::string owner = {};
    std::string record = {};
    std::uint64_t taken = 0;
    std::map<exchange_id, std::string> roles = {};
    std::vector<saved_event> events = {};
  };

  bool differs(const std::string& process) const { return !process.empty() && process != process_; }
  bool lacks_seen(const std::string& owner, const store_sight& seen) const;
  bool notice_loss(const std::string& owner, const store_sight& seen, time_point now);
  void begin_untold(time_point now);
  store_answer save(const std::string& owner, const store_write& what, time_point now);
  static store_answer append(kept& to, const saved_event& what);
  static std::size_t bytes_of(const kept& one);

  span_of_time tenure_time_;
  bool checks_;
  std::map<std::string, kept> sessions_;
  /// Sessions that were taken, and have ended.
  std::set<std::string> over_;
  std::map<std::string, time_point> tenures_;
  /// Numbers of the last renewal and of the last take-over of each owner.
  std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> known_;
  /// Process that serves the data, and the one that did when they were written.
  std::string process_;
  std::string last_process_;
  time_point moved_until_ = time_point::min();
  time_point untold_until_ = time_point::min();
};

/// The store as a process: its data, earlier versions of them, and times in which it does not answer.
class redis_server {
public:
  redis_server(scheduler& time, span_of_time tenure_time, bool checks)
      : time_{time}, empty_{tenure_time, checks}, data{empty_} {
    begin_process();
  }

  // -- faults
  void hang(span_of_time how_long) { hangs_until_ = std::max(hangs_until_, time_.now() + how_long); }
  /// Restarts it without data.
  void wipe();
  /// Restarts it with the data of about that time ago: a snapshot, or a replica that lacked the last writes.
  void go_back(span_of_time how_far);
  /// Restores the data of about that time ago in the running process.
  void restore(span_of_time how_far);
  /// Remembers the data as they are now.
  void take_snapshot();

  bool hangs() const { return time_.now() < hangs_until_; }
  time_point hangs_until() const { return hangs_until_; }
  /// Whether it may have lost what happened in that time: it has gone back to before. An empty store has no session
  /// that has ended.
  bool may_have_lost(time_point from, time_point to) const;
  /// When the running process has last loaded older data.
  time_point restored_at() const { return restored_at_; }

private:
  void load(span_of_time how_far);
  void begin_process() { data.serve_by("process " + std::to_string(++processes_)); }

  scheduler& time_;
  redis_data empty_;
  std::uint64_t processes_ = 0;
  time_point hangs_until_ = time_point::min();
  time_point restored_at_ = time_point::min();
  /// Times that it has lost.
  std::vector<std::pair<time_point, time_point>> lost_;
  std::deque<std::pair<time_point, redis_data>> snapshots_;

public:
  redis_data data;
};

} // namespace troupe::tests::simulation
