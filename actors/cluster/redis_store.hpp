#pragma once

#include "actors/cluster/redis_scripts.hpp"
#include "actors/cluster_messages.hpp"
#include "actors/cluster_state.hpp"
#include "actors/runtime/event_log.hpp"
#include "actors/runtime/pinned.hpp"
#include "net/boot_clock.hpp"
#include "net/redis/redis_client.hpp"
#include "protocol/cluster/session_store.hpp"
#include "protocol/text/url.hpp"

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <string>

namespace troupe::actors {

/// Address, keys, owner and limits of a store.
struct redis_store_setup {
  protocol::redis_address address = {};
  /// Trust for TLS; null without TLS.
  std::shared_ptr<net::client_trust> trust = {};
  /// Prefix of every key.
  std::string prefix = {};
  /// Name of this life of this node; differs from all earlier lives.
  std::string owner = {};
  /// Tenure of this node; the store updates it.
  std::shared_ptr<tenure> ours = std::make_shared<tenure>(net::boot_clock::now);
  /// Time after which a silent node loses its tenure.
  std::chrono::milliseconds tenure_time = std::chrono::seconds{5};
  /// Time that a session is kept after its last write.
  std::chrono::milliseconds session_time = std::chrono::minutes{30};
  /// Limits per session; the oldest events are dropped first.
  std::size_t most_events = 1000;
  std::size_t most_bytes = 16 * 1024 * 1024;
  /// Limits of writes that wait for Redis.
  protocol::store_limits waiting = {};
  event_log log = event_log{};
};

/// STORE in Redis. Writes sessions as their owner while this node's tenure runs. Once a tenure has expired, other nodes
/// can take its sessions.
///
/// `protocol::session_store` makes the decisions; `ours` holds the tenure as this machine sees it.
///
/// Tenure renewals, writes and searches use separate connections: large writes or search results do not delay the
/// tenure.
class redis_store_state {
public:
  using interface = redis_store_actor;
  static constexpr const char* name = "store";

  /// `thread` is that of the actor's unit.
  redis_store_state(pinned<interface>* self, net::io_thread& thread, store_user_actor user, redis_store_setup setup);
  ~redis_store_state();
  redis_store_state(const redis_store_state&) = delete;
  redis_store_state& operator=(const redis_store_state&) = delete;
  interface::behavior_type make_behavior();

private:
  void end(const caf::exit_msg& msg);
  /// True if `term` is the term of the running tenure, or of the last one.
  bool is_current(std::uint64_t term) const { return term == setup_.ours->term(); }
  void save(session_saved& msg);
  bool may_write(const std::string& session, std::uint64_t term);
  void keep(event_saved& msg);

  void carry_out(protocol::store_effects effects);
  void perform(const protocol::renew_tenure& effect);
  void perform(const protocol::extend_tenure& effect) { setup_.ours->extend(effect.until); }
  void perform(const protocol::move_tenure& effect) { setup_.ours->move(effect.until); }
  void perform(const protocol::end_tenure&) { setup_.ours->end(); }
  void perform(protocol::doubt_session& effect);
  void perform(protocol::end_foreign_session& effect);
  void perform(const protocol::claim_again& effect);
  void perform(protocol::claimed& effect);
  void perform(protocol::let_go& effect);
  void perform(protocol::session_gone& effect);
  void perform(const protocol::take_over_session& effect);
  void perform(protocol::search_outcome& effect);
  void perform(protocol::log_note& effect) { write(setup_.log, effect); }
  void send_waiting();
  void send(const protocol::store_write& what);
  net::redis_command command_for(const protocol::store_write& what) const;

  void plan() { reminder_.set(self_->address(), machine_.deadline(), now()); }
  protocol::time_point now() const { return setup_.ours->now(); }

  pinned<interface>* self_;
  store_user_actor user_;
  redis_store_setup setup_;
  redis_scripts scripts_;
  reminder reminder_;
  protocol::session_store machine_;
  /// Actors that wait for a session search, by session.
  std::map<std::string, search_receiver_actor> seekers_;
  /// Constructed last and destroyed first: their callbacks send messages to the actor.
  net::redis_client tenure_;
  net::redis_client writer_;
  net::redis_client searcher_;
};

using redis_store = actor_of<redis_store_state>;

} // namespace troupe::actors
