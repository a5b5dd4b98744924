#include "actors/session/session.hpp"

#include "protocol/delivery/event_store.hpp"
#include "protocol/delivery/sse_delivery.hpp"
#include "protocol/ids.hpp"
#include "protocol/rejection.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>
#include <vector>

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

protocol::session machine_for(const new_session& what, const session_setup& setup, protocol::time_point now,
                              protocol::request_observer observer) {
  return {setup.limits.with_request(what.request), delivery_of(what, setup), now, record_of(what), std::move(observer)};
}

/// Of a reply or a refusal.
protocol::exchange_id exchange_of(const protocol::effect& answer) {
  auto* one = std::get_if<protocol::reply>(&answer);
  return one ? one->exchange : std::get<protocol::reject>(answer).exchange;
}

} // namespace

bool session_state::refuses(const broker_actor& broker, std::optional<protocol::rejection> why) {
  if (!why)
    return false;
  self()->send(broker, http_rejected{std::move(*why)});
  return true;
}

// Sessions that another node may own.

/// Claims the session with its current record; one that waits to be written is older. A session that never had a record
/// is unknown to other nodes, and needs no claim.
void session_state::claim(const tenure_regained& how) {
  if (!kept_ || !kept_->awaits_claim(how.how.term))
    return;
  auto is_record = [](auto& one) { return std::holds_alternative<protocol::remember>(one); };
  auto record = machine_.write_again(now());
  auto found = std::ranges::find_if(record, is_record);
  if (found == record.end())
    return self()->send(owner(), session_regained{here().id, how.how.term});
  held_.drop_record();
  self()->send(kept_->store,
               session_claimed{here().id, std::move(std::get<protocol::remember>(*found).record), how.how});
}

/// Refuses clients while another node may be the owner: other nodes may query the store for it.
bool session_state::reject_if_not_owner(const broker_actor& broker) {
  if (is_ours())
    return false;
  self()->send(broker, http_rejected{protocol::owner_unknown()});
  return true;
}

/// Ends without a message to the server, as the new owner speaks for the session.
void session_state::step_down(std::string_view why) {
  note(log_level::warning, "session is given up", std::string{why});
  if (kept_)
    self()->send(kept_->store, session_abandoned{here().id});
  auto answers = machine_.give_up(held_.extract_all(), now());
  std::erase_if(answers, [this](auto& one) { return !records().awaits_answer(exchange_of(one)); });
  perform_all(answers);
  for (auto& [exchange, client, request] : records().all())
    if (client.broker && !client.streams)
      self()->send(client.broker, http_rejected{protocol::session_moves()});
  for (auto& [exchange, client, request] : records().all())
    if (client.streams)
      self()->send(client.broker, sse_end{});
  leave();
}

void session_state::depart() {
  if (!is_ours())
    return;
  if (!machine_.departs())
    close_listening_streams();
  carry_out(machine_.depart("it moves to another node", now()));
}

/// Carries out the effects whoever owns the session by now: requests that wait go to the other node.
void session_state::be_released() {
  is_released_ = true;
  auto effects = machine_.released(now());
  perform_all(effects);
  settle();
}

/// Counts calls under way as cancelled: their clients do not learn the outcome.
void session_state::leave() {
  records().end_all({protocol::call_outcome::kind::cancelled});
  if (!is_released_)
    return retire();
  let_go();
  self()->quit(caf::exit_reason::user_shutdown);
}

session_state::session_state(pinned<interface>* self, registry_actor owner, new_session what,
                             std::shared_ptr<const session_setup> with)
    : caller_frame{self, std::move(owner), what, std::move(with)},
      machine_{machine_for(what, *setup(), now(), observer())}, kept_{std::move(what.kept)},
      held_{setup()->http.all_waiting_bytes}, restored_{std::move(what.restored)}, metrics_{self->at(), what.via} {
  note_begin(setup()->log, restored_ ? "session is restored" : "session begins", here().id, what.request_id);
}

session_actor::behavior_type session_state::make_behavior() {
  begin();
  if (restored_)
    begin_again();
  if (is_retired())
    return after_the_end();
  return behavior_with([this](client_post& msg) { handle(msg); }, [this](client_listen& msg) { handle(msg); },
                       [this](client_delete& msg) {
                         if (!reject_if_not_owner(msg.broker))
                           carry_out(machine_.client_ends(records().adopt(msg), now()));
                       },
                       [this](close_session& msg) { carry_out(machine_.close(msg.how, now())); },
                       [this](session_disowned&) {
                         if (kept_)
                           step_down("another node may own it");
                       },
                       [this](tenure_regained& msg) { claim(msg); },
                       [this](session_regained&) {
                         carry_out(protocol::effects{});
                         carry_out(machine_.regained(now()));
                       },
                       [this](session_departs&) { depart(); }, [this](session_released&) { be_released(); },
                       [this](session_gone& msg) { carry_out(machine_.forgotten(msg.is_done, now())); });
}

void session_state::handle(client_post& msg) {
  if (reject_if_not_owner(msg.broker) ||
      refuses(msg.broker, servers().refuse(msg.body, msg.head.caller, setup()->scopes)))
    return;
  asks(msg.head.caller);
  for (auto& one : msg.body.messages) {
    show_of_client(one);
    sign(one, msg.head.caller);
  }
  auto exchange = records().adopt(msg);
  records().begin(msg.body);
  carry_out(machine_.client_sent(exchange, std::move(msg.body), now()));
}

void session_state::handle(client_listen& msg) {
  if (reject_if_not_owner(msg.broker) || refuses(msg.broker, servers().refuse(msg.head.caller, setup()->scopes)))
    return;
  asks(msg.head.caller);
  auto exchange = records().adopt(msg, true);
  carry_out(machine_.client_listens(exchange, msg.last, now()));
}

void session_state::note(log_level level, std::string what, std::string why) const {
  std::vector<std::pair<std::string, std::string>> fields{{"session", protocol::shown(here().id)}};
  if (!why.empty())
    fields.emplace_back("why", std::move(why));
  setup()->log(level, std::move(what), std::move(fields));
}

/// Numbers exchanges after those that clients of other nodes may have seen.
void session_state::begin_again() {
  auto effects = machine_.restore(std::move(*restored_), now());
  restored_.reset();
  records().count_from(machine_.last_exchange());
  carry_out(std::move(effects));
}

void session_state::lost(const server_lost& what) {
  carry_out(machine_.server_lost(what.why, now(), what.is_shortage, servers().outcome_of_loss()));
}

void session_state::handle(from_server& said) {
  show_of_server(said.message);
  auto effects = machine_.server_sent(std::move(said.message), now());
  for (auto& what : said.more) {
    show_of_server(what);
    std::ranges::move(machine_.server_sent(std::move(what), now()), std::back_inserter(effects));
  }
  carry_out(std::move(effects));
}

void session_state::count(protocol::state_report& to) {
  to.sessions.push_back(
      {machine_.counts(), machine_.calls_in_flight(), machine_.questions_in_flight(), records().unanswered()});
}

void session_state::count(protocol::live_session& to) const {
  const auto streams = machine_.counts();
  to.primary = streams.primary;
  to.shadow = streams.shadow;
  to.of_calls = streams.call;
  to.questions = machine_.questions_in_flight();
}

/// Ends the listening streams of this node's own clients; those of clients that came through other nodes stay.
void session_state::close_listening_streams() {
  std::vector<protocol::exchange_id> listeners;
  for (auto& [exchange, client, request] : records().all())
    if (client.streams && client.listens && client.came == protocol::request_source::client)
      listeners.push_back(exchange);
  carry_out(machine_.close_streams(listeners, now()));
}

// -- effects -----------------------------------------------------------------------------

void session_state::carry_out(protocol::effects effects) {
  if (is_ours()) {
    auto before = held_.extract_all();
    perform_all(before);
    perform_all(effects);
  } else {
    held_.add(std::move(effects));
    if (auto why = held_.failure())
      return step_down(*why);
  }
  settle();
}

void session_state::perform(protocol::accept& effect) { records().answer(effect.exchange, http_accepted{}); }

void session_state::perform(protocol::confirm_end& effect) { records().answer(effect.exchange, http_ended{}); }

void session_state::perform(protocol::remember& effect) {
  self()->send(kept_->store, session_saved{here().id, std::move(effect.record), kept_->term});
}

void session_state::perform(protocol::keep_event& effect) {
  self()->send(kept_->store, event_saved{here().id, std::move(effect.what), kept_->term});
}

/// Later requests go to the registry, and from there to the other node.
void session_state::perform(const protocol::hand_over&) {
  hide();
  kept_->is_handed_over = true;
  self()->send(kept_->store, session_handed_over{here().id, kept_->term});
}

void session_state::perform(protocol::pass_on& effect) {
  if (auto to = records().pass_on(effect.exchange); to.broker)
    std::visit([&](auto& what) { pass_on(what, std::move(to)); }, effect.what);
}

request_head session_state::head_for(protocol::caller from) const {
  return {.server = here().path, .session = here().id, .via = here().via, .caller = std::move(from)};
}

void session_state::pass_on(protocol::waiting_post& what, request_records::client from) {
  self()->send(owner(), client_post{.head = head_for(std::move(from.caller)),
                                    .body = std::move(what.body),
                                    .broker = std::move(from.broker),
                                    .came = from.came,
                                    .unit = self()->at().number()});
}

void session_state::pass_on(protocol::waiting_listen& what, request_records::client from) {
  self()->send(owner(), client_listen{.head = head_for(std::move(from.caller)),
                                      .last = std::move(what.last),
                                      .broker = std::move(from.broker),
                                      .came = from.came});
}

void session_state::pass_on(protocol::waiting_end&, request_records::client from) {
  self()->send(owner(), client_delete{head_for(std::move(from.caller)), std::move(from.broker), from.came});
}

/// The session remains until the store has answered, for clients that repeat their DELETE.
void session_state::perform(const protocol::forget_session&) {
  is_over_ = true;
  let_go();
  self()->send(kept_->store, session_forgotten{here().id, kept_->term});
}

void session_state::perform(protocol::end_session& effect) {
  note(log_level::info, "session ended", std::move(effect.why));
  leave();
}

} // namespace troupe::actors
