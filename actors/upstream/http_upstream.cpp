#include "actors/upstream/http_upstream.hpp"

#include "actors/runtime/event_log.hpp"
#include "net/crypto.hpp"
#include "protocol/access/caller_text.hpp"
#include "protocol/access/presented_tokens.hpp"

#include <utility>
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

net::call_carrier::on_event events_to(caf::actor_addr upstream) {
  return [upstream = std::move(upstream)](protocol::call_event news) {
    if (const auto alive = caf::actor_cast<caf::actor>(upstream))
      caf::anon_send(alive, remote_event{std::move(news)});
  };
}

std::string whom_of(const remote_setup& setup, const protocol::caller& who) {
  return setup.by_caller ? protocol::identity_of(who) : std::string{};
}

} // namespace

http_upstream_state::http_upstream_state(pinned<interface>* self, net::io_thread& thread, bare_upstream_setup whom,
                                         std::shared_ptr<const remote_setup> setup)
    : self_{self}, user_{std::move(whom.server), std::move(whom.user), std::move(whom.session), now()},
      setup_{std::move(setup)}, caller_{std::move(whom.caller)}, tokens_{std::move(whom.tokens)},
      machine_{remote_options_for(*setup_, caller_), net::random_64()},
      adapter_{{.era = setup_->remote.era, .known = whom.known, .is_remote = true, .name = setup_->server_name},
               *this,
               user_.server()},
      clients_{setup_->clients->of(whom_of(*setup_, caller_))},
      calls_{clients_->on(thread), events_to(self->address())}, reminder_{self->at()} {
  if (tokens_)
    credentials_.emplace(setup_->remote.held);
}

/// Sends the last request only: the client aborts open calls when it is destroyed.
http_upstream_state::~http_upstream_state() {
  if (watches_tokens_)
    self_->demonitor(tokens_.address());
  for (auto& effect : machine_.leave())
    if (auto last = std::get_if<protocol::send_last_request>(&effect))
      apply(*last);
}

http_upstream_actor::behavior_type http_upstream_state::make_behavior() {
  self_->set_down_handler([this](caf::down_msg&) {
    if (watches_tokens_)
      apply(machine_.credentials_lost("what fetches it has failed", now()));
  });
  user_.bind(self_);
  return {
      [this](to_server& msg) {
        if (!has_token_of_its_own(msg.message))
          msg.message.requester.reset();
        tell_face([&] { return adapter_.user_sent(std::move(msg.message), now(), std::move(msg.envelope)); });
      },
      [](user_disconnected&) {}, // unused: the upstream ends with its only user
      [this](report_request& msg) { report(msg.to); },
      [this](restart_request&) { user_.restart(self_); },
      [this](serve_user& msg) { user_.become(self_, msg); },
      [this](token_given& msg) {
        apply_all(credentials_->token_given(msg.whose, std::move(msg.text), msg.until));
        watch_tokens();
      },
      [this](token_refused& msg) {
        apply_all(credentials_->token_refused(msg.whose, msg.why));
        watch_tokens();
      },
      [this](remote_event& msg) { call_told(std::move(msg.what)); },
      [this](tick&) {
        reminder_.arrived();
        apply(machine_.tick(now()));
        tell_face([this] { return adapter_.tick(now()); });
      },
  };
}

/// `initialize` has none: a restarted server gets that of its first user, whose token may have expired.
bool http_upstream_state::has_token_of_its_own(const protocol::message& what) const {
  return setup_->exchanges && !what.is_method("initialize");
}

void http_upstream_state::call_told(protocol::call_event news) {
  if (!calls_.accept(news))
    return;
  if (credentials_ && news.is_last())
    credentials_->drop(news.call);
  if (auto head = std::get_if<protocol::call_head>(&news.what); credentials_ && head)
    apply_all(credentials_->head(news.call, head->status, std::move(head->fields)));
  else
    apply(machine_.call_told(news, now()));
}

void http_upstream_state::report(const collector_actor& to) {
  counted result;
  result.part.actors = 1;
  result.part.upstreams.push_back({setup_->server_name, 0, user_.age(self_), user_.session()});
  self_->send(to, std::move(result));
}

void http_upstream_state::log(log_level level, std::string text,
                              std::vector<std::pair<std::string, std::string>> facts) const {
  facts.insert(facts.begin(), {{"server", setup_->server_name}, {"session", user_.session()}});
  setup_->log(level, std::move(text), std::move(facts));
}

// -- effects -----------------------------------------------------------------------------

void http_upstream_state::apply(protocol::remote_effects effects) {
  for (auto& effect : effects)
    std::visit([this](auto& one) { apply(one); }, effect);
  hear_all();
}

void http_upstream_state::apply(protocol::send_call& effect) {
  const auto call = effect.call;
  if (!credentials_)
    return transmit(std::move(effect));
  auto whose = protocol::whose_requests(effect.requester);
  auto effects = credentials_->send(std::move(effect), std::move(whose), now());
  if (credentials_->waits(call))
    machine_.call_waits(call);
  apply_all(std::move(effects));
}

void http_upstream_state::transmit(protocol::send_call what) {
  const auto call = what.call;
  if (calls_.send(std::move(what)))
    machine_.call_waits(call);
}

void http_upstream_state::apply(protocol::drop_call& effect) {
  if (credentials_)
    credentials_->drop(effect.call);
  calls_.drop(effect.call);
}

void http_upstream_state::apply(protocol::send_last_request& effect) {
  if (auto field = credentials_ ? credentials_->field(now()) : std::nullopt)
    effect.fields.push_back(std::move(*field));
  else if (credentials_)
    return;
  calls_.send_last(std::move(effect));
}

// -- the adapter ------------------------------------------------------------------------------

/// Output of the machine is processed after this call.
std::optional<protocol::message> http_upstream_state::pass(protocol::message&& what) {
  apply(machine_.client_sent(std::move(what), now()));
  return std::nullopt;
}

void http_upstream_state::start_again() { apply(machine_.start_again(now())); }

void http_upstream_state::give_up(const std::string& why) { apply(machine_.give_up(why, now())); }

void http_upstream_state::note(protocol::log_note&& line) {
  log(level_of(line.is), std::move(line.text), std::move(line.facts));
}

template <class Fact>
void http_upstream_state::tell_face(Fact fact) {
  hears_ = true;
  show(fact());
  hears_ = false;
  hear_all();
}

void http_upstream_state::hear_all() {
  if (std::exchange(hears_, true))
    return;
  for (; !heard_.empty(); heard_.pop_front())
    std::visit([this](auto& one) { hear(one); }, heard_.front());
  hears_ = false;
  reminder_.set(self_->address(), std::min(machine_.deadline(), adapter_.deadline()));
}

void http_upstream_state::hear(protocol::deliver_message& said) {
  adapter_.server_sent(
      std::move(said.what), now(), [this](protocol::deliver_to_user&& shown) { user_.tell(self_, std::move(shown)); },
      said.concerns);
}

void http_upstream_state::hear(protocol::lose_server& how) {
  log(log_level::warning, "server lost", {{"why", how.why}});
  show(adapter_.server_lost(now(), how.is_shortage, how.why));
  user_.tell_loss(self_, how.why, how.is_shortage, how.is_expired);
  self_->quit();
}

void http_upstream_state::show(era_adapter::shown&& all) {
  for (auto& one : all)
    user_.tell(self_, std::move(one));
}

// -- requests that need a token ------------------------------------------------------------

void http_upstream_state::apply_all(protocol::caller_calls::effects effects) {
  for (auto& effect : effects)
    std::visit([this](auto& one) { carry_out(one); }, effect);
}

/// Sends a call that has waited for its token. The call begins now, unless it waits for a connection. An effect on a
/// different call may have ended it.
void http_upstream_state::carry_out(protocol::send_call& effect) {
  const auto call = effect.call;
  if (!credentials_->knows(call))
    return;
  if (calls_.send(std::move(effect)))
    machine_.call_waits(call);
  else
    apply(machine_.call_begun(call, now()));
}

/// Monitors the token source only while its answer is due: it may outlive many upstreams, and would keep all monitors.
void http_upstream_state::watch_tokens() {
  const auto from_now_on = credentials_->awaits_token();
  if (std::exchange(watches_tokens_, from_now_on) == from_now_on)
    return;
  if (from_now_on)
    self_->monitor(tokens_);
  else
    self_->demonitor(tokens_.address());
}

void http_upstream_state::carry_out(protocol::want_token& effect) {
  watch_tokens();
  self_->send(tokens_, token_request{effect.requester ? std::move(effect.requester) : caller_, std::move(effect.whose),
                                     std::move(effect.stale), caf::actor_cast<token_user_actor>(self_)});
}

void http_upstream_state::carry_out(protocol::withhold_call& effect) {
  apply(machine_.call_withheld(effect.call, effect.why, now()));
}

void http_upstream_state::carry_out(protocol::take_head& effect) {
  apply(machine_.call_head(effect.call, effect.status, effect.fields, now()));
}

} // namespace troupe::actors
