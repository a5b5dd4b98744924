#include "protocol/session/active_session.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

namespace {

/// Returns the ids of the requests in a POST.
std::vector<std::string> requests_of(const post_body& body) {
  std::vector<std::string> result;
  for (auto& one : body.messages)
    if (is_request(one))
      result.push_back(one.id);
  return result;
}

} // namespace

// -- the client ----------------------------------------------------------------------------

std::optional<rejection> dialogue::refuse(const post_body& body, const std::optional<std::string>& closing,
                                          const session_limits& limits) const {
  auto why = agreement_.refuse(body);
  if (!why)
    why = refuse_early(body, limits);
  return why ? why : calls_.refuse(body, agreement_, closing, limits.calls);
}

/// Holds back notifications of a client that does not wait for the answer to `initialize`: the server must get them
/// behind it (2025-11-25, lifecycle, "Initialization"). Requests are refused by `client_requests`.
bool dialogue::waits_for_agreement(const message& from_client) const {
  return agreement_.is_under_way() && is_notification(from_client);
}

std::optional<rejection> dialogue::refuse_early(const post_body& body, const session_limits& limits) const {
  auto& what = body.messages.front();
  auto fits = early_.size() < limits.held && early_.fits(what.text.size(), limits.held_bytes);
  if (fits || !waits_for_agreement(what))
    return std::nullopt;
  return rejection{400,
                   error_code::invalid_request,
                   "Bad Request: initialize has not been answered yet, and too much waits for it",
                   {}};
}

void dialogue::begin(exchange_id exchange, message&& initialize, session_turn& turn) {
  record_.begin(initialize);
  turn.to_client.posted_initialize(exchange, turn.out);
  calls_.initialize(exchange, agreement_.begin(std::move(initialize)), turn);
}

bool dialogue::receive_from_client(exchange_id exchange, message&& from, session_turn& turn) {
  if (waits_for_agreement(from)) {
    early_.push(std::move(from));
    return false;
  }
  switch (from.kind) {
  case message_kind::request:
    receive_request(exchange, std::move(from), turn);
    return false;
  case message_kind::response:
    questions_.answered(std::move(from), turn);
    return false;
  case message_kind::notification:
    return receive_notification(std::move(from), turn);
  }
  return false;
}

void dialogue::receive_request(exchange_id exchange, message&& from, session_turn& turn) {
  if (from.is_method("ping")) {
    turn.finished(exchange, from.id, {});
    return turn.answer(exchange, empty_result(from.id));
  }
  auto own = calls_.add(exchange, from, turn);
  record_.asked(own, from);
  turn.to_server(std::move(from));
}

bool dialogue::receive_notification(message&& from, session_turn& turn) {
  if (is_cancellation(from))
    return cancel(std::move(from), turn);
  if (is_progress(from)) {
    questions_.progressed(std::move(from), turn);
    return false;
  }
  auto initialized = from.is_method("notifications/initialized");
  turn.to_server(std::move(from));
  if (initialized)
    client_initialized(turn);
  return false;
}

void dialogue::receive_early(session_turn& turn) {
  for (auto& one : early_.extract_all())
    receive_notification(std::move(one), turn);
}

bool dialogue::cancel(message&& from, session_turn& turn) {
  auto own = calls_.cancel(std::move(from), turn);
  if (own)
    record_.request_dropped(*own);
  return own.has_value();
}

void dialogue::client_initialized(session_turn& turn) {
  agreement_.client_initialized();
  record_.client_initialized(turn.now, turn.out);
  questions_.release_all(agreement_, turn);
}

// -- the server ----------------------------------------------------------------------------

void dialogue::receive_from_server(message&& from, session_turn& turn) {
  if (!is_request(from))
    receive_server_notification(std::move(from), turn);
  else if (from.is_method("ping"))
    turn.to_server(gateway_message(empty_result(from.id)));
  else
    questions_.receive_request(std::move(from), agreement_, turn);
}

void dialogue::receive_server_notification(message&& from, session_turn& turn) {
  if (is_progress(from))
    return agreement_.is_reached() ? calls_.progressed(std::move(from), turn) : void();
  if (is_cancellation(from))
    return questions_.withdraw(std::move(from), turn);
  if (agreement_.must_wait(from))
    return questions_.hold(std::move(from), turn);
  if (from.is_method("notifications/message"))
    turn.to_client.related(std::move(from), turn.now, turn.out);
  else
    turn.to_client.unrelated(std::move(from), turn.now, turn.out);
}

std::optional<call> dialogue::answered(const message& answer, session_turn& turn) {
  auto own = own_id(answer.id);
  auto asked = own ? calls_.extract(*own) : std::nullopt;
  if (asked)
    record_.answered(*own, answer, turn.now, turn.out);
  return asked;
}

std::optional<std::string> dialogue::receive_response(message&& from, const call& asked, session_turn& turn) {
  if (agreement_.is_under_way())
    return receive_initialize_response(std::move(from), asked, turn);
  if (from.is_shortage) {
    client_requests::refuse_for_now(asked, string_member(from.text, {"error", "message"}), turn);
    return std::nullopt;
  }
  turn.finished(asked.exchange, asked.id, from.outcome);
  replace_ids(from, asked.id, {});
  turn.answer(asked.exchange, std::move(from.text));
  return std::nullopt;
}

/// Without an exchange, the session is restored, and no client waits for the answer.
std::optional<std::string> dialogue::receive_initialize_response(message&& from, const call& asked,
                                                                 session_turn& turn) {
  auto why = agreement_.answered(from);
  if (asked.exchange == 0)
    return why;
  if (from.is_shortage) {
    client_requests::refuse_for_now(asked, string_member(from.text, {"error", "message"}), turn);
    return why;
  }
  auto is_refused = why && !has_result(from);
  turn.finished(asked.exchange, asked.id, why && !is_refused ? failed_with(error_code::internal_error) : from.outcome);
  if (why && !is_refused)
    turn.answer(asked.exchange, error_text(asked.id, error_code::internal_error, *why));
  else if (is_refused)
    turn.answer(asked.exchange, relayed(std::move(from), asked.id, {}).text);
  else
    open(asked.exchange, relayed(std::move(from), asked.id, {}).text, turn);
  return why;
}

/// Gives the client its session only once the server has agreed and the record is written.
void dialogue::open(exchange_id exchange, std::string&& text, session_turn& turn) {
  if (record_.is_kept())
    turn.to_client.keep();
  record_.agreed(agreement_.version(), turn.now, turn.out);
  turn.to_client.opened(exchange, std::move(text), agreement_.version(), turn.out);
  questions_.release_notifications(turn);
  receive_early(turn);
}

// -- a restored session --------------------------------------------------------------------

/// Questions get new numbers: the client may still answer one from before the restore.
void dialogue::begin_again(session_record before, std::uint32_t offset, session_turn& turn) {
  record_.begin_again(std::move(before), offset);
  questions_.count_from(record_.last_exchange());
  auto& known = record_.record();
  calls_.initialize_again(agreement_.begin_again(known.initialize, known.version), turn);
}

void dialogue::continue_restored(const std::vector<saved_event>& events, session_turn& turn) {
  turn.to_client.keep();
  turn.to_client.restore(agreement_.version(), events, record_.last_exchange(), turn.now, turn.out);
  tell_again(turn);
  record_.write(turn.now, turn.out);
  questions_.release_notifications(turn);
  if (record_.record().initialized)
    client_initialized(turn);
}

/// Repeats the client's settings to the new server, in the order that servers expect.
void dialogue::tell_again(session_turn& turn) {
  auto& known = record_.record();
  if (known.initialized)
    turn.to_server(gateway_message(R"({"jsonrpc":"2.0","method":"notifications/initialized"})"));
  if (!known.level.empty())
    calls_.ask("logging/setLevel", "level", known.level, turn);
  for (auto& uri : known.subscriptions)
    calls_.ask("resources/subscribe", "uri", uri, turn);
}

// -- time ----------------------------------------------------------------------------------

time_point dialogue::deadline(const session_limits& limits) const {
  return std::min({calls_.deadline(), questions_.deadline(), record_.deadline(limits.idle)});
}

active_session::active_session(const session_limits& limits, std::unique_ptr<delivery> to_client, time_point now,
                               std::optional<session_record> keeps, request_observer observer)
    : limits_{limits}, observer_{std::move(observer)},
      to_client_{std::move(to_client)}, life_{now}, dialogue_{limits, std::move(keeps)} {}

// -- the client ----------------------------------------------------------------------------

std::optional<rejection> active_session::refuse(const post_body& body) const {
  return life_.is_over() ? session_not_found() : dialogue_.refuse(body, life_.closing(), limits_);
}

void active_session::receive_post(exchange_id exchange, post_body&& body, session_turn& turn) {
  if (auto why = refuse(body)) {
    turn.out.push_back(reject{exchange, std::move(*why)});
    return;
  }
  life_.note_use(turn.now);
  if (is_initialize(body.messages.front()))
    return dialogue_.begin(exchange, std::move(body.messages.front()), turn);
  dialogue_.record().refresh(record_age::spoken, turn.now, turn.out);
  to_client_->posted(exchange, body.batch, requests_of(body), turn.now, turn.out);
  for (auto& one : body.messages)
    if (!life_.is_over() && dialogue_.receive_from_client(exchange, std::move(one), turn))
      end_when_drained(turn);
}

void active_session::receive_listen(exchange_id exchange, std::string_view last, session_turn& turn) {
  if (life_.is_over()) {
    turn.out.push_back(reject{exchange, session_not_found()});
    return;
  }
  life_.note_use(turn.now);
  dialogue_.record().refresh(record_age::spoken, turn.now, turn.out);
  to_client_->listens(exchange, last, turn.now, turn.out);
}

void active_session::receive_end(exchange_id exchange, session_turn& turn) {
  if (life_.is_over()) {
    turn.out.push_back(reject{exchange, session_not_found()});
    return;
  }
  if (!dialogue_.record().is_stored())
    turn.out.push_back(confirm_end{exchange});
  dialogue_.abandon_calls(turn);
  end("its client ended it", turn);
}

void active_session::lose(exchange_id exchange, session_turn& turn) {
  if (life_.is_over())
    return;
  life_.touch(turn.now);
  if (life_.has_let_go())
    return;
  auto what = to_client_->lost(exchange, turn.now, turn.out);
  if (what == loss::session)
    end("its client left", turn);
  else if (what == loss::stream && !to_client_->live())
    life_.abandon();
}

// -- the server ----------------------------------------------------------------------------

bool active_session::server_sent(message&& from, session_turn& turn) {
  if (!life_.is_served())
    return false;
  if (from.kind == message_kind::response)
    return receive_response(std::move(from), turn);
  dialogue_.receive_from_server(std::move(from), turn);
  return false;
}

bool active_session::receive_response(message&& from, session_turn& turn) {
  auto asked = dialogue_.answered(from, turn);
  if (!asked)
    return false;
  life_.touch(turn.now);
  auto may_begin_later = from.is_shortage && dialogue_.agreed().begins_again();
  auto why = dialogue_.receive_response(std::move(from), *asked, turn);
  if (why)
    end(std::move(*why), turn, may_begin_later);
  return !why;
}

void active_session::server_lost(const std::string& why, bool is_shortage, call_outcome how, session_turn& turn) {
  if (!life_.is_served())
    return;
  auto may_begin_later = is_shortage && dialogue_.agreed().begins_again();
  if (is_shortage && dialogue_.agreed().is_under_way())
    dialogue_.refuse_initialize(why, turn);
  else
    dialogue_.fail_calls(why, how, turn);
  end(why, turn, may_begin_later);
}

// -- between nodes -------------------------------------------------------------------------

void active_session::begin_again(session_record before, std::uint32_t offset, session_turn& turn) {
  dialogue_.begin_again(std::move(before), offset, turn);
}

void active_session::continue_restored(const std::vector<saved_event>& events, session_turn& turn) {
  dialogue_.continue_restored(events, turn);
}

void active_session::depart(session_turn& turn) {
  life_.depart();
  end_when_drained(turn);
}

void active_session::write_again(session_turn& turn) {
  if (!life_.is_over())
    dialogue_.record().write_again(turn.now, turn.out);
}

void active_session::regained(session_turn& turn) {
  if (!can_depart())
    return;
  if (life_.has_let_go())
    turn.out.push_back(hand_over{});
  else
    to_client_->keep_roles(turn.out);
}

/// Ends the streams: listening clients reconnect, and resume where they were.
void active_session::let_go(session_turn& turn) {
  life_.let_go();
  dialogue_.record().finish(turn.now, turn.out);
  to_client_->end(turn.now, turn.out);
  turn.out.push_back(hand_over{});
}

void active_session::released(std::string why, session_turn& turn) {
  life_.end();
  turn.end = end_session{std::move(why), true};
}

void active_session::give_up(const effects& held, session_turn& turn) {
  if (life_.is_served())
    dialogue_.give_up_calls(held, turn);
  life_.end();
}

// -- time and end --------------------------------------------------------------------------

void active_session::tick(session_turn& turn) {
  if (!life_.is_served())
    return;
  if (life_.is_late(turn.now))
    close({.why = *life_.closing(), .at_once = true}, turn);
  else
    fail_late_calls(turn);
  if (!life_.is_served())
    return;
  dialogue_.fail_late_questions(turn);
  if (use().is_busy)
    life_.touch(turn.now);
  let_streams_poll(turn);
  if (auto why = life_.expired(use(), limits_, turn.now))
    end(std::move(*why), turn);
  else
    dialogue_.record().refresh(record_age::silent(limits_.idle), turn.now, turn.out);
}

/// Counts a client as gone whose stream was closed for polling: it reconnects soon, or never.
void active_session::let_streams_poll(session_turn& turn) {
  auto was_live = to_client_->live();
  to_client_->tick(turn.now, turn.out);
  if (was_live && !to_client_->live())
    life_.abandon();
}

void active_session::fail_late_calls(session_turn& turn) {
  if (dialogue_.agreed().is_under_way()) {
    if (auto why = dialogue_.fail_late_initialize(turn))
      end(std::move(*why), turn);
  } else if (dialogue_.fail_late_calls(turn)) {
    life_.touch(turn.now);
    end_when_drained(turn);
  }
}

void active_session::end_call(std::string_view id, const std::string& why, session_turn& turn) {
  if (!life_.is_served() || dialogue_.agreed().is_under_way() || !dialogue_.end_call(id, why, turn))
    return;
  life_.touch(turn.now);
  end_when_drained(turn);
}

void active_session::close(const session_closing& how, session_turn& turn) {
  if (life_.is_over() || (life_.departs() && !how.at_once && !how.for_good))
    return;
  life_.close(how, turn.now);
  if (how.at_once)
    dialogue_.fail_calls("The call was cut off: " + how.why, failed_with(error_code::internal_error), turn);
  if (life_.has_let_go())
    end(how.why, turn, !life_.is_for_good());
  end_when_drained(turn);
}

void active_session::end_when_drained(session_turn& turn) {
  if (!life_.is_served() || !dialogue_.calls().empty())
    return;
  if (life_.closing())
    end(*life_.closing(), turn, dialogue_.record().is_kept() && !life_.is_for_good());
  else if (life_.departs())
    let_go(turn);
}

void active_session::end(std::string why, session_turn& turn, bool survives) {
  if (survives)
    dialogue_.record().finish(turn.now, turn.out);
  life_.end();
  if (!life_.has_let_go())
    to_client_->end(turn.now, turn.out);
  turn.end = end_session{std::move(why), survives};
}

session_lifetime::use active_session::use() const {
  return {dialogue_.agreed().is_fresh(), !dialogue_.calls().empty() || to_client_->live()};
}

std::optional<time_point> active_session::idle_since() const {
  return use().is_busy ? std::nullopt : std::optional{life_.touched()};
}

time_point active_session::deadline() const {
  if (!life_.is_served())
    return time_point::max();
  return std::min({dialogue_.deadline(limits_), to_client_->deadline(), life_.deadline(use(), limits_)});
}

} // namespace troupe::protocol
