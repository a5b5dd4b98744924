#include "actors/upstream/http_upstream.hpp"

#include "actors/runtime/log_note.hpp"
#include "net/random.hpp"

#include <variant>

namespace troupe::actors {

namespace {

/// How long the last word may take.
constexpr std::chrono::seconds end_session_limit{2};

} // namespace

http_upstream_state::http_upstream_state(pinned<interface>* self, net::io_thread& thread, server_actor server,
                                         downstream_actor user, std::string session,
                                         std::shared_ptr<const remote_setup> setup)
    : self_{self}, user_{std::move(server), std::move(user), std::move(session), now()}, setup_{std::move(setup)},
      machine_{setup_->remote, net::random_64()}, client_{setup_->clients->on(thread)}, reminder_{self->at()} {}

/// The client aborts what is open when it is destroyed: only the last word is left to say.
http_upstream_state::~http_upstream_state() {
  for (auto& effect : machine_.leave())
    if (auto last = std::get_if<protocol::say_farewell>(&effect))
      apply(*last);
}

http_upstream_actor::behavior_type http_upstream_state::make_behavior() {
  user_.bind(self_);
  return {
      [this](to_server& msg) { apply(machine_.client_sent(std::move(msg.message), now())); },
      [](user_left&) {}, // has one user, with whom it ends
      [this](report_request& msg) { report(msg.to); },
      [this](serve_user& msg) { user_.become(self_, msg); },
      [this](remote_head& msg) { apply(machine_.call_head(msg.call, msg.status, msg.fields, now())); },
      [this](remote_body& msg) { apply(machine_.call_body(msg.call, msg.bytes, now())); },
      [this](remote_ended& msg) {
        calls_.erase(msg.call);
        apply(machine_.call_ended(msg.call, now()));
      },
      [this](remote_failed& msg) {
        calls_.erase(msg.call);
        apply(machine_.call_failed(msg.call, msg.why, now(), msg.is_shortage));
      },
      [this](remote_begun& msg) { apply(machine_.call_begun(msg.call, now())); },
      [this](tick&) {
        reminder_.arrived();
        apply(machine_.tick(now()));
      },
  };
}

net::http_call_events http_upstream_state::events(protocol::http_call_id call) {
  auto tell = [self = self_->address()](auto fact) {
    if (auto alive = caf::actor_cast<caf::actor>(self))
      caf::anon_send(alive, std::move(fact));
  };
  return {
      [tell, call](net::http_answer_head head) {
        tell(remote_head{call, head.status, std::move(head.fields)});
      },
      [tell, call](std::string bytes) {
        tell(remote_body{call, std::move(bytes)});
      },
      [tell, call] { tell(remote_ended{call}); },
      [tell, call](std::string why, bool is_shortage) {
        tell(remote_failed{call, std::move(why), is_shortage});
      },
      [tell, call] { tell(remote_begun{call}); },
  };
}

void http_upstream_state::report(const collector_actor& to) {
  counted result;
  result.part.actors = 1;
  result.part.upstreams.push_back({setup_->server_name, 0, user_.age(self_), user_.session()});
  self_->send(to, std::move(result));
}

void http_upstream_state::log(log_level level, std::string text, std::pair<std::string, std::string> fact) const {
  if (fact.first.empty())
    setup_->log(level, std::move(text), {{"server", setup_->server_name}, {"session", user_.session()}});
  else
    setup_->log(level, std::move(text),
                {{"server", setup_->server_name}, {"session", user_.session()}, std::move(fact)});
}

// -- effects -----------------------------------------------------------------------------

void http_upstream_state::apply(protocol::remote_effects effects) {
  for (auto& effect : effects)
    std::visit([this](auto& one) { apply(one); }, effect);
  reminder_.set(self_->address(), machine_.deadline());
}

void http_upstream_state::apply(protocol::send_call& effect) {
  net::http_call call{.method = std::move(effect.method),
                      .url = std::move(effect.url),
                      .fields = std::move(effect.fields),
                      .body = std::move(effect.body),
                      .head_patience = effect.patience,
                      .silence = effect.patience,
                      .turn = effect.turn};
  auto started = client_.start(std::move(call), events(effect.call));
  calls_.emplace(effect.call, started);
  if (client_.waits(started))
    machine_.call_waits(effect.call);
}

void http_upstream_state::apply(protocol::drop_call& effect) {
  if (auto node = calls_.extract(effect.call); !node.empty())
    client_.abort(node.mapped());
}

void http_upstream_state::apply(protocol::release_call& effect) {
  if (auto at = calls_.find(effect.call); at != calls_.end())
    client_.release(at->second);
}

void http_upstream_state::apply(protocol::take_message& effect) { user_.tell(self_, std::move(effect.what)); }

void http_upstream_state::apply(protocol::lose_server& effect) {
  log(log_level::warning, "server lost", {"why", effect.why});
  user_.tell_loss(self_, effect.why, effect.is_shortage);
  self_->quit();
}

void http_upstream_state::apply(protocol::log_note& effect) { log(level_of(effect.is), std::move(effect.text)); }

void http_upstream_state::apply(protocol::say_farewell& effect) {
  net::http_call call{
      .method = std::move(effect.method), .url = std::move(effect.url), .fields = std::move(effect.fields)};
  client_.bid_farewell(std::move(call), end_session_limit);
}

} // namespace troupe::actors
