#include "tests/simulation/session_actor.hpp"

#include "tests/simulation/node.hpp"

#include "protocol/delivery/event_store.hpp"
#include "protocol/delivery/http_delivery.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace troupe::tests::simulation {

namespace {

std::optional<session_record> record_of(const std::string& owner, bool is_kept) {
  return is_kept ? std::optional{session_record{.owner = owner}} : std::nullopt;
}

} // namespace

session_actor::session_actor(std::shared_ptr<process> at, node& of, std::string id, std::string owner,
                             std::shared_ptr<persistence> kept)
    : actor{at}, node_{of}, id_{std::move(id)}, owner_{std::move(owner)}, kept_{std::move(kept)},
      machine_{session_limits{}, std::make_unique<http_delivery>(http_limits{}, event_tag(id_)), at->now(),
               record_of(owner_, kept_ != nullptr)},
      exchanges_{[this](exchange_id which) { carry_out(machine_.client_lost(which, now())); }} {}

void session_actor::begin(std::optional<restored_session> before) {
  auto self = std::static_pointer_cast<session_actor>(shared_from_this());
  server_ = std::make_shared<server_actor>(home(), self, id_, node_.habits(), node_.checks());
  node_.add_session(id_, self);
  post([this, before = std::move(before)] {
    if (!before)
      return remind(machine_.deadline());
    auto effects = machine_.restore(*before, now());
    exchanges_.go_on_after(machine_.last_exchange());
    carry_out(std::move(effects));
  });
}

std::size_t session_actor::host() const { return node_.host(); }

bool session_actor::acts() const {
  return !has_ended() && !has_let_go_ && !is_over_ && !is_retired_ && at().is_alive && !at().is_paused() && is_ours();
}

bool session_actor::is_ours() const {
  return !kept_ || is_over_ || node_.has(planted::fence_left_out) || kept_->is_ours();
}

// -- clients ---------------------------------------------------------------------------------

void session_actor::submit(request what) {
  post([this, what = std::move(what)]() mutable { handle(what); });
}

/// Returns requests to the registry that arrive before it knows of the end.
void session_actor::handle(request& what) {
  if (is_retired_)
    return node_.registry().submit(std::move(what));
  if (!is_ours())
    return what.from->tell({.is = answer::kind::rejected, .why = owner_unknown()});
  auto exchange = exchanges_.adopt(what, shared_from_this());
  switch (what.is) {
  case request::kind::post:
    return carry_out(machine_.client_sent(exchange, std::move(what.body), now()));
  case request::kind::listen:
    if (node_.has(planted::resumed_from_start) && !what.last.empty())
      what.last = what.last.substr(0, what.last.rfind('-')) + "-0";
    return carry_out(machine_.client_listens(exchange, what.last, now()));
  case request::kind::end:
    return carry_out(machine_.client_ends(exchange, now()));
  }
}

// -- the server ------------------------------------------------------------------------------

void session_actor::server_sent(message what) {
  post([this, what = std::move(what)]() mutable { carry_out(machine_.server_sent(std::move(what), now())); });
}

void session_actor::server_lost(const std::string& why) {
  post([this, why] { carry_out(machine_.server_lost(why, now())); });
}

// -- the store -------------------------------------------------------------------------------

void session_actor::disown() {
  post([this] {
    if (kept_ && !is_retired_)
      step_down("another node may own it");
  });
}

void session_actor::claim(session_claim how) {
  post([this, how] { claim_now(how); });
}

void session_actor::claim_now(session_claim how) {
  if (!kept_ || !kept_->awaits_claim(how.term) || is_retired_)
    return;
  auto is_record = [](auto& one) { return std::holds_alternative<remember>(one); };
  auto record = machine_.write_again(now());
  auto found = std::ranges::find_if(record, is_record);
  if (found == record.end())
    return node_.registry().regain(id_, how.term);
  held_.drop_record();
  node_.store()->claimed(id_, std::move(std::get<remember>(*found).record), how);
}

void session_actor::regained() {
  post([this] {
    carry_out({});
    carry_out(machine_.regained(now()));
  });
}

void session_actor::forgotten(bool is_done) {
  post([this, is_done] { carry_out(machine_.forgotten(is_done, now())); });
}

/// Ends without a message to the server, as the new owner speaks for the session.
void session_actor::step_down(std::string_view why) {
  at().note("gives up " + shown(id_), why);
  if (kept_)
    node_.store()->abandoned(id_);
  for (auto& one : machine_.give_up(held_.extract_all(), now()))
    if (auto* errors = std::get_if<reply>(&one); errors && awaits_answer(errors->exchange))
      answer_exchange(errors->exchange, {.is = answer::kind::reply, .text = std::move(errors->text)});
    else if (auto* no = std::get_if<reject>(&one); no && awaits_answer(no->exchange))
      perform(*no);
  for (auto& [exchange, one] : exchanges_.all())
    if (one.streams)
      one.from->tell({.is = answer::kind::end});
    else
      one.from->tell({.is = answer::kind::rejected, .why = session_moves()});
  leave();
}

bool session_actor::awaits_answer(exchange_id which) const {
  auto* found = exchanges_.find(which);
  return found && !found->streams && !found->listens;
}

void session_actor::leave() {
  stop_server();
  if (node_.has(planted::dropped_at_end))
    return quit();
  retire();
}

void session_actor::retire() {
  is_retired_ = true;
  exchanges_.clear();
  node_.remove_session(id_, this);
  node_.registry().retired(id_, std::static_pointer_cast<session_actor>(shared_from_this()));
}

void session_actor::stop_server() {
  if (auto one = std::exchange(server_, nullptr))
    one->stop();
}

void session_actor::ended() {
  exchanges_.clear();
  node_.remove_session(id_, this);
  node_.registry().session_ended(id_, this);
}

void session_actor::close(session_closing how) {
  post([this, how] { carry_out(machine_.close(how, now())); });
}

void session_actor::depart() {
  post([this] {
    if (!is_ours())
      return;
    if (!machine_.departs())
      close_listening_streams();
    carry_out(machine_.depart("it moves to another node", now()));
  });
}

/// Streams of clients that came through other nodes stay.
void session_actor::close_listening_streams() {
  std::vector<exchange_id> listeners;
  for (auto& [exchange, one] : exchanges_.all())
    if (one.streams && one.listens && one.came == request_source::client)
      listeners.push_back(exchange);
  carry_out(machine_.close_streams(listeners, now()));
}

void session_actor::released() {
  post([this] {
    if (is_retired_)
      quit();
    else
      carry_out(machine_.released(now()));
  });
}

void session_actor::stop() {
  post([this] {
    stop_server();
    quit();
  });
}

void session_actor::tick() { carry_out(machine_.tick(now())); }

// -- effects ---------------------------------------------------------------------------------

void session_actor::carry_out(effects all) {
  if (has_ended() || is_retired_)
    return;
  if (is_ours()) {
    auto before = held_.extract_all();
    perform_all(before);
    perform_all(all);
  } else {
    held_.add(std::move(all));
    if (auto why = held_.failure())
      return step_down(*why);
  }
  node_.checks().bounded("held effects", held_.bytes(), held_effects::most_bytes);
  if (!has_ended() && !is_retired_)
    remind(machine_.deadline());
}

void session_actor::perform_all(effects& all) {
  if (!all.empty() && !is_over_ && !has_let_go_)
    node_.checks().acts(id_, *this);
  for (auto one = all.begin(); one != all.end();)
    if (auto part = take_stream_part(one, all.end()))
      tell(*part);
    else
      std::visit([this](auto& effect) { perform(effect); }, *one++);
}

void session_actor::answer_exchange(exchange_id which, answer what) {
  exchanges_.answer(which, std::move(what), *this);
}

void session_actor::tell(const stream_part& part) {
  if (has_let_go_ && !part.events.empty() && exchanges_.find(part.exchange))
    node_.checks().answers_late(id_, at().name);
  exchanges_.tell(part, *this);
}

void session_actor::perform(forward& effect) {
  if (!server_)
    return;
  if (effect.what.is_method("tools/call"))
    node_.checks().runs(string_param(effect.what, "token"));
  if (effect.what.kind == message_kind::response && node_.has(planted::question_answered_twice))
    server_->receive(effect.what);
  server_->receive(std::move(effect.what));
}

void session_actor::perform(reply& effect) {
  for (auto& [exchange, one] : exchanges_.all())
    if (one.streams && node_.has(planted::answer_twice))
      one.from->tell({.is = answer::kind::event, .text = "data: " + effect.text + "\n\n"});
  if (has_let_go_)
    node_.checks().answers_late(id_, at().name);
  if (node_.has(planted::refused_after_run) && !effect.opens)
    return answer_exchange(effect.exchange, {.is = answer::kind::rejected, .why = session_moves()});
  answer_exchange(effect.exchange,
                  {.is = answer::kind::reply, .text = std::move(effect.text), .session = effect.opens ? id_ : ""});
}

void session_actor::perform(reject& effect) {
  answer_exchange(effect.exchange, {.is = answer::kind::rejected, .why = std::move(effect.why)});
}

void session_actor::perform(confirm_end& effect) { answer_exchange(effect.exchange, {.is = answer::kind::ended}); }

void session_actor::perform(remember& effect) {
  auto save = [this, self = shared_from_this(), record = std::move(effect.record)] {
    node_.store()->saved(id_, record, kept_->term);
  };
  if (node_.has(planted::record_late))
    at().time.after(5s, std::move(save));
  else
    save();
}

void session_actor::perform(keep_event& effect) {
  node_.store()->event_saved(id_, std::move(effect.what), kept_->term);
}

void session_actor::perform(hand_over&) {
  has_let_go_ = true;
  node_.remove_session(id_, this);
  node_.store()->handed_over(id_, kept_->term);
}

void session_actor::perform(forget_session&) {
  at().note("is to forget " + shown(id_));
  node_.checks().is_to_end(id_);
  is_over_ = true;
  stop_server();
  if (node_.has(planted::record_kept))
    return forgotten(true);
  node_.store()->forgotten(id_, kept_->term);
  if (node_.has(planted::end_confirmed_early))
    forgotten(true);
}

/// The request goes to the node that takes the session.
void session_actor::perform(pass_on& effect) {
  auto client = exchanges_.extract(effect.exchange, *this);
  if (!client)
    return;
  client->from->held(false);
  request what{.owner = owner_, .session = id_, .from = std::move(client->from), .came = client->came};
  if (auto* post = std::get_if<waiting_post>(&effect.what))
    what.body = std::move(post->body);
  else if (auto* listen = std::get_if<waiting_listen>(&effect.what)) {
    what.is = request::kind::listen;
    what.last = std::move(listen->last);
  } else {
    what.is = request::kind::end;
  }
  node_.checks().count("requests passed on with their session");
  node_.registry().submit(std::move(what));
}

void session_actor::perform(end_session& effect) {
  at().note("ends " + shown(id_), effect.why);
  if (!kept_ && !effect.survives)
    node_.checks().ended(id_);
  leave();
}

} // namespace troupe::tests::simulation
