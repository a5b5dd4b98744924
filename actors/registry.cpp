#include "actors/registry.hpp"

#include "actors/collector.hpp"
#include "protocol/http.hpp"

namespace troupe::actors {

using protocol::transport;

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
      [this](client_post& msg) { take(msg); },
      [this](client_listen& msg) { take(msg); },
      [this](client_delete& msg) { pass_on(msg, transport::streamable_http); },
      [this](readiness_probe& msg) {
        if (draining_)
          self_->send(msg.broker, http_rejected{unavailable("the gateway is stopping", {})});
        else
          self_->send(msg.broker, http_ready{});
      },
      [this](state_probe& msg) { collect(std::move(msg.broker)); },
      [this](drain& msg) {
        draining_ = true;
        for (auto& [id, one] : sessions_)
          self_->send(one.session, msg);
        end_when_drained();
      },
  };
}

void registry_state::take(client_post& msg) {
  if (!msg.session.empty())
    return pass_on(msg, msg.via);
  auto request = msg.body.messages.front().id;
  begin_session(msg, std::move(request), transport::streamable_http);
}

void registry_state::take(client_listen& msg) {
  if (msg.session.empty())
    begin_session(msg, {}, transport::http_sse);
  else
    pass_on(msg, transport::streamable_http);
}

template <class Message>
void registry_state::begin_session(Message& msg, std::string request, transport via) {
  if (draining_)
    return self_->send(msg.broker, http_rejected{unavailable("the gateway is stopping", std::move(request))});
  if (sessions_.size() >= setup_.max_sessions)
    return self_->send(msg.broker,
                       http_rejected{unavailable("too many sessions; --max-sessions allows more", std::move(request))});
  auto id = setup_.make_id();
  auto& at = *setup_.units[next_unit_++ % setup_.units.size()];
  session_actor begun = spawn_linked<session_state>(self_, at, self_->address(), id, via, setup_.session);
  ids_.emplace(begun.address(), id);
  self_->send(begun, std::move(msg));
  sessions_.emplace(std::move(id), known{std::move(begun), via});
}

/// A session of the other transport is not known here.
template <class Message>
void registry_state::pass_on(Message& msg, transport via) {
  auto found = sessions_.find(msg.session);
  if (found == sessions_.end() || found->second.via != via)
    self_->send(msg.broker, http_rejected{protocol::session_not_found()});
  else
    self_->send(found->second.session, std::move(msg));
}

void registry_state::collect(broker_actor to) {
  collector_actor collector = self_->spawn<actors::collector>(std::ref(self_->at()), std::move(to), sessions_.size());
  for (auto& [id, one] : sessions_)
    self_->send(one.session, report_request{collector});
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
