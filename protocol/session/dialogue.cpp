#include "protocol/session/dialogue.hpp"

#include "protocol/message/message.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

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
  turn.way.posted_initialize(exchange, turn.out);
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

void dialogue::take_early(session_turn& turn) {
  for (auto& one : early_.take_all())
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
    take_server_notification(std::move(from), turn);
  else if (from.is_method("ping"))
    turn.to_server(gateway_message(empty_result(from.id)));
  else
    questions_.take(std::move(from), agreement_, turn);
}

void dialogue::take_server_notification(message&& from, session_turn& turn) {
  if (is_progress(from))
    return agreement_.is_reached() ? calls_.progressed(std::move(from), turn) : void();
  if (is_cancellation(from))
    return questions_.withdraw(std::move(from), turn);
  if (agreement_.must_wait(from))
    return questions_.hold(std::move(from), turn);
  if (from.is_method("notifications/message"))
    turn.way.related(std::move(from), turn.now, turn.out);
  else
    turn.way.unrelated(std::move(from), turn.now, turn.out);
}

std::optional<call> dialogue::answered(const message& answer, session_turn& turn) {
  auto own = own_id(answer.id);
  auto asked = own ? calls_.take(*own) : std::nullopt;
  if (asked)
    record_.answered(*own, answer, turn.now, turn.out);
  return asked;
}

std::optional<std::string> dialogue::receive_response(message&& from, const call& asked, session_turn& turn) {
  if (agreement_.is_under_way())
    return take_initialize_answer(std::move(from), asked, turn);
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
std::optional<std::string> dialogue::take_initialize_answer(message&& from, const call& asked, session_turn& turn) {
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
    turn.way.keep();
  record_.agreed(agreement_.version(), turn.now, turn.out);
  turn.way.opened(exchange, std::move(text), agreement_.version(), turn.out);
  questions_.release_notifications(turn);
  take_early(turn);
}

// -- a restored session --------------------------------------------------------------------

/// Questions get new numbers: the client may still answer one from before the restore.
void dialogue::begin_again(session_record before, session_turn& turn) {
  record_.begin_again(std::move(before));
  questions_.count_from(record_.last_exchange());
  auto& known = record_.record();
  calls_.initialize_again(agreement_.begin_again(known.initialize, known.version), turn);
}

void dialogue::go_on(const std::vector<saved_event>& events, session_turn& turn) {
  turn.way.keep();
  turn.way.restore(agreement_.version(), events, record_.last_exchange(), turn.now, turn.out);
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

} // namespace troupe::protocol
