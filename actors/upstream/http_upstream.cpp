#include "actors/upstream/http_upstream.hpp"

#include "net/crypto.hpp"
#include "protocol/access/caller_text.hpp"
#include "protocol/access/presented_tokens.hpp"
#include "protocol/text/base_encodings.hpp"

#include <variant>

namespace troupe::actors {

namespace {

/// Adds the caller's values to the headers. Callers that lack a required claim were refused by the SERVER.
protocol::remote_options remote_options_for(const remote_setup& setup, const protocol::caller& who) {
  auto result = setup.remote;
  if (!setup.by_caller)
    return result;
  auto told = protocol::texts_for(std::move(result.headers), who, protocol::attribute_target::header);
  result.headers = std::get<protocol::named_texts>(std::move(told));
  return result;
}

protocol::server_as_legacy_rules adapter_rules_for(const remote_setup& setup, protocol::server_era known) {
  return {.era = setup.remote.era,
          .known = known,
          .is_remote = true,
          .name = setup.server_name,
          .mark = protocol::hex(net::random_128())};
}

net::call_carrier::on_event events_to(caf::actor_addr upstream) {
  return [upstream = std::move(upstream)](protocol::call_event news) {
    send_if_alive(upstream, remote_event{std::move(news)});
  };
}

std::string whom_of(const remote_setup& setup, const protocol::caller& who) {
  return setup.by_caller ? protocol::identity_of(who) : std::string{};
}

} // namespace

http_upstream_state::http_upstream_state(pinned<interface>* self, net::io_thread& thread, bare_upstream_setup whom,
                                         std::shared_ptr<const remote_setup> setup)
    : self_{self}, user_{whom, now()}, setup_{std::move(setup)}, caller_{std::move(whom.caller)},
      tokens_{std::move(whom.tokens)}, machine_{remote_options_for(*setup_, caller_),
                                                adapter_rules_for(*setup_, whom.known), net::random_64()},
      clients_{setup_->clients->of(whom_of(*setup_, caller_))},
      calls_{clients_->on(thread), events_to(self->address()), listener_here()}, reminder_{self->at()} {
  if (tokens_)
    calls_.use_tokens(setup_->remote.held);
}

http_upstream_state::carrier::listener http_upstream_state::listener_here() {
  return {[this](protocol::http_call_id call) { machine_.call_waits(call); },
          [this](const protocol::call_event& news) { carry_out(machine_.receive_event(news, now())); },
          [this](protocol::want_token what) { want(std::move(what)); }};
}

/// Sends the last request only: the client aborts open calls when it is destroyed.
http_upstream_state::~http_upstream_state() {
  if (watches_tokens_)
    self_->demonitor(tokens_.address());
  for (auto& effect : machine_.leave())
    if (auto last = std::get_if<protocol::send_last_request>(&effect))
      perform(*last);
}

http_upstream_actor::behavior_type http_upstream_state::make_behavior() {
  self_->set_down_handler([this](caf::down_msg&) {
    if (watches_tokens_)
      carry_out(machine_.credentials_lost("what fetches it has failed", now()));
  });
  user_.bind(self_);
  return {
      [this](to_server& msg) {
        // `initialize` has no token of its own: a restarted server gets that of its first user, which may have expired.
        if (!setup_->exchanges || msg.message.is_method("initialize"))
          msg.message.requester.reset();
        carry_out(machine_.user_sent(std::move(msg.message), now(), std::move(msg.envelope)));
      },
      [](user_disconnected&) {}, // unused: the upstream ends with its only user
      [this](report_request& msg) { user_.report(self_, msg.to, setup_->server_name); },
      [this](restart_request&) { user_.restart(self_); },
      [this](serve_user& msg) { user_.become(self_, msg); },
      [this](token_given& msg) {
        calls_.token_given(msg.whose, std::move(msg.text), msg.until);
        watch_tokens();
      },
      [this](token_refused& msg) {
        calls_.token_refused(msg.whose, msg.why);
        watch_tokens();
      },
      [this](remote_event& msg) { calls_.arrived(std::move(msg.what)); },
      [this](tick&) {
        reminder_.arrived();
        carry_out(machine_.tick(now()));
      },
  };
}

void http_upstream_state::log(log_level level, std::string text,
                              std::vector<std::pair<std::string, std::string>> facts) const {
  facts.insert(facts.begin(), {{"server", setup_->server_name}, {"session", user_.session()}});
  setup_->log(level, std::move(text), std::move(facts));
}

// -- effects -----------------------------------------------------------------------------

void http_upstream_state::carry_out(protocol::remote_connection::effects effects) {
  for (auto& effect : effects)
    std::visit([this](auto& one) { perform(one); }, effect);
  reminder_.set(self_->address(), machine_.deadline());
}

void http_upstream_state::perform(protocol::send_call& effect) {
  auto whose = calls_.uses_tokens() ? protocol::token_key(effect.requester) : std::string{};
  calls_.send(std::move(effect), std::move(whose), now());
}

void http_upstream_state::perform(const protocol::note_era& effect) {
  auto line = protocol::line_of(effect);
  perform(line);
  caf::anon_send(user_.server(), server_era_detected{effect.is, !effect.doubt.empty()});
}

void http_upstream_state::perform(protocol::lose_server& effect) {
  if (effect.is_expired)
    log(log_level::info, "the server has ended its session with the gateway", {{"why", effect.why}});
  user_.tell_loss(self_, {effect.why, effect.is_shortage, effect.is_expired});
  self_->quit();
}

// -- requests that need a token ------------------------------------------------------------

/// Monitors the token source only while its answer is due: it may outlive many upstreams, and would keep all monitors.
void http_upstream_state::watch_tokens() {
  const auto from_now_on = calls_.awaits_token();
  if (std::exchange(watches_tokens_, from_now_on) == from_now_on)
    return;
  if (from_now_on)
    self_->monitor(tokens_);
  else
    self_->demonitor(tokens_.address());
}

void http_upstream_state::want(protocol::want_token what) {
  watch_tokens();
  self_->send(tokens_, token_request{what.requester ? std::move(what.requester) : caller_, std::move(what.whose),
                                     std::move(what.stale), caf::actor_cast<token_user_actor>(self_)});
}

} // namespace troupe::actors
