#include "actors/registry.hpp"

#include "protocol/http.hpp"

namespace troupe::actors {

namespace {

protocol::rejection unavailable(std::string why, std::string id) {
  return {503,
          protocol::error_code::internal_error,
          "Service Unavailable: " + std::move(why),
          std::move(id),
          {{"Retry-After", "5"}}};
}

} // namespace

registry_state::registry_state(pinned<interface>* self, registry_setup setup) : self_{self}, setup_{std::move(setup)} {}

registry_actor::behavior_type registry_state::make_behavior() {
  self_->set_exit_handler([this](caf::exit_msg& msg) { on_exit_of(msg); });
  return {
      [this](client_post& msg) { msg.session.empty() ? begin_session(msg) : pass_on(msg); },
      [this](client_listen& msg) { pass_on(msg); },
      [this](client_delete& msg) { pass_on(msg); },
      [this](readiness_probe& msg) {
        if (draining_)
          self_->send(msg.broker, http_rejected{unavailable("the gateway is stopping", {})});
        else
          self_->send(msg.broker, http_ready{});
      },
      [this](drain& msg) {
        draining_ = true;
        for (auto& [id, session] : sessions_)
          self_->send(session, msg);
        end_when_drained();
      },
  };
}

void registry_state::begin_session(client_post& msg) {
  auto request = msg.body.messages.front().id;
  if (draining_)
    return self_->send(msg.broker, http_rejected{unavailable("the gateway is stopping", request)});
  if (sessions_.size() >= setup_.max_sessions)
    return self_->send(msg.broker,
                       http_rejected{unavailable("too many sessions; --max-sessions allows more", request)});
  auto id = setup_.make_id();
  auto& at = *setup_.units[next_unit_++ % setup_.units.size()];
  session_actor begun = spawn_linked<session_state>(self_, at, self_->address(), id, setup_.session);
  ids_.emplace(begun.address(), id);
  self_->send(begun, std::move(msg));
  sessions_.emplace(std::move(id), std::move(begun));
}

template <class Message>
void registry_state::pass_on(Message& msg) {
  auto found = sessions_.find(msg.session);
  if (found == sessions_.end())
    self_->send(msg.broker, http_rejected{protocol::session_not_found()});
  else
    self_->send(found->second, std::move(msg));
}

void registry_state::on_exit_of(const caf::exit_msg& msg) {
  auto found = ids_.find(msg.source);
  if (found == ids_.end())
    return self_->quit(msg.reason);
  sessions_.erase(found->second);
  ids_.erase(found);
  end_when_drained();
}

void registry_state::end_when_drained() {
  if (draining_ && sessions_.empty())
    self_->quit(caf::exit_reason::user_shutdown);
}

} // namespace troupe::actors
