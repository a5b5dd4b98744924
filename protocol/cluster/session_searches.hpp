#pragma once

#include "protocol/cluster/store_effects.hpp"
#include "protocol/time.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace troupe::protocol {

/// The searches for sessions in the store.
///
/// A session whose owner may still live is asked for again until its tenure must have run out, unless the owner is
/// there and can be asked itself. No search waits longer than that for a store that is lost, or for this node's own
/// tenure.
class session_searches {
public:
  /// How often a session is asked for.
  static constexpr std::chrono::milliseconds pause{250};
  /// How much longer than a tenure can run its end is waited for.
  static constexpr std::chrono::milliseconds grace{1000};
  /// Searches at a time.
  static constexpr std::size_t most = 1000;
  /// Sessions that are remembered to be over; beyond that all are forgotten.
  static constexpr std::size_t most_forgotten = 100'000;

  /// Whether the store can be asked for a session: at once, later, or there is no use in waiting for that.
  enum class moment { now, later, never };

  /// `tenure_time` is how long the tenure of any node runs.
  explicit session_searches(std::chrono::milliseconds tenure_time) : patience_{tenure_time + grace} {}

  // -- facts
  /// `alive` are owners that are there; the `doubted` one of them could not tell, and has one `pause` to find out. A
  /// session that is sought already is told of once.
  store_effects sought(const std::string& session, std::vector<std::string> alive, std::string doubted, moment can_ask,
                       time_point now);
  /// It is time to ask again.
  store_effects ask(const std::string& session, moment can_ask, time_point now);
  /// What was asked for was found, or not.
  store_effects found(search_result&& what, time_point now);
  /// The tenure of this node runs from now on.
  void tenure_runs() { is_held_ = true; }
  /// It has run out: others may take what was asked for and is not answered yet.
  void tenure_ended();
  /// The session is over, and unknown from now on, whether the store has heard of that or not.
  void forget(const std::string& session);
  /// Ends the pause of a search; false when there is none.
  bool hasten(const std::string& session, time_point now);

  /// Those that are to be asked for.
  std::vector<std::string> due(time_point now) const;
  /// When the first is.
  time_point deadline() const;

private:
  struct search {
    /// Owners that are there, and need not be waited for.
    std::vector<std::string> alive;
    std::string doubted;
    /// When to ask again; at no time while an answer is awaited.
    time_point next;
    time_point until;
    /// Of the last question.
    std::uint64_t number = 0;
    /// The tenure has run ever since this was asked for.
    bool is_covered = false;
  };

  bool may_change(const search& of, const search_result& what) const;
  tell_seeker::outcome outcome_of(const search& of, const search_result& what) const;
  store_effects tell(search_result&& what, tell_seeker::outcome is);

  std::chrono::milliseconds patience_;
  bool is_held_ = false;
  std::map<std::string, search> searches_;
  std::set<std::string> forgotten_;
  std::uint64_t last_number_ = 0;
};

} // namespace troupe::protocol
