#include "actors/session.hpp"

#include "actors/stream.hpp"
#include "protocol/event_id.hpp"
#include "protocol/http.hpp"
#include "protocol/session_id.hpp"
#include "protocol/sse_delivery.hpp"

namespace troupe::actors {

namespace {

std::unique_ptr<protocol::delivery> way_of(protocol::transport via, const std::string& id, const session_setup& setup) {
  if (via == protocol::transport::http_sse)
    return std::make_unique<protocol::sse_delivery>(protocol::sse_endpoint(id));
  return std::make_unique<protocol::http_delivery>(setup.http, protocol::event_tag(id));
}

} // namespace

session_state::session_state(pinned<interface>* self, caf::actor_addr owner, std::string id, protocol::transport via,
                             std::shared_ptr<const session_setup> setup)
    : self_{self}, owner_{std::move(owner)}, id_{std::move(id)}, shown_id_{protocol::shown(id_)}, setup_{std::move(
                                                                                                      setup)},
      machine_{setup_->limits, way_of(via, id_, *setup_), self->at().now()}, reminder_{self->at()} {}

session_actor::behavior_type session_state::make_behavior() {
  self_->set_exit_handler([this](caf::exit_msg& msg) { on_exit_of(msg); });
  upstream_ = setup_->spawn_upstream(self_->at(), caf::actor_cast<session_actor>(self_), shown_id_);
  self_->link_to(upstream_);
  setup_->log(log_level::debug, "session begins", {{"session", shown_id_}});
  return {
      [this](client_post& msg) {
        auto exchange = adopt(std::move(msg.broker));
        apply(machine_.client_sent(exchange, std::move(msg.body), now()));
      },
      [this](client_listen& msg) { apply(machine_.client_listens(adopt(std::move(msg.broker)), msg.last, now())); },
      [this](client_delete& msg) { apply(machine_.client_ends(adopt(std::move(msg.broker)), now())); },
      [this](drain& msg) { apply(machine_.drain(msg.at_once, now())); },
      [this](from_server& msg) { apply(machine_.server_sent(std::move(msg.message), now())); },
      [this](server_lost& msg) { apply(machine_.server_lost(msg.why, now())); },
      [this](report_request& msg) { report(msg.to); },
      [this](tick&) {
        reminder_.arrived();
        apply(machine_.tick(now()));
      },
  };
}

protocol::exchange_id session_state::adopt(broker_actor broker) {
  self_->link_to(broker);
  linked_.emplace(broker.address(), ++last_exchange_);
  brokers_.emplace(last_exchange_, std::move(broker));
  return last_exchange_;
}

/// An answer is on its way: whatever becomes of the broker concerns the session no more.
broker_actor session_state::release(protocol::exchange_id exchange) {
  auto node = brokers_.extract(exchange);
  return node.empty() ? broker_actor{} : std::move(node.mapped());
}

void session_state::on_exit_of(const caf::exit_msg& msg) {
  if (msg.source == upstream_.address())
    return apply(machine_.server_lost("the MCP server is gone", now()));
  auto found = linked_.find(msg.source);
  if (found == linked_.end())
    return quit_if_told(msg);
  auto exchange = found->second;
  linked_.erase(found);
  if (brokers_.erase(exchange) + streams_.erase(exchange) != 0)
    apply(machine_.client_lost(exchange, now()));
}

/// The end of a broker that a stream has taken over may still be on its way; it concerns the session no more.
void session_state::quit_if_told(const caf::exit_msg& msg) {
  if (msg.source == owner_ || msg.source == self_->address())
    self_->quit(msg.reason);
}

void session_state::report(const collector_actor& to) {
  self_->send(to, session_counted{{machine_.counts(), machine_.calls_in_flight(), machine_.questions_in_flight(),
                                   brokers_.size()}});
  self_->send(upstream_, report_request{to});
}

// -- effects -----------------------------------------------------------------------------

void session_state::apply(protocol::effects effects) {
  for (auto& effect : effects)
    std::visit([this](auto& one) { apply(one); }, effect);
  reminder_.set(self_->address(), machine_.deadline());
}

void session_state::apply(protocol::forward& effect) { self_->send(upstream_, to_server{std::move(effect.what)}); }

void session_state::apply(protocol::reply& effect) {
  if (auto to = release(effect.exchange))
    self_->send(to, http_reply{std::move(effect.text), effect.opens ? id_ : std::string{}});
}

void session_state::apply(protocol::accept& effect) {
  if (auto to = release(effect.exchange))
    self_->send(to, http_accepted{});
}

void session_state::apply(protocol::reject& effect) {
  if (auto to = release(effect.exchange))
    self_->send(to, http_rejected{std::move(effect.why)});
}

void session_state::apply(protocol::confirm_end& effect) {
  if (auto to = release(effect.exchange))
    self_->send(to, http_ended{});
}

/// The broker goes to its stream, which owns it from here on.
void session_state::apply(protocol::open_stream& effect) {
  auto to = release(effect.exchange);
  if (!to)
    return;
  self_->unlink_from(to);
  linked_.erase(to.address());
  auto opened = spawn_linked<stream_state>(self_, self_->at(), setup_->keep_alive);
  linked_.emplace(opened.address(), effect.exchange);
  self_->send(opened, stream_attach{std::move(to)});
  streams_.emplace(effect.exchange, std::move(opened));
}

void session_state::apply(protocol::publish& effect) {
  if (auto found = streams_.find(effect.exchange); found != streams_.end())
    self_->send(found->second, stream_publish{protocol::encode(effect.what)});
}

/// A stream that was told to end concerns the session no more.
void session_state::apply(protocol::end_stream& effect) {
  if (auto node = streams_.extract(effect.exchange); !node.empty())
    self_->send(node.mapped(), stream_end{});
}

void session_state::apply(protocol::end_session& effect) {
  setup_->log(log_level::info, "session ended", {{"session", shown_id_}, {"why", std::move(effect.why)}});
  self_->quit(caf::exit_reason::user_shutdown);
}

} // namespace troupe::actors
