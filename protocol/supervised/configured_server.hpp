#pragma once

#include "protocol/backoff.hpp"
#include "protocol/message/era.hpp"
#include "protocol/supervised/restarts.hpp"
#include "protocol/time.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace troupe::protocol {

// Upstreams given to a user of a configured server.

/// No upstream; `why` is the text of the user's error.
struct refuse_user {
  std::string why;
  friend bool operator==(const refuse_user&, const refuse_user&) = default;
};

/// Supervised upstream shared by all users, or by the users of one owner.
struct give_shared {
  /// True if the shared upstream does not run yet: start it first.
  bool starts = false;
  /// Owner whose users share it; empty when all users do.
  std::string owner = {};
  friend bool operator==(const give_shared&, const give_shared&) = default;
};

/// New supervised upstream for this user alone.
struct give_supervised {
  /// True if the user ends when the server exits; otherwise the server restarts.
  bool ends_user = false;
  friend bool operator==(const give_supervised&, const give_supervised&) = default;
};

/// New process or connection without supervision, for this user alone.
struct give_bare {
  friend bool operator==(const give_bare&, const give_bare&) = default;
};

/// Process or connection from the pool, for this user alone; it leaves the pool.
struct give_pooled {
  std::uint64_t number = 0;
  friend bool operator==(const give_pooled&, const give_pooled&) = default;
};

/// No upstream yet: the user asks again once `configured_server::is_searching` is false.
struct wait_for_era {
  friend bool operator==(const wait_for_era&, const wait_for_era&) = default;
};

using upstream_choice = std::variant<refuse_user, give_shared, give_supervised, give_bare, give_pooled, wait_for_era>;

// Decisions of a configured server apart from a user's request; its actor carries them out in this order.

/// Start the upstream shared by all users, and its server.
struct start_shared {
  friend bool operator==(const start_shared&, const start_shared&) = default;
};

/// Start a process or connection for the pool.
struct start_pooled {
  /// Number in the pool; never reused.
  std::uint64_t number = 0;
  /// Number of the unit to run it on.
  std::size_t unit = 0;
  friend bool operator==(const start_pooled&, const start_pooled&) = default;
};

/// Stop all processes and connections of the pool.
struct stop_pool {
  friend bool operator==(const stop_pool&, const stop_pool&) = default;
};

/// Let the shared upstream end once its last user has left.
struct retire_shared {
  /// Owner of the upstream; empty for the upstream of all users.
  std::string owner = {};
  friend bool operator==(const retire_shared&, const retire_shared&) = default;
};

/// End the configured server itself.
struct end_server {
  friend bool operator==(const end_server&, const end_server&) = default;
};

using configured_server_effect = std::variant<start_shared, start_pooled, stop_pool, retire_shared, end_server>;
using configured_server_effects = std::vector<configured_server_effect>;

/// Rules by which users of a configured server get upstreams.
struct sharing_rules {
  /// True if all users share one upstream.
  bool shared = false;
  /// True if the users of each owner share one upstream. A user without an owner has its own.
  bool by_owner = false;
  /// True if all users share one upstream when the program speaks 2026-07-28; otherwise each has its own.
  bool shares_modern = false;
  /// True if the program is configured to speak 2026-07-28.
  bool is_modern = false;
  /// True if the shared upstream starts before its first user arrives.
  bool eager = false;
  /// Processes or connections kept ready for users; zero without a pool.
  std::size_t pool = 0;
  /// True if a user of this server alone gets a process or connection without supervision.
  bool bare_alone = true;
  /// True if a user of this server alone ends when the server exits.
  bool ends_users = true;
  /// Number of units that upstreams can run on; at least one.
  std::size_t units = 1;
  restart_limits restarts = {};
};

/// Selects the upstream of each user of one configured MCP server. Keeps the pool filled, counts failed starts, and
/// decides when a server that was removed from the configuration ends. A user is a session, a catalog, or a supervised
/// upstream that starts its server.
///
/// With `shares_modern` the era decides whether the server is shared, and is unknown until the first process answers.
/// The first user gets that process. It becomes the shared one or stays with that user. Other users wait meanwhile.
class configured_server {
public:
  explicit configured_server(const sharing_rules& rules)
      : rules_{rules}, breaker_{rules.restarts.attempts, rules.restarts.rest}, known_{rules.is_modern
                                                                                          ? server_era::stateless
                                                                                          : server_era::automatic} {}

  /// Time that an owner's upstream keeps running without users.
  static constexpr std::chrono::seconds unused_time{60};
  /// Time for which a server that refused 2026-07-28 is taken to have sessions only.
  static constexpr std::chrono::hours session_era_time{1};
  /// First such time when the server did not refuse 2026-07-28 but did not answer in it either.
  static constexpr std::chrono::seconds doubtful_era_time{30};
  /// Longest time that users wait for the era of the first process.
  static constexpr std::chrono::seconds era_patience{5};

  // -- users, with the number of their unit and their owner --------------------------------
  /// Selects for a user of this server alone.
  upstream_choice wanted_alone(std::size_t unit, const std::string& owner, time_point now);
  /// Selects for a user that outlives an exit of the server: a lease, or a user that merges several servers.
  upstream_choice wanted_lasting(const std::string& owner, time_point now);
  /// Selects a process or connection for a supervised upstream, which holds it for as long as that upstream lives.
  upstream_choice wanted_bare(std::size_t unit, time_point now);

  // -- facts -------------------------------------------------------------------------------
  configured_server_effects begin(time_point now);
  /// A process or connection has sent its first message.
  void server_spoke() { breaker_.worked(); }
  /// An operator requested another try: forgets the failed starts.
  void forget_failures() { breaker_.worked(); }
  /// A process or connection of age `age` ended before its first message. Returns for how long starts are refused from
  /// now on, if they are.
  std::optional<std::chrono::milliseconds> start_failed(std::string why, std::chrono::milliseconds age, time_point now);
  /// A start was not attempted because the gateway lacked resources; not a failure of the server.
  void start_prevented();
  /// The server speaks this era and not the other. When doubtful (see `note_era::doubt`), the other era is tried again
  /// after a pause that doubles each time, and users of the shared upstream keep it.
  configured_server_effects era_found(server_era is, time_point now, bool is_doubtful = false);
  /// The process of a supervised upstream answered `initialize`; until now it was its user's own. Returns whether all
  /// users share it from now on.
  bool greeted(bool is_modern, time_point now);
  /// The first user left before its process answered `initialize`: another user's process takes its place.
  void searcher_left();
  /// A process or connection of the pool is gone.
  void pooled_lost(std::uint64_t number, time_point now);
  /// The shared upstream of all users, or of the owner, is gone.
  void shared_lost(const std::string& owner) { shared_.erase(owner); }
  /// The owner's shared upstream has had no users for `unused_time`.
  configured_server_effects shared_unused(const std::string& owner, time_point now);
  /// The server was removed from the configuration. Supervised upstreams may still request a process for a while.
  configured_server_effects retire(time_point now);
  configured_server_effects tick(time_point now);

  /// Time at which `tick` is due.
  time_point deadline() const;

  /// Era to try first with the server, as last found; `automatic` when unknown. Knowledge of the session era expires,
  /// since a server that has meanwhile learned 2026-07-28 does not refuse sessions.
  server_era known_era(time_point now) const { return now < known_until_ ? known_ : server_era::automatic; }
  /// True while the first process has not shown its era: users that got `wait_for_era` keep waiting.
  bool is_searching() const { return search_ == search::under_way; }

  // -- queries -----------------------------------------------------------------------------
  /// True if starts are refused after too many failures.
  bool rests(time_point now) const { return breaker_.refuses(now).has_value(); }
  /// Reason of the last failed start; empty when none failed.
  const std::string& why_not_started() const { return why_not_started_; }

private:
  void believe_with_doubt(server_era is, time_point now);
  bool is_modern() const { return known_ == server_era::stateless; }
  std::optional<upstream_choice> shared_or_refused(const std::string& owner, time_point now);
  bool is_for_all() const { return rules_.shared || (rules_.shares_modern && is_modern()); }
  void end_search();
  void fill_by(time_point when);
  void fill(time_point now, configured_server_effects& out);
  void end_unless_used(time_point now, configured_server_effects& out);

  struct pooled {
    std::uint64_t number = 0;
    std::size_t unit = 0;
  };

  const sharing_rules rules_;
  start_breaker breaker_;
  server_era known_ = server_era::automatic;
  time_point known_until_ = time_point::max();
  /// Lengths of doubtful beliefs about the era.
  backoff doubt_{doubtful_era_time, session_era_time};
  enum class search { not_begun, under_way, over };
  search search_ = search::not_begun;
  time_point search_until_ = time_point::max();
  std::string why_not_started_;
  std::vector<pooled> pool_;
  /// Starts for the pool so far; the next process's number.
  std::uint64_t started_ = 0;
  time_point fill_at_ = time_point::max();
  /// Time at which each running shared upstream was last given out, by owner; empty owner for all users' upstream.
  std::map<std::string, time_point> shared_;
  bool retired_ = false;
  time_point end_at_ = time_point::max();
};

} // namespace troupe::protocol
