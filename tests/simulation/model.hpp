#pragma once

#include "tests/simulation/history.hpp"
#include "tests/simulation/lease_model.hpp"
#include "tests/simulation/redis.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace troupe::tests::simulation {

/// Interface of a session on one node, for the model.
class acting_session {
public:
  virtual ~acting_session() = default;
  /// Whether it may answer now: its node runs, and owns the session as far as it knows.
  virtual bool acts() const = 0;
  /// Whether it exists, even if its node is paused or waits for the store.
  virtual bool lives() const = 0;
  /// Whether the store is to keep its record.
  virtual bool is_kept() const = 0;
  virtual std::string place() const = 0;
  virtual std::size_t host() const = 0;
};

/// Truth about the sessions, whatever the nodes know: who acts for each, and which have ended. Reports broken rules
/// to the history.
class model {
public:
  /// A session may count as gone at a node of which its own has not been a member for `patience`.
  model(scheduler& time, history& log, const redis_server* store, span_of_time patience)
      : time_{time}, log_{log}, store_{store}, patience_{patience} {}

  // -- from the nodes
  lease_model& leases() { return leases_; }
  void node_starts(std::size_t host);
  void node_ends(std::size_t host);
  /// The node on a host knows these others as members from now on.
  void members(std::size_t host, const std::set<std::size_t>& others);
  void begins(const std::string& id, bool is_restored, const std::string& place);
  void enter(const std::string& id, const std::shared_ptr<acting_session>& who);
  /// A session carries out effects.
  void acts(const std::string& id, const acting_session& who);
  /// A session that has let go of its clients sends them something.
  void answers_late(const std::string& id, const std::string& place);
  /// The node of a session has decided to end it, and tells the store.
  void is_to_end(const std::string& id);
  /// The newer process of a handover has given the older one on this host up, as it hangs.
  void is_given_up(std::size_t host) { given_up_.insert(host); }
  /// A process ends for a handover whose time is not over, with so many sessions.
  void ends_for_handover(const std::string& place, std::size_t sessions);
  /// A session has ended everywhere.
  void ended(const std::string& id);
  std::uint64_t next_server() { return ++servers_; }
  /// A server has received the call of this token.
  void runs(const std::string& token);
  /// A running node fails the call of this token as lost.
  void is_lost(const std::string& token);
  /// A server receives an answer to a question that was answered, or never asked.
  void is_answered_again(const std::string& which) { log_.broken(rule::one_answer_each, which); }
  /// A server receives an answer to the question of another one.
  void is_misdirected(const std::string& what) { log_.broken(rule::own_answers_only, what); }
  /// A server does not answer the call of this token.
  void is_silent(const std::string& token) { silent_.insert(token); }
  bool gets_answer(const std::string& token) const { return !silent_.contains(token); }
  void count(std::string_view what) { log_.count(what); }
  /// A queue of that name has so many entries.
  void bounded(std::string_view queue, std::size_t size, std::size_t most);

  // -- from the clients
  /// The client has received the answer to `initialize`.
  void opened(const std::string& id);
  /// The client has received the confirmation of its DELETE.
  void deleted(const std::string& id) { all_[id].is_deleted = true; }
  /// The client has received 404 for its session.
  void is_told_gone(const std::string& id);
  /// The client sends the call of this token, or repeats it.
  void is_posted(const std::string& token) { ++calls_[token].accepted; }
  /// The call of this token is refused with 503: it does not run.
  void is_refused(const std::string& token);
  /// Records of sessions that are opened in this time, or shortly before, may not reach the store.
  void disturb(time_point from, time_point to) { disturbed_.emplace_back(from, to); }
  bool is_deleted(const std::string& id) const;
  /// Whether a session can answer somewhere, now or after it is restored.
  bool lives(const std::string& id) const;
  /// The client has the error of a call whose node was lost.
  void is_told_lost(const std::string& token);
  /// No node of the run ends without order, and none is cut off.
  void expect_order() { is_orderly_ = true; }
  /// Whether any node has the session.
  bool is_on_a_node(const std::string& id) const { return !nodes_of(id).empty(); }
  /// Whether the store may have lost the end of a session.
  bool may_have_forgotten(const std::string& id) const;
  std::size_t sessions() const { return all_.size(); }

private:
  /// Sessions of this id that live on nodes.
  std::vector<std::shared_ptr<acting_session>> nodes_of(const std::string& id) const;

  struct entry {
    std::vector<std::weak_ptr<acting_session>> on_nodes;
    bool is_to_end = false;
    bool has_ended = false;
    bool is_deleted = false;
    bool is_kept = false;
    /// When its node has decided to end it, and knew that the store has forgotten it.
    time_point ends = time_point::max();
    time_point forgotten = time_point::max();
    time_point opened = time_point::max();
  };

  /// Call of a client: how often it was sent and not refused, and how often it ran.
  struct call {
    std::size_t accepted = 0;
    std::size_t ran = 0;
  };

  bool has_run(const std::string& token) const;
  void check_runs(const std::string& token, const call& one);
  bool has_record(const entry& one) const;
  bool may_have_two_owners() const;
  bool may_be_unknown(const std::string& id) const;
  /// Whether the running store has loaded older data within that time.
  bool is_restored_within(span_of_time time) const;
  bool is_out_of_reach(std::size_t host) const;

  scheduler& time_;
  history& log_;
  const redis_server* store_;
  std::vector<std::pair<time_point, time_point>> disturbed_;
  span_of_time patience_;
  /// Hosts of the nodes that run.
  std::set<std::size_t> hosts_;
  /// Since when the node of the first host does not know that of the second as a member.
  std::map<std::pair<std::size_t, std::size_t>, time_point> apart_since_;
  std::unordered_map<std::string, entry> all_;
  /// By token.
  std::unordered_map<std::string, call> calls_;
  /// Tokens of calls that servers do not answer.
  std::unordered_set<std::string> silent_;
  bool is_orderly_ = false;
  std::set<std::size_t> given_up_;
  std::uint64_t servers_ = 0;
  lease_model leases_{log_};
};

} // namespace troupe::tests::simulation
