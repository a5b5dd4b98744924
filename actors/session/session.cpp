#include "actors/session/session.hpp"

#include "actors/runtime/calendar.hpp"
#include "actors/session/guarded_servers.hpp"
#include "net/digest.hpp"
#include "protocol/delivery/event_id.hpp"
#include "protocol/delivery/sse_delivery.hpp"
#include "protocol/http/path.hpp"
#include "protocol/refused_for_now.hpp"
#include "protocol/rejection.hpp"
#include "protocol/session_id.hpp"
#include "protocol/text/hex.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace troupe::actors {

namespace {

std::unique_ptr<protocol::delivery> delivery_of(const new_session& what, const session_setup& setup) {
  if (what.via == protocol::transport::http_sse)
    return std::make_unique<protocol::sse_delivery>(protocol::messages_path(what.path, what.id));
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

/// For nobody in particular there is nobody else.
protocol::cursor_seal seal_for(const protocol::caller& caller, const session_setup& setup) {
  if (!caller)
    return {};
  return [keys = setup.seal_keys, whose = protocol::identity_of(caller) + ' '](std::string_view text) {
    std::vector<std::string> result;
    for (const auto& key : keys())
      result.push_back(protocol::hex(net::keyed_digest(key, whose + std::string{text})));
    return result;
  };
}

/// Null for a session of one server.
std::unique_ptr<merged_servers> merged(pinned<session_actor>* self, const registry_actor& registry,
                                       const lazy_upstream& one, const std::vector<member>& members,
                                       const std::string& shown, const protocol::caller& caller,
                                       const session_setup& setup) {
  if (one.is_known())
    return nullptr;
  return std::make_unique<merged_servers>(self, registry, shown, caller, setup.catalog, usable_members(members, caller),
                                          seal_for(caller, setup));
}

} // namespace

session_state::session_state(pinned<interface>* self, registry_actor owner, new_session what,
                             std::shared_ptr<const session_setup> setup)
    : self_{self}, owner_{std::move(owner)}, here_{what.id, what.via, what.path, self->address(),
                                                   protocol::identity_of(what.caller)},
      setup_{std::move(setup)}, machine_{machine_for(what, *setup_, now())}, reminder_{self->at()},
      upstream_{std::move(what.server), server_wanted::use::alone, protocol::shown(here_.id), what.caller, what.access},
      merged_{merged(self_, owner_, upstream_, what.members, protocol::shown(here_.id), what.caller, *setup_)},
      kept_{std::move(what.kept)}, idle_{std::move(what.idle)}, held_{setup_->http.all_waiting_bytes},
      restored_{std::move(what.restored)}, guarded_{merged_ ? guarded_servers_of(what.members)
                                                            : guarded_server_of(what.access)} {
  if (!guarded_.empty())
    members_ = std::move(what.members);
  if (merged_ || !guarded_.empty())
    caller_ = std::move(what.caller);
}

session_actor::behavior_type session_state::make_behavior() {
  self_->at().sessions().add(here_);
  self_->set_exit_handler([this](caf::exit_msg& msg) { on_exit_of(msg); });
  self_->set_down_handler([this](caf::down_msg& msg) { on_down_of(msg.source); });
  note(log_level::debug, restored_ ? "session is restored" : "session begins");
  if (restored_)
    begin_again();
  return {
      [this](client_post& msg) {
        if (turns_away(msg.broker) || refuses_for_scopes(msg))
          return;
        asks(msg.caller);
        sign(msg.body, msg.caller);
        auto exchange = adopt(msg);
        apply(machine_.client_sent(exchange, std::move(msg.body), now()));
      },
      [this](from_server& msg) { hear_server(msg); },
      [this](client_listen& msg) {
        if (turns_away(msg.broker) || refuses_for_scopes(msg))
          return;
        asks(msg.caller);
        auto exchange = adopt(msg, true);
        apply(machine_.client_listens(exchange, msg.last, now()));
      },
      [this](client_delete& msg) {
        if (!turns_away(msg.broker))
          apply(machine_.client_ends(adopt(msg), now()));
      },
      [this](drain& msg) { apply(machine_.drain(msg.why, msg.at_once, now(), msg.for_good)); },
      [this](session_disowned&) {
        if (kept_)
          step_down("another node may own it");
      },
      [this](lease_regained& msg) { claim(msg); },
      [this](session_regained&) {
        apply(protocol::effects{});
        apply(machine_.regained(now()));
      },
      [this](session_departs&) { depart(); },
      [this](session_released&) { apply(machine_.released(now())); },
      [this](members_changed& msg) {
        change_members(std::move(msg.members));
        hear_merged();
      },
      [this](caller_stale&) { send_expired_away(protocol::time_point::max()); },
      [this](server_given& msg) {
        if (merged_)
          merged_->given(msg);
        else
          upstream_.given(self_, msg);
      },
      [this](server_lost& msg) { on_lost(msg); },
      [this](report_request& msg) { report(msg.to); },
      [this](tick&) { on_tick(); },
  };
}

void session_state::on_tick() {
  reminder_.arrived();
  if (merged_)
    merged_->tick();
  send_expired_away(now());
  apply(machine_.tick(now()));
}

void session_state::note(log_level level, std::string what, std::string why) const {
  std::vector<std::pair<std::string, std::string>> fields{{"session", protocol::shown(here_.id)}};
  if (!why.empty())
    fields.emplace_back("why", std::move(why));
  setup_->log(level, std::move(what), std::move(fields));
}

/// What other nodes' clients may have seen has numbers of its own.
void session_state::begin_again() {
  auto effects = machine_.restore(std::move(*restored_), now());
  restored_.reset();
  last_exchange_ = machine_.last_exchange();
  apply(std::move(effects));
}

void session_state::tell_server(protocol::message&& what) {
  if (merged_)
    merged_->client_sent(std::move(what));
  else if (auto refused = upstream_.send(self_, std::move(what)))
    refused_.push_back(std::move(*refused));
}

void session_state::hear_server(from_server& msg) {
  if (merged_) {
    merged_->server_sent(std::move(msg.message));
    for (auto& what : msg.more)
      merged_->server_sent(std::move(what));
    return hear_merged();
  }
  auto effects = machine_.server_sent(upstream_.shown(std::move(msg.message)), now());
  for (auto& what : msg.more)
    std::ranges::move(machine_.server_sent(upstream_.shown(std::move(what)), now()), std::back_inserter(effects));
  apply(std::move(effects));
}

void session_state::hear_refused() {
  while (!refused_.empty()) {
    auto answer = std::move(refused_.front());
    refused_.pop_front();
    apply(machine_.server_sent(std::move(answer), now()));
  }
}

void session_state::on_lost(const server_lost& msg) {
  if (!merged_)
    return lose(msg.why, msg.is_shortage);
  merged_->lost(caf::actor_cast<caf::actor_addr>(self_->current_sender()), msg.why, msg.is_shortage);
  hear_merged();
}

/// Each is a fact of its own: one that comes of what the session is about to carry out waits until that is done.
void session_state::hear_merged() {
  if (!merged_ || std::exchange(hears_merged_, true))
    return;
  while (auto told = merged_->take()) {
    if (auto* lost = std::get_if<server_lost>(&*told))
      lose(lost->why, lost->is_shortage);
    else
      apply(machine_.server_sent(std::move(std::get<protocol::message>(*told)), now()));
  }
  hears_merged_ = false;
  remind();
}

void session_state::remind() {
  auto at = std::min(machine_.deadline(), clients_.first_until());
  reminder_.set(self_->address(), merged_ ? std::min(at, merged_->deadline()) : at);
}

template <class Message>
protocol::exchange_id session_state::adopt(Message& msg, bool listens) {
  self_->monitor(msg.broker);
  auto end = msg.caller ? protocol::good_until(*msg.caller) : std::nullopt;
  auto until = end ? time_of(*end, now()) : protocol::time_point::max();
  clients_.add({++last_exchange_, std::move(msg.broker), msg.came, std::move(msg.caller), until, listens});
  return last_exchange_;
}

/// An answer is on its way: whatever becomes of the broker concerns the session no more.
session_clients::client session_state::release(protocol::exchange_id exchange) {
  auto result = clients_.take(exchange);
  if (result.broker)
    self_->demonitor(result.broker.address());
  return result;
}

void session_state::on_down_of(const caf::actor_addr& who) {
  if (upstream_.leads_to(who))
    return lose("the MCP server is gone");
  if (merged_) {
    merged_->lost(who, "the MCP server is gone");
    hear_merged();
  }
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
  result.asked = upstream_.to_report() + (merged_ ? merged_->to_report() : 0);
  self_->send(to, std::move(result));
  upstream_.report(self_, to);
  if (merged_)
    merged_->report(to);
}

/// The session knows no other nodes, but another node's clients by their brokers: those stay.
void session_state::send_listeners_away() {
  std::vector<protocol::exchange_id> those;
  for (auto& one : clients_.all())
    if (one.streams && one.listens && one.came == protocol::came_by::client)
      those.push_back(one.exchange);
  apply(machine_.send_away(those, now()));
}

// -- effects -----------------------------------------------------------------------------

void session_state::apply(protocol::effects effects) {
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
  idle_->tell(machine_.idle_since());
  hear_merged();
  hear_refused();
}

void session_state::carry_out(protocol::effects& all) {
  for (auto at = all.begin(); at != all.end();)
    if (auto part = protocol::take_stream_part(at, all.end()))
      tell_stream(std::move(*part));
    else
      std::visit([this](auto& one) { apply(one); }, *at++);
}

void session_state::tell_stream(protocol::stream_part part) {
  auto* to = clients_.find(part.exchange);
  if (!to)
    return;
  to->streams = true;
  auto released = part.ends ? release(part.exchange) : session_clients::client{};
  auto& broker = part.ends ? released.broker : to->broker;
  if (part.begins)
    self_->send(broker, sse_begin{std::move(part.events), part.ends});
  else if (part.ends)
    self_->send(broker, sse_end{std::move(part.events)});
  else
    self_->send(broker, sse_event{std::move(part.events)});
}

void session_state::apply(protocol::forward& effect) { tell_server(std::move(effect.what)); }

void session_state::apply(protocol::reply& effect) {
  if (auto to = release(effect.exchange).broker)
    self_->send(to, http_reply{std::move(effect.text), effect.opens ? here_.id : std::string{}});
}

void session_state::apply(protocol::accept& effect) {
  if (auto to = release(effect.exchange).broker)
    self_->send(to, http_accepted{});
}

void session_state::apply(protocol::reject& effect) {
  if (auto to = release(effect.exchange).broker)
    self_->send(to, http_rejected{std::move(effect.why)});
}

void session_state::apply(protocol::confirm_end& effect) {
  if (auto to = release(effect.exchange).broker)
    self_->send(to, http_ended{});
}

void session_state::apply(protocol::remember& effect) {
  self_->send(kept_->store, session_saved{here_.id, std::move(effect.record), kept_->term});
}

void session_state::apply(protocol::keep_event& effect) {
  self_->send(kept_->store, event_saved{here_.id, std::move(effect.what), kept_->term});
}

/// What comes from now on goes to the registry, and by way of that to the other node.
void session_state::apply(const protocol::hand_over&) {
  self_->at().sessions().remove(here_);
  self_->send(kept_->store, session_handed_over{here_.id, kept_->term});
}

void session_state::apply(protocol::pass_on& effect) {
  if (auto to = release(effect.exchange); to.broker)
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
