#include "actors/session/session.hpp"

#include "protocol/delivery/event_store.hpp"
#include "protocol/delivery/sse_delivery.hpp"
#include "protocol/ids.hpp"
#include "protocol/rejection.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace troupe::actors {

namespace {

std::unique_ptr<protocol::delivery> delivery_of(const new_session& what, const session_setup& setup) {
  if (what.via == protocol::transport::http_sse)
    return std::make_unique<protocol::sse_delivery>(what.prefix + setup.paths.messages(what.path, what.id));
  return std::make_unique<protocol::http_delivery>(setup.http, protocol::event_tag(what.id));
}

std::optional<protocol::session_record> record_of(const new_session& what) {
  if (!what.kept)
    return std::nullopt;
  return protocol::session_record{.path = what.path, .owner = protocol::identity_of(what.caller)};
}

protocol::session machine_for(const new_session& what, const session_setup& setup, protocol::time_point now) {
  return {setup.limits.with_request(what.request), delivery_of(what, setup), now, record_of(what)};
}

} // namespace

// Callers of a session, and what they may use.

void session_state::asks(const protocol::caller& caller) {
  servers_.asks(caller);
  hear_servers();
}

bool session_state::refuses(const broker_actor& broker, std::optional<protocol::rejection> why) {
  if (!why)
    return false;
  self_->send(broker, http_rejected{std::move(*why)});
  return true;
}

/// Attaches the caller to each message. The caller may have other credentials by the time that the request is carried
/// out or answered. Access, and the token exchanged for the server's, depend on those that came with the request.
void session_state::sign(protocol::post_body& body, const protocol::caller& caller) const {
  if (servers_.is_guarded() || setup_->callers->are_wanted())
    for (auto& one : body.messages)
      one.asker = caller;
}

/// Ends streams whose credentials have expired: their callers come back with fresh ones, or not at all.
void session_state::send_expired_away(protocol::time_point until) {
  if (auto those = clients_.take_expired(until, machine_.resumes_calls()); !those.empty())
    apply(machine_.send_away(those, now()));
}

// Sessions that another node may own.

/// Claims the session with its current record; one that waits to be written is older. A session that never had a record
/// is unknown to other nodes, and needs no claim.
void session_state::claim(const tenure_regained& how) {
  if (!kept_ || is_ours())
    return;
  auto is_record = [](auto& one) { return std::holds_alternative<protocol::remember>(one); };
  auto record = machine_.write_again(now());
  auto found = std::ranges::find_if(record, is_record);
  if (found == record.end())
    return self_->send(owner_, session_regained{here_.id, how.how.term});
  held_.drop_record();
  self_->send(kept_->store, session_claimed{here_.id, std::move(std::get<protocol::remember>(*found).record), how.how});
}

/// Refuses clients while another node may be the owner: other nodes may query the store for it.
bool session_state::turns_away(const broker_actor& broker) {
  if (is_ours())
    return false;
  self_->send(broker, http_rejected{protocol::owner_unknown()});
  return true;
}

/// Ends without a message to the server, as the new owner speaks for the session. Clients are asked to retry.
void session_state::step_down(std::string_view why) {
  note(log_level::warning, "session is given up", std::string{why});
  if (kept_)
    self_->send(kept_->store, session_given_up{here_.id});
  for (auto& one : clients_.all())
    if (!one.streams)
      self_->send(one.broker, http_rejected{protocol::session_moves()});
  for (auto& one : clients_.all())
    if (one.streams)
      self_->send(one.broker, sse_end{});
  leave();
}

void session_state::depart() {
  if (!is_ours())
    return;
  if (!machine_.departs())
    send_listeners_away();
  apply(machine_.depart("it moves to another node", now()));
}

/// Counts calls under way as cancelled: their clients do not learn the outcome.
void session_state::leave() {
  operations_.end_all({protocol::call_outcome::kind::cancelled});
  followers_.end();
  servers_.drop();
  self_->quit(caf::exit_reason::user_shutdown);
}

session_state::session_state(pinned<interface>* self, registry_actor owner, new_session what,
                             std::shared_ptr<const session_setup> setup)
    : self_{self}, owner_{std::move(owner)}, here_{what.id, what.via, what.path, self->address(),
                                                   protocol::identity_of(what.caller)},
      setup_{std::move(setup)}, machine_{machine_for(what, *setup_, now())}, reminder_{self->at()},
      servers_{self, servers_of(owner_, what, setup_)}, kept_{std::move(what.kept)}, idle_{std::move(what.idle)},
      held_{setup_->http.all_waiting_bytes}, restored_{std::move(what.restored)}, clients_{self},
      operations_{self->at(), setup_->watch, here_.id}, metrics_{self->at(), what.via}, followers_{self} {
  note_begin(setup_->log, restored_ ? "session is restored" : "session begins", here_.id, what.request_id);
}

session_state::~session_state() { self_->at().sessions().remove(here_); }

session_actor::behavior_type session_state::make_behavior() {
  self_->at().sessions().add(here_);
  self_->set_exit_handler([this](caf::exit_msg& msg) { on_exit_of(msg); });
  self_->set_down_handler([this](caf::down_msg& msg) { on_down_of(msg.source); });
  if (restored_)
    begin_again();
  return {
      [this](client_post& msg) { take(msg); },
      [this](from_server& msg) {
        servers_.hear(msg);
        hear_servers();
      },
      [this](client_listen& msg) {
        if (turns_away(msg.broker) || refuses(msg.broker, servers_.refuse(msg.caller, setup_->scopes)))
          return;
        asks(msg.caller);
        auto exchange = clients_.adopt(msg, true);
        apply(machine_.client_listens(exchange, msg.last, now()));
      },
      [this](client_delete& msg) {
        if (!turns_away(msg.broker))
          apply(machine_.client_ends(clients_.adopt(msg), now()));
      },
      [this](drain& msg) { apply(machine_.drain(msg.why, msg.at_once, now(), msg.for_good)); },
      [this](session_disowned&) {
        if (kept_)
          step_down("another node may own it");
      },
      [this](tenure_regained& msg) { claim(msg); },
      [this](session_regained&) {
        apply(protocol::effects{});
        apply(machine_.regained(now()));
      },
      [this](session_departs&) { depart(); },
      [this](session_released&) { apply(machine_.released(now())); },
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

void session_state::take(client_post& msg) {
  if (turns_away(msg.broker) || refuses(msg.broker, servers_.refuse(msg.body, msg.caller, setup_->scopes)))
    return;
  asks(msg.caller);
  show(msg.body);
  sign(msg.body, msg.caller);
  auto exchange = clients_.adopt(msg);
  operations_.begin(exchange, msg.body);
  apply(machine_.client_sent(exchange, std::move(msg.body), now()));
}

void session_state::on_tick() {
  reminder_.arrived();
  servers_.tick();
  send_expired_away(now());
  apply(machine_.tick(now()));
}

void session_state::note(log_level level, std::string what, std::string why) const {
  std::vector<std::pair<std::string, std::string>> fields{{"session", protocol::shown(here_.id)}};
  if (!why.empty())
    fields.emplace_back("why", std::move(why));
  setup_->log(level, std::move(what), std::move(fields));
}

/// Numbers exchanges after those that clients of other nodes may have seen.
void session_state::begin_again() {
  auto effects = machine_.restore(std::move(*restored_), now());
  restored_.reset();
  clients_.count_from(machine_.last_exchange());
  apply(std::move(effects));
}

/// Takes one fact at a time: a fact caused by an effect of the session waits until all effects are carried out.
void session_state::hear_servers() {
  if (std::exchange(hears_servers_, true))
    return;
  while (auto told = servers_.take())
    if (auto* lost = std::get_if<server_lost>(&*told))
      apply(machine_.server_lost(lost->why, now(), lost->is_shortage, servers_.outcome_of_loss()));
    else
      hear(std::get<from_server>(*told));
  hears_servers_ = false;
  remind();
}

void session_state::hear(from_server& said) {
  show(said.message);
  auto effects = machine_.server_sent(std::move(said.message), now());
  for (auto& what : said.more) {
    show(what);
    std::ranges::move(machine_.server_sent(std::move(what), now()), std::back_inserter(effects));
  }
  apply(std::move(effects));
}

void session_state::remind() {
  reminder_.set(self_->address(), std::min({machine_.deadline(), clients_.first_until(), servers_.deadline()}));
}

void session_state::on_down_of(const caf::actor_addr& who) {
  servers_.gone(who);
  followers_.gone(who);
  hear_servers();
  if (auto exchange = clients_.lost(who))
    apply(machine_.client_lost(*exchange, now()));
}

void session_state::on_exit_of(const caf::exit_msg& msg) {
  if (msg.source == owner_ || msg.source == self_->address())
    self_->quit(msg.reason);
}

void session_state::report(const collector_actor& to) {
  counted result;
  result.part.actors = 1;
  result.part.sessions.push_back(
      {machine_.counts(), machine_.calls_in_flight(), machine_.questions_in_flight(), clients_.unanswered()});
  result.asked = servers_.count_own();
  self_->send(to, std::move(result));
  servers_.report(to);
}

/// Ends the listening streams of this node's own clients; those of clients that came through other nodes stay.
void session_state::send_listeners_away() {
  std::vector<protocol::exchange_id> those;
  for (auto& one : clients_.all())
    if (one.streams && one.listens && one.came == protocol::came_by::client)
      those.push_back(one.exchange);
  apply(machine_.send_away(those, now()));
}

// -- effects -----------------------------------------------------------------------------

void session_state::apply(protocol::effects effects) {
  operations_.take_finished(machine_, clients_);
  if (is_ours()) {
    auto before = held_.take();
    carry_out(before);
    carry_out(effects);
  } else {
    held_.add(std::move(effects));
    if (auto why = held_.trouble())
      return step_down(*why);
  }
  remind();
  idle_->tell(machine_.idle_since(), servers_.count_own());
  metrics_.tell(machine_.counts(), machine_.calls_in_flight());
  hear_servers();
}

void session_state::carry_out(protocol::effects& all) {
  clients_.carry_out(all, [this](auto& one) { apply(one); });
}

void session_state::apply(protocol::forward& effect) { operations_.forward(std::move(effect.what), servers_); }

void session_state::apply(protocol::reply& effect) {
  clients_.answer(effect.exchange, http_reply{std::move(effect.text), effect.opens ? here_.id : std::string{}});
}

void session_state::apply(protocol::accept& effect) { clients_.answer(effect.exchange, http_accepted{}); }

void session_state::apply(protocol::reject& effect) {
  operations_.refused(effect.exchange, effect.why.code);
  clients_.answer(effect.exchange, http_rejected{std::move(effect.why)});
}

/// Counts calls under way as cancelled: the client has given them up.
void session_state::apply(protocol::confirm_end& effect) {
  operations_.end_all({protocol::call_outcome::kind::cancelled});
  clients_.answer(effect.exchange, http_ended{});
}

void session_state::apply(protocol::remember& effect) {
  self_->send(kept_->store, session_saved{here_.id, std::move(effect.record), kept_->term});
}

void session_state::apply(protocol::keep_event& effect) {
  self_->send(kept_->store, event_saved{here_.id, std::move(effect.what), kept_->term});
}

/// Removes the session from the unit's table: later requests go to the registry, and from there to the other node.
void session_state::apply(const protocol::hand_over&) {
  self_->at().sessions().remove(here_);
  self_->send(kept_->store, session_handed_over{here_.id, kept_->term});
}

void session_state::apply(protocol::pass_on& effect) {
  operations_.forget(effect.exchange);
  if (auto to = clients_.release(effect.exchange); to.broker)
    std::visit([&](auto& what) { pass_on(what, std::move(to)); }, effect.what);
}

void session_state::pass_on(protocol::waiting_post& what, session_clients::client from) {
  self_->send(owner_, client_post{.server = here_.path,
                                  .session = here_.id,
                                  .body = std::move(what.body),
                                  .broker = std::move(from.broker),
                                  .via = here_.via,
                                  .came = from.came,
                                  .unit = self_->at().number(),
                                  .caller = std::move(from.caller)});
}

void session_state::pass_on(protocol::waiting_listen& what, session_clients::client from) {
  self_->send(owner_, client_listen{.server = here_.path,
                                    .session = here_.id,
                                    .last = std::move(what.last),
                                    .broker = std::move(from.broker),
                                    .came = from.came,
                                    .caller = std::move(from.caller)});
}

void session_state::pass_on(protocol::waiting_end&, session_clients::client from) {
  self_->send(owner_, client_delete{.server = here_.path,
                                    .session = here_.id,
                                    .broker = std::move(from.broker),
                                    .came = from.came,
                                    .caller = std::move(from.caller)});
}

void session_state::apply(protocol::end_session& effect) {
  note(log_level::info, "session ended", std::move(effect.why));
  if (kept_ && !effect.survives)
    self_->send(kept_->store, session_forgotten{here_.id});
  leave();
}

} // namespace troupe::actors
