#pragma once

#include "protocol/cluster/store_effects.hpp"
#include "protocol/time.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
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
  /// The session is over. Searches say so from now on, or, unless the store `has_forgotten` it, `unavailable`.
  void end(const std::string& session, bool has_forgotten);
  /// The store may have sessions again that it had forgotten.
  void store_is_new();
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

} // namespace troupe::protocol
