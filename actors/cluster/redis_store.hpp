#pragma once

#include "actors/cluster/redis_scripts.hpp"
#include "actors/lease.hpp"
#include "actors/messages.hpp"
#include "actors/runtime/log.hpp"
#include "actors/runtime/pinned.hpp"
#include "net/redis/redis_client.hpp"
#include "protocol/cluster/store_writes.hpp"
#include "protocol/text/redis_address.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace troupe::actors {

/// Where a store keeps sessions, for whom, and its limits.
struct redis_store_setup {
  protocol::redis_address address = {};
  /// Precedes every key.
  std::string prefix = {};
  /// Names this life of this node, unlike any before.
  std::string owner = {};
  /// Told how long what is ours surely is.
  std::shared_ptr<lease> ours = std::make_shared<lease>();
  /// How long a node that is silent owns its sessions.
  std::chrono::milliseconds lease_time = std::chrono::seconds{5};
  /// How long a session is kept that nobody writes to.
  std::chrono::milliseconds session_time = std::chrono::minutes{30};
  /// Of each session: the oldest events give way.
  std::size_t most_events = 1000;
  std::size_t most_bytes = 16 * 1024 * 1024;
  /// Of what waits for Redis.
  protocol::store_limits waiting = {};
  event_log log = event_log{};
};

/// STORE in a Redis. Writes as the owner of sessions, as long as its lease runs, and lets others have them when it
/// ends.
///
/// Two nodes never own one session: the lease in Redis runs longer than the one that `ours` tells, which is counted
/// from before it was asked for and is a tenth shorter; and each write asks Redis whether the session is still ours.
///
/// The lease is renewed, sessions are written and sessions are searched for on connections of their own: neither much
/// that is written nor much that is found makes the lease wait.
class redis_store_state {
public:
  using interface = redis_store_actor;
  static constexpr const char* name = "store";

  /// `thread` is the one of the unit that the actor lives on.
  redis_store_state(pinned<interface>* self, net::io_thread& thread, store_user_actor user, redis_store_setup setup);
  ~redis_store_state();
  redis_store_state(const redis_store_state&) = delete;
  redis_store_state& operator=(const redis_store_state&) = delete;
  interface::behavior_type make_behavior();

private:
  using way = store_reached::way;
  /// Somebody wants a session; it is asked for again until the owner's lease must have run out.
  struct search {
    seeker_actor to;
    /// Owners that are there, and need not be waited for.
    std::vector<std::string> alive;
    protocol::time_point next;
    protocol::time_point until;
  };

  void on_reached(const store_reached& msg);
  void tell_reached(const std::string& why_lost);
  void on_time();
  void plan();

  bool may_renew() const;
  void renew();
  void on_lease(const store_answer& answer);
  void extend_lease();
  void check_lease();
  void lose_lease();

  void keep(event_saved& msg);
  void forget(const std::string& session);
  void note_forgotten(const std::string& session);
  void give_back(const session_given_back& msg);
  void send_waiting();
  void send(const protocol::store_write& what);
  net::redis_command command_for(const protocol::store_write& what) const;
  void on_written(const write_answered& msg);
  void tell_foreign(const std::string& session);
  void complain(const std::string& why);

  void seek(session_sought& msg);
  void search_due(protocol::time_point until);
  void ask(const std::string& session);
  void on_found(search_answered& msg);
  void tell(search_answered& msg, session_found::outcome is);

  void end(const caf::exit_msg& msg);
  bool reaches(way by) const { return reached_[static_cast<std::size_t>(by)]; }
  bool reaches_all() const { return std::all_of(reached_.begin(), reached_.end(), std::identity{}); }
  protocol::time_point now() const { return self_->at().now(); }
  protocol::time_point next_renewal() const;

  pinned<interface>* self_;
  store_user_actor user_;
  redis_store_setup setup_;
  redis_scripts scripts_;
  reminder reminder_;

  /// By each way.
  std::array<bool, 3> reached_{};
  /// What the log has of that.
  std::optional<bool> was_reached_;
  protocol::time_point writable_since_{};
  /// Redis knew that our lease runs when it could be written to: writes may go.
  bool is_open_ = false;
  bool is_held_ = false;
  bool was_lost_ = false;
  bool is_renewing_ = false;
  /// When the lease was last asked for.
  protocol::time_point asked_{};

  protocol::store_writes writes_;
  /// Something was not kept, and nothing has been since.
  bool is_troubled_ = false;
  /// Those of which was said that they are not ours.
  std::set<std::string> foreign_;
  std::set<std::string> forgotten_;
  std::map<std::string, search> searches_;
  /// Those that became ours last, and their numbers.
  std::map<std::string, std::uint64_t> taken_;
  std::uint64_t last_taken_ = 0;
  /// The last to come and the first to go: what they have been asked tells the actor.
  net::redis_client lease_;
  net::redis_client writer_;
  net::redis_client searcher_;
};

using redis_store = actor_of<redis_store_state>;

} // namespace troupe::actors
