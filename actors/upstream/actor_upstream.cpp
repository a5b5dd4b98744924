#include "actors/upstream/actor_upstream.hpp"

#include <utility>

namespace troupe::actors {

actor_upstream_state::actor_upstream_state(pinned<interface>* self, const bare_upstream_setup& whom,
                                           std::shared_ptr<const actor_setup> setup)
    : self_{self}, setup_{std::move(setup)}, user_{whom, self->at().now()} {}

actor_upstream_state::~actor_upstream_state() {
  if (server_)
    caf::anon_send(server_, session_ended{self_->address()});
}

actor_upstream_actor::behavior_type actor_upstream_state::make_behavior() {
  self_->set_down_handler([this](caf::down_msg&) { lose("its actor has ended"); });
  user_.bind(self_);
  begin();
  return {
      [this](to_server& msg) { handle(msg); },
      [](user_disconnected&) {}, // unused: the upstream ends with its only user
      [this](report_request& msg) { user_.report(self_, msg.to, setup_->server_name); },
      [this](restart_request&) { user_.restart(self_); },
      [this](serve_user& msg) { user_.become(self_, msg); },
      [this](server_said& msg) { receive_text(std::move(msg.text)); },
  };
}

void actor_upstream_state::begin() {
  if (auto why_not = make_server(); !server_)
    return lose(why_not);
  self_->monitor(server_);
  self_->send(server_, session_begun{as_client(), user_.session()});
}

/// Makes the host's actor. Returns the reason if there is none.
std::string actor_upstream_state::make_server() {
  try {
    server_ = setup_->host->make(self_->system());
    return "the host made no actor";
  } catch (...) {
    return "its actor cannot be made: " + text_of(std::current_exception());
  }
}

/// The host's actor decides when it reads: a client must not fill its mailbox meanwhile.
void actor_upstream_state::handle(to_server& msg) {
  const bool asks = msg.message.kind == protocol::message_kind::request;
  if (unread_ < (asks ? most_unread_requests : most_unread))
    return pass(std::move(msg.message.text));
  if (asks)
    user_.tell(self_,
               protocol::gateway_message(protocol::error_text(msg.message.id, protocol::error_code::internal_error,
                                                              "The server is busy: too many calls wait for it")));
}

/// Passes a text on. CAF's response only says that the actor has handled it.
void actor_upstream_state::pass(std::string text) {
  ++unread_;
  auto read = [this] { --unread_; };
  self_->request(server_, caf::infinite, client_said{as_client(), std::move(text)})
      .then(read, [read](const caf::error&) { read(); });
}

void actor_upstream_state::receive_text(std::string text) {
  if (auto why = user_.tell_text(self_, std::move(text)))
    setup_->log(log_level::warning, "server wrote something that is no MCP message",
                {{"server", setup_->server_name}, {"session", user_.session()}, {"why", std::move(*why)}});
}

void actor_upstream_state::lose(const std::string& why) {
  server_ = nullptr;
  user_.tell_loss(self_, {why});
  self_->quit();
}

} // namespace troupe::actors
