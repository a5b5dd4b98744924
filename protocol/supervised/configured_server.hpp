#pragma once

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

// Which upstream a user of a configured server gets.

/// None; `why` is for its error.
struct refuse_user {
  std::string why;
  friend bool operator==(const refuse_user&, const refuse_user&) = default;
};

/// The supervised upstream of all users, or of those of one owner.
struct give_shared {
  /// It does not run: start it first.
  bool starts = false;
  /// Empty for all.
  std::string owner = {};
  friend bool operator==(const give_shared&, const give_shared&) = default;
};

/// A new supervised upstream of its own.
struct give_supervised {
  /// A loss of the server ends the user instead of a restart.
  bool ends_user = false;
  friend bool operator==(const give_supervised&, const give_supervised&) = default;
};

/// A new bare process or connection of its own.
struct give_bare {
  friend bool operator==(const give_bare&, const give_bare&) = default;
};

/// A process or connection of the pool, for its own; it leaves the pool.
struct give_pooled {
  std::uint64_t number = 0;
  friend bool operator==(const give_pooled&, const give_pooled&) = default;
};

/// None yet; it is to be asked for again when `configured_server::is_searching` ends.
struct wait_for_era {
  friend bool operator==(const wait_for_era&, const wait_for_era&) = default;
};

using upstream_choice = std::variant<refuse_user, give_shared, give_supervised, give_bare, give_pooled, wait_for_era>;

// What a configured server decides without a user, and its actor carries out in this order.

/// Start the supervised upstream of all users, and its server with it.
struct start_shared {
  friend bool operator==(const start_shared&, const start_shared&) = default;
};

/// Start a process or connection for the pool.
struct start_pooled {
  /// Names it in the pool; never used again.
  std::uint64_t number = 0;
  /// Number of the unit that it lives on.
  std::size_t unit = 0;
  friend bool operator==(const start_pooled&, const start_pooled&) = default;
};

/// Stop all that are in the pool.
struct stop_pool {
  friend bool operator==(const stop_pool&, const stop_pool&) = default;
};

/// The shared upstream ends when its last user has left.
struct retire_shared {
  /// Whose it is; empty for that of all.
  std::string owner = {};
  friend bool operator==(const retire_shared&, const retire_shared&) = default;
};

/// The configured server itself ends.
struct end_server {
  friend bool operator==(const end_server&, const end_server&) = default;
};

using configured_server_effect = std::variant<start_shared, start_pooled, stop_pool, retire_shared, end_server>;
using configured_server_effects = std::vector<configured_server_effect>;

/// How the users of a configured server get upstreams.
struct sharing_rules {
  /// All users have one upstream.
  bool shared = false;
  /// The users of each owner have one. A user without an owner has its own.
  bool by_owner = false;
  /// All users have one upstream when the program speaks 2026-07-28, otherwise each has its own.
  bool shares_modern = false;
  /// The program is configured to speak 2026-07-28.
  bool is_modern = false;
  /// The shared upstream is started before its first user comes.
  bool eager = false;
  /// How many processes or connections wait for users; zero without a pool.
  std::size_t pool = 0;
  /// A user that uses no other server gets a bare process or connection instead of a supervised one.
  bool bare_alone = true;
  /// A user that uses no other server ends when its server is lost.
  bool ends_users = true;
  /// How many units upstreams can live on; at least one.
  std::size_t units = 1;
  restart_limits restarts = {};
};

/// Decides which upstream each user of one configured MCP server gets, keeps the pool filled, counts failed starts, and
/// says when a server that was removed from the configuration ends. A user is a session, a catalog, or a supervised
/// upstream that starts its server.
///
/// Where the era decides whether a server is shared, it is not known before its first process has been started: that is
/// the first user's own, and becomes the shared one, or is left to him. Others who come meanwhile wait for a while.
class configured_server {
public:
  explicit configured_server(const sharing_rules& rules)
      : rules_{rules}, breaker_{rules.restarts.attempts, rules.restarts.rest}, known_{rules.is_modern
                                                                                          ? server_era::stateless
                                                                                          : server_era::automatic} {}

  /// How long the upstream of an owner runs without users.
  static constexpr std::chrono::seconds unused_time{60};
  /// How long a server that was found to speak the session era only is believed to.
  static constexpr std::chrono::hours session_era_time{1};
  /// The same of one that has not refused the other, for the first time.
  static constexpr std::chrono::seconds doubtful_era_time{30};
  /// How long users wait at most until the era of the first process is known.
  static constexpr std::chrono::seconds era_patience{5};

  // -- users, by the number of the unit that they live on, and whose they are --------------
  /// From a user that uses no other server.
  upstream_choice wanted_alone(std::size_t unit, const std::string& owner, time_point now);
  /// From a user that no loss of the server ends: a lease, or one that merges several servers.
  upstream_choice wanted_lasting(const std::string& owner, time_point now);
  /// From a supervised upstream, for a process or connection; given as long as this lives.
  upstream_choice wanted_bare(std::size_t unit, time_point now);

  // -- facts -------------------------------------------------------------------------------
  configured_server_effects begin(time_point now);
  /// A process or connection has said something for the first time.
  void server_spoke() { breaker_.worked(); }
  /// An operator wants it to be tried again.
  void forgive() { breaker_.worked(); }
  /// A process or connection was lost at the age of `age` before it had said anything. Gives how long starts are
  /// refused now, if they are.
  std::optional<std::chrono::milliseconds> start_failed(std::string why, std::chrono::milliseconds age, time_point now);
  /// A start was not tried, since the gateway lacks what it takes. That is no failure of the server.
  void start_prevented();
  /// The server was found to speak this era, and not the other. With a doubt, as `note_era` has it, the other is tried
  /// again after a pause that doubles each time, and nobody loses what is shared.
  configured_server_effects era_found(server_era is, time_point now, bool is_doubtful = false);
  /// The process of a supervised upstream has greeted that was its user's own until then. Gives whether it is that of
  /// all users from now on.
  bool greeted(bool is_modern, time_point now);
  /// The first user has left before its process has greeted: another takes its place.
  void searcher_left();
  /// One that waited for a user is gone.
  void pooled_lost(std::uint64_t number, time_point now);
  /// The shared upstream of all, or that of an owner, is gone.
  void shared_lost(const std::string& owner) { shared_.erase(owner); }
  /// That of an owner has had no users for `unused_time`.
  configured_server_effects shared_unused(const std::string& owner, time_point now);
  /// The server was removed from the configuration. Supervised upstreams may still want a process for a while.
  configured_server_effects retire(time_point now);
  configured_server_effects tick(time_point now);

  /// When `tick` has something to do.
  time_point deadline() const;

  /// What the server spoke when it was asked last, so that it is spoken to in that first; `automatic` when that is not
  /// known. A server that has learned 2026-07-28 does not refuse the session era: that it knows only this is not
  /// believed for ever.
  server_era known_era(time_point now) const { return now < known_until_ ? known_ : server_era::automatic; }
  /// The first process has not said yet which era it speaks: those who got `wait_for_era` wait on.
  bool is_searching() const { return search_ == search::under_way; }

  // -- for who looks from outside ----------------------------------------------------------
  /// Starts are refused, after too many that failed.
  bool rests(time_point now) const { return breaker_.refuses(now).has_value(); }
  /// Why the last start failed; empty when none has.
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
  /// How long it was believed last with a doubt.
  std::chrono::seconds doubtful_time_{0};
  enum class search { not_begun, under_way, over };
  search search_ = search::not_begun;
  time_point search_until_ = time_point::max();
  std::string why_not_started_;
  std::vector<pooled> pool_;
  /// How many were ever started for the pool; the next one's number.
  std::uint64_t started_ = 0;
  time_point fill_at_ = time_point::max();
  /// The shared upstreams that run, by their owners, and when they were last given; that of all under no name.
  std::map<std::string, time_point> shared_;
  bool retired_ = false;
  time_point end_at_ = time_point::max();
};

} // namespace troupe::protocol
