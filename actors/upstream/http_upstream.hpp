#pragma once

#include "actors/access_messages.hpp"
#include "actors/runtime/event_log.hpp"
#include "actors/runtime/pinned.hpp"
#include "actors/upstream/bare_upstream.hpp"
#include "actors/upstream_messages.hpp"
#include "net/client/call_carrier.hpp"
#include "net/client/http_client.hpp"
#include "protocol/modern_server/adapter_effects.hpp"
#include "protocol/remote/obtained_tokens.hpp"
#include "protocol/remote/remote_connection.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace troupe::actors {

/// Settings shared by all upstreams of one remote server.
struct remote_setup {
  std::string server_name;
  protocol::remote_options remote;
  /// Connections of its HTTP clients, and whether each caller has connections of its own.
  std::shared_ptr<net::http_client_groups> clients;
  bool by_caller = false;
  /// Whether the tokens for the server are obtained in exchange for its callers' own.
  bool exchanges = false;
  event_log log;
};

/// UPSTREAM on HTTP: a broker between its user and a remote server. Ends when the server is lost or the user ends, and
/// then notifies the server.
class http_upstream_state {
public:
  using interface = http_upstream_actor;
  static constexpr const char* name = "upstream";

  /// `thread` is the thread of the actor's unit.
  http_upstream_state(pinned<interface>* self, net::io_thread& thread, bare_upstream_setup whom,
                      std::shared_ptr<const remote_setup> setup);
  ~http_upstream_state();
  http_upstream_state(const http_upstream_state&) = delete;
  http_upstream_state& operator=(const http_upstream_state&) = delete;
  interface::behavior_type make_behavior();

private:
  using carrier = net::authorized_carrier<protocol::obtained_tokens>;

  carrier::listener listener_here();
  void want(protocol::want_token what);
  void log(log_level level, std::string text, std::vector<std::pair<std::string, std::string>> facts) const;
  protocol::time_point now() const { return self_->at().now(); }

  void carry_out(protocol::remote_connection::effects effects);
  void perform(protocol::send_call& effect);
  void perform(const protocol::drop_call& effect) { calls_.drop(effect); }
  void perform(const protocol::release_call& effect) { calls_.release(effect); }
  void perform(protocol::send_last_request& effect) { calls_.send_last(std::move(effect), now()); }
  void perform(protocol::log_note& effect) {
    log(level_of(effect.is), std::move(effect.text), std::move(effect.facts));
  }
  void perform(protocol::deliver_to_user& effect) { user_.tell(self_, std::move(effect)); }
  void perform(const protocol::note_era& effect);
  void perform(protocol::lose_server& effect);

  void watch_tokens();

  pinned<interface>* self_;
  upstream_user user_;
  std::shared_ptr<const remote_setup> setup_;
  protocol::caller caller_;
  /// Null if the gateway sends the server no tokens.
  token_source_actor tokens_;
  bool watches_tokens_ = false;
  protocol::remote_connection machine_;
  std::shared_ptr<net::http_client_group> clients_;
  carrier calls_;
  reminder reminder_;
};

using http_upstream = actor_of<http_upstream_state>;

} // namespace troupe::actors
