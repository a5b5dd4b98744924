#pragma once

#include "protocol/cluster/store_effects.hpp"
#include "protocol/cluster/store_writes.hpp"
#include "protocol/cluster/tenure.hpp"
#include "protocol/log.hpp"
#include "protocol/time.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace troupe::protocol {

/// Searches for sessions in the store.
///
/// While the owner of a session may still live, the search is repeated until the owner's tenure must have ended. A
/// reachable owner is not waited for: it can be queried itself. No search waits longer than that for an unreachable
/// store, or for this node's own tenure.
class session_searches {
public:
  /// Time between two queries for a session.
  static constexpr std::chrono::milliseconds pause{250};
  /// Extra time to wait for the end of a tenure, in addition to its length.
  static constexpr std::chrono::milliseconds grace{1000};
  /// Limit of searches at a time.
  static constexpr std::size_t most = 1000;
  /// Limit of sessions remembered as over; above it all are dropped.
  static constexpr std::size_t most_over = 100'000;

  /// When the store can be queried for a session; `never` if waiting is useless.
  enum class moment { now, later, never };

  /// `tenure_time`: how long a node's tenure runs after its renewal.
  explicit session_searches(std::chrono::milliseconds tenure_time) : patience_{tenure_time + grace} {}

  // -- facts
  /// Starts a search. `alive` are owners that are reachable. One of them, `uncertain_owner`, could not tell, and
  /// has one `pause` to find out. A session that is sought already yields one answer in all.
  store_effects searched(const std::string& session, std::vector<std::string> alive, std::string uncertain_owner,
                         moment can_ask, time_point now);
  /// Other owners are reachable from now on: a search under way ends where one of them has the session.
  void nodes_alive(const std::vector<std::string>& alive);
  /// Queries the store again.
  store_effects ask(const std::string& session, moment can_ask, time_point now);
  /// Takes the store's answer.
  store_effects found(search_result&& what, time_point now);
  /// The tenure of this node runs from now on.
  void tenure_runs() { is_held_ = true; }
  /// The store has lost data: it may not know that it gave this node the sessions whose answers are still due.
  void tenure_moved();
  /// The tenure has ended: other nodes may take the sessions whose answers are still due.
  void tenure_ended();
  /// The session is over. It is unknown from now on, or, unless the store `has_forgotten` it, unavailable.
  void end(const std::string& session, bool has_forgotten);
  /// Removes a session that is over, but that the store has not forgotten; false if it is none.
  bool extract_unforgotten(const std::string& session);
  /// Ends the pause of a search; false if none pauses.
  bool end_pause(const std::string& session, time_point now);

  /// Sessions to query the store for now.
  std::vector<std::string> due(time_point now) const;
  /// Time of the first query due.
  time_point deadline() const;

private:
  struct search {
    /// Owners that are reachable, and need not be waited for.
    std::vector<std::string> alive;
    std::string uncertain_owner;
    /// Time of the next query; max() while an answer is awaited.
    time_point next;
    time_point until;
    /// Number of the last query.
    std::uint64_t number = 0;
    /// Whether the tenure has run ever since the last query.
    bool is_covered = false;
  };

  bool may_change(const search& of, const search_result& what) const;
  search_outcome::outcome outcome_of(const search& of, const search_result& what) const;
  store_effects tell(search_result&& what, search_outcome::outcome is);

  std::chrono::milliseconds patience_;
  bool is_held_ = false;
  std::map<std::string, search> searches_;
  /// Sessions that are over here, and whether the store has forgotten them.
  std::map<std::string, bool> over_;
  std::uint64_t last_number_ = 0;
};

/// Log filter for failures of the store. A failed write is logged once until one succeeds; a session with another owner
/// is logged once for each session.
class store_failure_log {
public:
  /// Limit of remembered sessions; above it all are forgotten.
  static constexpr std::size_t most_foreign = 1000;

  std::optional<log_note> not_kept(const std::string& why);
  void kept() { is_troubled_ = false; }
  std::optional<log_note> foreign(const std::string& session);
  /// The session is over, or is this node's again.
  void forget(const std::string& session) { foreign_.erase(session); }

private:
  bool is_troubled_ = false;
  std::set<std::string> foreign_;
};

/// Sessions of a node in the store (Redis) that the nodes share: the node's tenure, the queue of writes, and the
/// searches for sessions of other nodes. Facts in, effects out.
///
/// Two nodes never answer for one session. A node answers only while its tenure runs (see `tenure`). The store lets
/// only the owner write to a session, while its tenure runs there; other nodes may take the session only after that. A
/// store that has lost data may name an earlier owner: the node claims its sessions before it writes to them again.
class session_store {
public:
  /// `tenure_time`: how long a node's tenure runs in the store after its renewal.
  session_store(std::chrono::milliseconds tenure_time, const store_limits& waiting);

  // -- facts of the sessions of this node
  void remember(const std::string& session, std::string record);
  /// Claims a session that was this node's before; `claimed` or `end_foreign_session` follows.
  void claim(const std::string& session, std::string record, session_claim how);
  /// Remembers the record of a session from before a `move_tenure`: claims the session with it, unless that was done.
  void remember_moved(const std::string& session, std::string record, session_claim how);
  /// Later writes of the session come from before a `move_tenure`: they wait for its claim, unless that was made.
  void await_claim(const std::string& session) { writes_.await_claim(session); }
  store_effects keep(const std::string& session, saved_event what);
  /// An event of the session is not kept; the earlier ones are dropped, too.
  void miss(const std::string& session) { writes_.miss(session); }
  /// The session is over. `session_gone` follows, or `end_foreign_session` if another node has it. `is_held`: see
  /// `session_claim`.
  void forget(const std::string& session, bool is_held = false);
  /// The session ends here at once: its pending writes are dropped.
  void give_up(const std::string& session) { writes_.drop(session); }
  /// Gives back a session taken by the query `taken` that does not begin here; no effect if taken again since.
  void give_back(const std::string& session, std::uint64_t taken);
  /// The session ends here. Other nodes may have it once its pending writes are done.
  void release(const std::string& session) { writes_.release(session); }
  /// Searches for a session. `alive` are reachable owners, not waited for, except `uncertain_owner`. If the store could
  /// not forget the session, this is tried again.
  store_effects searched(const std::string& session, std::vector<std::string> alive, std::string uncertain_owner,
                         time_point now);
  /// The reachable owners have changed, for the searches under way.
  void nodes_alive(const std::vector<std::string>& alive) { searches_.nodes_alive(alive); }

  // -- facts of the store
  store_effects reached(store_connection by, time_point now);
  store_effects lost(store_connection by, const std::string& why, time_point now);
  /// Takes the answer to `renew_tenure`.
  store_effects renewed(const store_answer& answer, time_point now);
  /// Takes the answer to a `next_write`; `term`: that of a claim, 0 for other writes.
  store_effects written(const std::string& session, store_task what, const store_answer& answer, time_point now,
                        std::uint64_t term = 0);
  /// Takes the answer to `take_over_session`.
  store_effects found(search_result&& what, time_point now);
  store_effects tick(time_point now);

  // -- pending writes and times
  /// Next write to send now; to be called after each fact.
  std::optional<store_write> next_write();
  /// Next write regardless of the limits on writes in flight; for a node that is about to exit.
  std::optional<store_write> next_write_unlimited();
  /// When `tick` has something to do.
  time_point deadline() const;
  bool reaches(store_connection by) const { return tenure_.reaches(by); }
  /// Knowledge about the store since the last renewal.
  const store_sight& seen() const { return tenure_.seen(); }
  /// Number of the last connection for writes.
  std::uint64_t writer() const { return tenure_.writer(); }

private:
  session_searches::moment can_ask(const std::string& session, time_point now) const;
  void search_due(time_point now, store_effects& out);
  void log_failure(const store_answer& answer, store_effects& out);
  void forgot(const std::string& session, bool is_done, store_effects& out);
  void give_up_unknown(const std::string& session, store_effects& out);
  void disown_foreign(const std::string& session, store_effects& out);
  void doubt(const std::string& session, store_effects& out);
  store_effects follow(store_effects effects);
  void follow(const store_effect& effect);

  tenure tenure_;
  store_writes writes_;
  session_searches searches_;
  store_failure_log failure_log_;
};

} // namespace troupe::protocol
