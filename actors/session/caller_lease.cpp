#include "actors/session/caller_lease.hpp"

#include "actors/session/session_servers.hpp"
#include "protocol/ids.hpp"

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

namespace troupe::actors {

namespace {

/// `id` outlives the face.
protocol::server_as_modern_rules face_rules_of(std::string_view id, const new_session& what,
                                               const std::shared_ptr<const session_setup>& setup) {
  protocol::server_as_modern_rules result;
  result.can = what.can;
  result.lease = id;
  result.seal = seal_for(what.caller, setup);
  result.passes = what.passes;
  result.seals_tasks = what.caller != nullptr;
  result.version = TROUPE_VERSION;
  result.calls = setup->limits.calls;
  result.collect = std::chrono::milliseconds{10};
  result.parked = setup->limits.question;
  return result;
}

} // namespace

caller_lease_state::caller_lease_state(pinned<interface>* self, registry_actor owner, new_session what,
                                       std::shared_ptr<const session_setup> setup)
    : self_{self}, owner_{std::move(owner)}, here_{what.id, what.via, what.path, self->address(),
                                                   protocol::identity_of(what.caller)},
      key_{std::move(what.key)}, is_strangers_{what.is_strangers}, rights_{rights_told(what.caller)}, setup_{std::move(
                                                                                                          setup)},
      machine_{{what.lease_time, setup_->http.patience}, face_rules_of(here_.id, what, setup_), now()},
      reminder_{self->at()}, servers_{self, servers_of(owner_, what, setup_)}, idle_{std::move(what.idle)},
      clients_{self}, operations_{self->at(), setup_->watch}, metrics_{self->at()}, followers_{self} {
  note_begin(setup_->log, "lease begins", here_.id, what.request_id);
}

caller_lease_state::~caller_lease_state() { hide(); }

/// Removes the lease from the unit's table: later requests go to the registry.
void caller_lease_state::hide() {
  self_->at().sessions().remove(here_);
  self_->at().sessions().remove(here_, key_);
}

session_actor::behavior_type caller_lease_state::make_behavior() {
  self_->at().sessions().add(here_);
  if (!key_.empty())
    self_->at().sessions().add(here_, key_);
  self_->set_exit_handler([this](caf::exit_msg& msg) { on_exit_of(msg); });
  self_->set_down_handler([this](caf::down_msg& msg) { on_down_of(msg.source); });
  remind();
  idle_->tell(machine_.idle_since(), servers_.count_own());
  auto has_no_streams = [this](auto& msg) { self_->send(msg.broker, http_rejected{protocol::session_not_found()}); };
  return {
      [this](client_post& msg) { take(msg); },
      [this](from_server& msg) {
        servers_.hear(msg);
        hear_servers();
      },
      [has_no_streams](client_listen& msg) { has_no_streams(msg); },
      [has_no_streams](client_delete& msg) { has_no_streams(msg); },
      [this](drain& msg) { end(msg); },
      // No store keeps a lease.
      [](session_disowned&) {},
      [](tenure_regained&) {},
      [](session_regained&) {},
      [](session_departs&) {},
      [](session_released&) {},
      [this](members_changed& msg) {
        servers_.change_members(std::move(msg.members));
        hear_servers();
      },
      [this](caller_stale&) { send_expired_away(protocol::time_point::max()); },
      [this](server_given& msg) { servers_.given(msg); },
      [this](server_lost& msg) {
        servers_.lost(msg);
        hear_servers();
      },
      [this](report_request& msg) { report(msg.to); },
      [this](describe_request& msg) { describe(msg); },
      [this](follow_request& msg) { followers_.add(msg); },
      [this](end_call& msg) { end(msg); },
      [this](restart_request& msg) { servers_.restart(msg.server); },
      [this](tick&) { on_tick(); },
  };
}

/// Returns requests that arrive before the registry knows of the lease's end: no server received them, so the registry
/// can assign them again. `session_released` is the registry's last message.
session_actor::behavior_type caller_lease_state::after_the_end() {
  auto give_back = [this](auto& msg) { self_->send(owner_, std::move(msg)); };
  return {
      [give_back](client_post& msg) { give_back(msg); },
      [](from_server&) {},
      [give_back](client_listen& msg) { give_back(msg); },
      [give_back](client_delete& msg) { give_back(msg); },
      [](drain&) {},
      [](session_disowned&) {},
      [](tenure_regained&) {},
      [](session_regained&) {},
      [](session_departs&) {},
      [this](session_released&) { self_->quit(caf::exit_reason::user_shutdown); },
      [](members_changed&) {},
      [](caller_stale&) {},
      [this](server_given& msg) { servers_.given(msg); },
      [](server_lost&) {},
      [this](report_request& msg) { report(msg.to); },
      [this](describe_request& msg) { describe(msg); },
      [this](end_call& msg) { end(msg); },
      [](follow_request& msg) { caf::anon_send(msg.broker, http_rejected{protocol::session_not_found()}); },
      [](restart_request&) {},
      [](tick&) {},
  };
}

/// A retry finds its lease by id, whatever its rights. Where access rules depend on rights, callers with other rights
/// have their own lease. Local and remote anonymous clients both have no name, but neither may use a lease that the
/// other has begun.
std::optional<protocol::rejection> caller_lease_state::refuse(const client_post& msg) const {
  if (msg.is_strangers != is_strangers_)
    return protocol::state_refused(msg.body.messages.front().id);
  if (auto why = servers_.refuse(msg.body, msg.caller, setup_->scopes))
    return why;
  if (servers_.is_guarded() && rights_told(msg.caller) != rights_)
    return protocol::state_refused(msg.body.messages.front().id);
  return std::nullopt;
}

/// Drops the key first: the next request with it gets another lease.
void caller_lease_state::end(const drain& why) {
  self_->at().sessions().remove(here_, key_);
  apply(machine_.drain(why.why, why.at_once, now()));
}

void caller_lease_state::take(client_post& msg) {
  if (auto why = refuse(msg))
    return self_->send(msg.broker, http_rejected{std::move(*why)});
  servers_.asks(msg.caller);
  hear_servers();
  auto request = std::move(msg.body.messages.front());
  if (servers_.is_guarded() || setup_->callers->are_wanted())
    request.asker = msg.caller;
  if (servers_.is_guarded())
    request = servers_.without_hidden(std::move(request), msg.caller);
  if (!followers_.empty())
    followers_.client_said(request);
  auto exchange = clients_.adopt(msg, request.is_method("subscriptions/listen"));
  operations_.begin(exchange, request);
  apply(machine_.client_sent(exchange, std::move(request), *msg.envelope, now()));
}

/// Takes one fact at a time: a fact caused by an effect of the lease waits until all effects are carried out.
void caller_lease_state::hear_servers() {
  if (std::exchange(hears_servers_, true))
    return;
  while (auto told = servers_.take()) {
    if (auto* lost = std::get_if<server_lost>(&*told)) {
      if (servers_.are_over())
        end({.why = std::move(lost->why), .at_once = true});
      else
        apply(machine_.server_lost(lost->why, now()));
      continue;
    }
    auto& said = std::get<from_server>(*told);
    hear(std::move(said.message));
    for (auto& what : said.more)
      hear(std::move(what));
  }
  hears_servers_ = false;
  remind();
}

void caller_lease_state::hear(protocol::message&& what) {
  show(what);
  auto about = protocol::is_request(what) ? servers_.calls_of(what) : std::nullopt;
  apply(machine_.server_sent(std::move(what), now(), about));
}

void caller_lease_state::on_tick() {
  reminder_.arrived();
  servers_.tick();
  send_expired_away(now());
  apply(machine_.tick(now()));
}

void caller_lease_state::remind() {
  reminder_.set(self_->address(), std::min({machine_.deadline(), clients_.first_until(), servers_.deadline()}));
}

/// Ends streams whose credentials have expired: their callers come back with fresh ones, or not at all.
void caller_lease_state::send_expired_away(protocol::time_point until) {
  if (auto those = clients_.take_expired(until, false); !those.empty())
    apply(machine_.send_away(those, now()));
}

void caller_lease_state::on_down_of(const caf::actor_addr& who) {
  servers_.gone(who);
  followers_.gone(who);
  hear_servers();
  if (auto exchange = clients_.lost(who))
    apply(machine_.client_lost(*exchange, now()));
}

void caller_lease_state::on_exit_of(const caf::exit_msg& msg) {
  if (msg.source == owner_ || msg.source == self_->address())
    self_->quit(msg.reason);
}

void caller_lease_state::report(const collector_actor& to) {
  counted result;
  result.part.actors = 1;
  auto& face = machine_.face();
  result.part.leases.push_back({face.calls_in_flight(), face.parked_calls(), face.listens()});
  result.asked = servers_.count_own();
  self_->send(to, std::move(result));
  servers_.report(to);
}

// -- effects -----------------------------------------------------------------------------

void caller_lease_state::apply(protocol::effects effects) {
  operations_.take_finished(machine_, clients_);
  carry_out(effects);
  remind();
  idle_->tell(machine_.idle_since(), servers_.count_own());
  metrics_.tell(machine_.face());
  hear_servers();
}

void caller_lease_state::carry_out(protocol::effects& all) {
  clients_.carry_out(all, [this](auto& one) { apply(one); });
}

void caller_lease_state::apply(protocol::forward& effect) { operations_.forward(std::move(effect.what), servers_); }

void caller_lease_state::apply(protocol::reply& effect) {
  clients_.answer(effect.exchange, http_reply{std::move(effect.text), {}});
}

void caller_lease_state::apply(protocol::reject& effect) {
  operations_.refused(effect.exchange, effect.why.code);
  clients_.answer(effect.exchange, http_rejected{std::move(effect.why)});
}

void caller_lease_state::apply(protocol::end_session& effect) {
  setup_->log(log_level::debug, "lease ended",
              {{"session", protocol::shown(here_.id)}, {"why", std::move(effect.why)}});
  followers_.end();
  servers_.drop();
  hide();
  self_->send(owner_, session_let_go{here_.id});
  self_->set_down_handler([](caf::down_msg&) {});
  self_->become(after_the_end());
}

} // namespace troupe::actors
