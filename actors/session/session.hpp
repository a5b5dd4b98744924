#pragma once

#include "actors/messages.hpp"
#include "actors/runtime/event_log.hpp"
#include "actors/runtime/local_sessions.hpp"
#include "actors/runtime/pinned.hpp"
#include "actors/session/idle_mark.hpp"
#include "actors/upstream/lazy_upstream.hpp"
#include "protocol/delivery/http_delivery.hpp"
#include "protocol/session/held_effects.hpp"
#include "protocol/session/session.hpp"
#include "protocol/session/session_record.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::actors {

/// What all sessions of a gateway share.
struct session_setup {
  protocol::session_limits limits;
  protocol::http_limits http;
  protocol::catalog_limits catalog;
  std::chrono::milliseconds keep_alive = std::chrono::seconds{15};
  event_log log;
};

/// The parameters of a new session.
struct new_session {
  std::string id;
  protocol::transport via = protocol::transport::streamable_http;
  /// The server in the session's path; empty when all are merged.
  std::string path;
  /// The one server that it speaks to; none when it is for those that are merged.
  server_actor server;
  std::vector<member> members;
  /// How long its calls may take.
  std::chrono::milliseconds request = {};
  /// Keeps what it needs to survive this node; null when it is not to. Only over Streamable HTTP.
  store_actor store = {};
  /// Whether what the store keeps is still ours at that time; always when empty. Called on the session's unit.
  std::function<bool(protocol::time_point)> holds_lease = {};
  /// The term of the lease by which it is, which its registry changes.
  std::shared_ptr<std::atomic<std::uint64_t>> term = {};
  /// What the store has of it, when it is restored.
  std::optional<protocol::restored_session> restored = {};
  /// Where it tells since when it is idle.
  std::shared_ptr<idle_mark> idle = std::make_shared<idle_mark>();
};

/// SESSION: one client's session. Owns the session's streams and its upstream, and each broker until it is answered or
/// carries a stream; carries out what the machine decides.
class session_state {
public:
  using interface = session_actor;
  static constexpr const char* name = "session";

  session_state(pinned<interface>* self, registry_actor owner, new_session what,
                std::shared_ptr<const session_setup> setup);
  ~session_state() { self_->at().sessions().remove(here_); }
  interface::behavior_type make_behavior();

private:
  void begin_again();
  void merge();
  void tell_server(protocol::message what);
  void lose(const std::string& why, bool is_shortage = false) { apply(machine_.server_lost(why, now(), is_shortage)); }
  struct waiting_broker {
    broker_actor broker;
    protocol::came_by came = protocol::came_by::client;
    /// Whether a client sent it to this node, to listen.
    bool listens_here = false;
  };
  struct own_stream {
    stream_actor stream;
    bool listens_here = false;
  };
  protocol::exchange_id adopt(broker_actor broker, protocol::came_by came, bool listens_here = false);
  waiting_broker release(protocol::exchange_id exchange);
  void report(const collector_actor& to);
  void send_listeners_away();
  bool is_ours() const;
  std::uint64_t term() const { return term_ ? term_->load() : 0; }
  void claim(const lease_regained& how);
  void step_down(std::string_view why);
  bool turns_away(const broker_actor& broker);
  void leave();
  void on_exit_of(const caf::exit_msg& msg);
  void quit_if_told(const caf::exit_msg& msg);
  protocol::time_point now() const { return self_->at().now(); }

  void apply(protocol::effects effects);
  void carry_out(protocol::effects& all);
  void apply(protocol::forward& effect);
  void apply(protocol::reply& effect);
  void apply(protocol::accept& effect);
  void apply(protocol::reject& effect);
  void apply(protocol::confirm_end& effect);
  void apply(protocol::open_stream& effect);
  void apply(protocol::publish& effect);
  void apply(protocol::end_stream& effect);
  void apply(protocol::remember& effect);
  void apply(protocol::keep_event& effect);
  void apply(const protocol::hand_over& effect);
  void apply(protocol::pass_on& effect);
  void apply(protocol::end_session& effect);
  void pass_on(protocol::waiting_post& what, broker_actor to, protocol::came_by came);
  void pass_on(protocol::waiting_listen& what, broker_actor to, protocol::came_by came);
  void pass_on(protocol::waiting_end& what, broker_actor to, protocol::came_by came);

  pinned<interface>* self_;
  registry_actor owner_;
  local_session here_;
  std::string shown_id_;
  std::shared_ptr<const session_setup> setup_;
  protocol::session machine_;
  reminder reminder_;
  /// Where the server is; unless several are merged.
  lazy_upstream upstream_;
  catalog_actor catalog_;
  std::vector<member> members_;
  store_actor store_;
  std::function<bool(protocol::time_point)> holds_lease_;
  std::shared_ptr<const std::atomic<std::uint64_t>> term_;
  std::shared_ptr<idle_mark> idle_;
  /// What is not carried out before it is known that the session is still ours.
  protocol::held_effects held_;
  /// Until it has begun again.
  std::unique_ptr<protocol::restored_session> restored_;
  protocol::exchange_id last_exchange_ = 0;
  /// Those that await an answer.
  std::map<protocol::exchange_id, waiting_broker> brokers_;
  std::map<protocol::exchange_id, own_stream> streams_;
  /// Whose exchange a linked actor carries, be it a broker or a stream.
  std::map<caf::actor_addr, protocol::exchange_id> linked_;
};

using session = actor_of<session_state>;

} // namespace troupe::actors
