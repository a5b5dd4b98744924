#pragma once

#include "actors/cluster/redis_scripts.hpp"
#include "actors/cluster_state.hpp"
#include "actors/messages.hpp"
#include "actors/runtime/event_log.hpp"
#include "actors/runtime/pinned.hpp"
#include "net/redis/redis_client.hpp"
#include "protocol/cluster/session_store.hpp"
#include "protocol/text/url.hpp"

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <string>

namespace troupe::actors {

/// Where a store keeps sessions, for whom, and its limits.
struct redis_store_setup {
  protocol::redis_address address = {};
  /// For TLS; null without it.
  std::shared_ptr<net::client_trust> trust = {};
  /// Precedes every key.
  std::string prefix = {};
  /// Names this life of this node, unlike any before.
  std::string owner = {};
  /// Told how long what is ours surely is.
  std::shared_ptr<tenure> ours = std::make_shared<tenure>();
  /// How long a node that is silent owns its sessions.
  std::chrono::milliseconds tenure_time = std::chrono::seconds{5};
  /// How long a session is kept that nobody writes to.
  std::chrono::milliseconds session_time = std::chrono::minutes{30};
  /// Of each session: the oldest events give way.
  std::size_t most_events = 1000;
  std::size_t most_bytes = 16 * 1024 * 1024;
  /// Of what waits for Redis.
  protocol::store_limits waiting = {};
  event_log log = event_log{};
};

/// STORE in a Redis. Writes as the owner of sessions, as long as its tenure runs, and lets others have them when it
/// ends.
///
/// What it does when, `protocol::session_store` decides; `ours` has the tenure as that believes in it.
///
/// The tenure is renewed, sessions are written and sessions are searched for on connections of their own: neither much
/// that is written nor much that is found makes the tenure wait.
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
  void end(const caf::exit_msg& msg);
  /// Whether the tenure of that term is the one that runs now, or ran last.
  bool is_current(std::uint64_t term) const { return term == setup_.ours->term(); }
  void keep(event_saved& msg);

  void apply(protocol::store_effects effects);
  void apply(const protocol::renew_tenure& effect);
  void apply(const protocol::extend_tenure& effect);
  void apply(const protocol::end_tenure& effect);
  void apply(protocol::disown& effect);
  void apply(const protocol::claim_again& effect);
  void apply(protocol::claimed& effect);
  void apply(protocol::let_go& effect);
  void apply(const protocol::take_session& effect);
  void apply(protocol::tell_seeker& effect);
  void apply(protocol::log_note& effect);
  void send_waiting();
  void send(const protocol::store_write& what);
  net::redis_command command_for(const protocol::store_write& what) const;

  void plan() { reminder_.set(self_->address(), machine_.deadline()); }
  protocol::time_point now() const { return self_->at().now(); }

  pinned<interface>* self_;
  store_user_actor user_;
  redis_store_setup setup_;
  redis_scripts scripts_;
  reminder reminder_;
  protocol::session_store machine_;
  /// Who is to be told of each session that is sought.
  std::map<std::string, seeker_actor> seekers_;
  /// The last to come and the first to go: what they have been asked tells the actor.
  net::redis_client tenure_;
  net::redis_client writer_;
  net::redis_client searcher_;
};

using redis_store = actor_of<redis_store_state>;

} // namespace troupe::actors
