#pragma once

#include "actors/lease.hpp"
#include "actors/log.hpp"
#include "actors/messages.hpp"
#include "actors/pinned.hpp"
#include "actors/redis_scripts.hpp"
#include "net/redis_client.hpp"

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace troupe::actors {

/// Where a store keeps sessions, for whom, and its limits.
struct redis_store_setup {
  net::redis_address address = {};
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
  /// Writes that wait for Redis, and their bytes; what comes then is dropped.
  std::size_t most_writes = 10'000;
  std::size_t most_waiting_bytes = 32 * 1024 * 1024;
  event_log log = event_log{};
};

/// STORE in a Redis. Writes as the owner of sessions, as long as its lease runs, and lets others have them when it
/// ends.
///
/// Two nodes never own one session: the lease in Redis runs longer than the one that `ours` tells, which is counted
/// from before it was asked for and is a tenth shorter; and each write asks Redis whether the session is still ours.
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
  /// A write that waits until Redis knows our lease.
  struct held_write {
    std::string session;
    std::size_t size = 0;
    bool forgets = false;
    net::redis_command command;
  };
  /// Somebody wants a session; it is asked for again until the owner's lease must have run out.
  struct search {
    seeker_actor to;
    /// Owners that are there, and need not be waited for.
    std::vector<std::string> alive;
    protocol::time_point next;
    protocol::time_point until;
  };

  void on_reached(const std::string& why_lost);
  void on_time();
  void plan();

  void renew();
  void on_lease(const store_answer& answer);
  void extend_lease();
  void check_lease();
  void lose_lease();

  bool write(held_write what);
  void send(held_write what);
  void send_held();
  void drop_held();
  void on_written(const write_answered& msg);
  void tell_foreign(const std::string& session);
  void complain(const std::string& why);

  void forget(const std::string& session);
  void forget_again();
  void on_forgotten(const write_answered& msg);
  void note_forgotten(const std::string& session);
  void seek(session_sought& msg);
  void ask(const std::string& session);
  void on_found(search_answered& msg);
  void tell(search_answered& msg, session_found::outcome is);

  protocol::time_point now() const { return self_->at().now(); }
  protocol::time_point next_renewal() const;

  pinned<interface>* self_;
  store_user_actor user_;
  redis_store_setup setup_;
  redis_scripts scripts_;
  reminder reminder_;

  bool is_reached_ = false;
  /// Redis knows that our lease runs: writes may go.
  bool is_open_ = false;
  bool is_held_ = false;
  bool was_lost_ = false;
  bool is_renewing_ = false;
  /// When the lease was last asked for.
  protocol::time_point asked_{};

  std::deque<held_write> held_;
  /// Held or on their way.
  std::size_t writes_ = 0;
  std::size_t writes_size_ = 0;
  /// A write was lost, and none has succeeded since.
  bool is_troubled_ = false;
  /// Those of which was said that they are not ours.
  std::set<std::string> foreign_;
  std::set<std::string> forgotten_;
  /// Those that Redis may not know to be over, and whether it is about to hear so.
  std::map<std::string, bool> unforgotten_;
  std::map<std::string, search> searches_;
  /// The last to come and the first to go: what it has been asked tells the actor.
  net::redis_client client_;
};

using redis_store = actor_of<redis_store_state>;

} // namespace troupe::actors
