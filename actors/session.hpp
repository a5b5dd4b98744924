#pragma once

#include "actors/log.hpp"
#include "actors/messages.hpp"
#include "actors/pinned.hpp"
#include "protocol/http_delivery.hpp"
#include "protocol/session.hpp"

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace troupe::actors {

/// What every session of a gateway knows.
struct session_setup {
  protocol::session_limits limits;
  protocol::http_limits http;
  std::chrono::milliseconds keep_alive = std::chrono::seconds{15};
  /// Spawns the server of a session, on the session's unit; `name` is how logs call the session.
  std::function<upstream_actor(unit& at, session_actor session, const std::string& name)> spawn_upstream;
  event_log log;
};

/// SESSION: one client's session. Owns the session's streams and its upstream, and each broker until it is answered or
/// carries a stream; carries out what the machine decides.
class session_state {
public:
  using interface = session_actor;
  static constexpr const char* name = "session";

  session_state(pinned<interface>* self, caf::actor_addr owner, std::string id, protocol::transport via,
                std::shared_ptr<const session_setup> setup);
  interface::behavior_type make_behavior();

private:
  protocol::exchange_id adopt(broker_actor broker);
  broker_actor release(protocol::exchange_id exchange);
  void report(const collector_actor& to);
  void on_exit_of(const caf::exit_msg& msg);
  void quit_if_told(const caf::exit_msg& msg);
  protocol::time_point now() const { return self_->at().now(); }

  void apply(protocol::effects effects);
  void apply(protocol::forward& effect);
  void apply(protocol::reply& effect);
  void apply(protocol::accept& effect);
  void apply(protocol::reject& effect);
  void apply(protocol::confirm_end& effect);
  void apply(protocol::open_stream& effect);
  void apply(protocol::publish& effect);
  void apply(protocol::end_stream& effect);
  void apply(protocol::end_session& effect);

  pinned<interface>* self_;
  caf::actor_addr owner_;
  std::string id_;
  std::string shown_id_;
  std::shared_ptr<const session_setup> setup_;
  protocol::session machine_;
  reminder reminder_;
  upstream_actor upstream_;
  protocol::exchange_id last_exchange_ = 0;
  /// Those that await an answer.
  std::map<protocol::exchange_id, broker_actor> brokers_;
  std::map<protocol::exchange_id, stream_actor> streams_;
  /// Whose exchange a linked actor carries, be it a broker or a stream.
  std::map<caf::actor_addr, protocol::exchange_id> linked_;
};

using session = actor_of<session_state>;

} // namespace troupe::actors
