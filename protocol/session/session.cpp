#include "protocol/session/session.hpp"

#include "protocol/message/message.hpp"
#include "protocol/rejection.hpp"

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

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

session::session(const session_limits& limits, std::unique_ptr<delivery> way, time_point now,
                 std::optional<session_record> keeps)
    : limits_{limits}, way_{std::move(way)}, life_{now}, dialogue_{limits, std::move(keeps)} {}

// -- the client ----------------------------------------------------------------------------

effects session::client_sent(exchange_id exchange, post_body body, time_point now) {
  if (restoration_)
    return let_wait({exchange, waiting_post{std::move(body)}});
  if (departure_ && departure_->holds(body))
    return let_wait_to_go({exchange, waiting_post{std::move(body)}});
  auto turn = turn_at(now);
  take_post(exchange, std::move(body), turn);
  return std::move(turn.out);
}

std::optional<rejection> session::refuse(const post_body& body) const {
  return life_.is_over() ? session_not_found() : dialogue_.refuse(body, life_.closing(), limits_);
}

void session::take_post(exchange_id exchange, post_body&& body, session_turn& turn) {
  if (auto why = refuse(body)) {
    turn.out.push_back(reject{exchange, std::move(*why)});
    return;
  }
  life_.visit(turn.now);
  if (is_initialize(body.messages.front()))
    return dialogue_.begin(exchange, std::move(body.messages.front()), turn);
  dialogue_.record().refresh(record_age::spoken, turn.now, turn.out);
  way_->posted(exchange, body.batch, requests_of(body), turn.now, turn.out);
  for (auto& one : body.messages)
    if (!life_.is_over() && dialogue_.client_said(exchange, std::move(one), turn))
      end_when_drained(turn);
}

effects session::client_listens(exchange_id exchange, std::string_view last, time_point now) {
  if (restoration_)
    return let_wait({exchange, waiting_listen{std::string{last}}});
  if (has_let_go())
    return let_wait_to_go({exchange, waiting_listen{std::string{last}}});
  auto turn = turn_at(now);
  take_listen(exchange, last, turn);
  return std::move(turn.out);
}

void session::take_listen(exchange_id exchange, std::string_view last, session_turn& turn) {
  if (life_.is_over()) {
    turn.out.push_back(reject{exchange, session_not_found()});
    return;
  }
  life_.visit(turn.now);
  dialogue_.record().refresh(record_age::spoken, turn.now, turn.out);
  way_->listens(exchange, last, turn.now, turn.out);
}

effects session::client_ends(exchange_id exchange, time_point now) {
  if (restoration_)
    return let_wait({exchange, waiting_end{}});
  if (has_let_go())
    return let_wait_to_go({exchange, waiting_end{}});
  auto turn = turn_at(now);
  take_end(exchange, turn);
  return std::move(turn.out);
}

void session::take_end(exchange_id exchange, session_turn& turn) {
  if (life_.is_over()) {
    turn.out.push_back(reject{exchange, session_not_found()});
    return;
  }
  turn.out.push_back(confirm_end{exchange});
  end("its client ended it", turn);
}

effects session::client_lost(exchange_id exchange, time_point now) {
  auto turn = turn_at(now);
  lose(exchange, turn);
  return std::move(turn.out);
}

void session::lose(exchange_id exchange, session_turn& turn) {
  if (life_.is_over())
    return;
  life_.touch(turn.now);
  if (restoration_)
    restoration_->left(exchange);
  if (departure_)
    departure_->left(exchange);
  if (has_let_go())
    return;
  auto what = way_->lost(exchange, turn.now, turn.out);
  if (what == loss::session)
    end("its client left", turn);
  else if (what == loss::stream && !way_->live())
    life_.abandon();
}

effects session::send_away(const std::vector<exchange_id>& streams, time_point now) {
  auto turn = turn_at(now);
  for (auto exchange : streams) {
    turn.out.push_back(end_stream{exchange});
    lose(exchange, turn);
  }
  return std::move(turn.out);
}

// -- the server ----------------------------------------------------------------------------

effects session::server_sent(message from, time_point now) {
  auto turn = turn_at(now);
  if (life_.is_over() || has_let_go())
    return {};
  if (from.kind == message_kind::response)
    take_answer(std::move(from), turn);
  else
    dialogue_.server_said(std::move(from), turn);
  return std::move(turn.out);
}

void session::take_answer(message&& from, session_turn& turn) {
  auto asked = dialogue_.answered(from, turn);
  if (!asked)
    return;
  life_.touch(turn.now);
  auto may_begin_later = from.is_shortage && restoration_;
  if (auto why = dialogue_.take_answer(std::move(from), *asked, turn))
    return end(std::move(*why), turn, may_begin_later);
  if (restoration_)
    go_on(turn);
  end_when_drained(turn);
}

effects session::server_lost(const std::string& why, time_point now, bool is_shortage, call_outcome how) {
  auto turn = turn_at(now);
  if (life_.is_over() || has_let_go())
    return {};
  if (is_shortage && dialogue_.agreed().is_under_way())
    dialogue_.refuse_initialize(why, turn);
  else
    dialogue_.fail_calls(why, how, turn);
  end(why, turn, is_shortage && restoration_);
  return std::move(turn.out);
}

// -- a restored session --------------------------------------------------------------------

effects session::restore(restored_session from, time_point now) {
  auto turn = turn_at(now);
  restoration_ = std::make_unique<restoration>(std::move(from.events), limits_);
  dialogue_.begin_again(std::move(from.record), turn);
  return std::move(turn.out);
}

effects session::let_wait(waiting_client one) {
  effects out;
  restoration_->let_wait(std::move(one), out);
  return out;
}

void session::go_on(session_turn& turn) {
  auto before = std::exchange(restoration_, nullptr);
  dialogue_.go_on(before->events(), turn);
  for (auto& one : before->take_clients()) {
    if (has_let_go()) {
      departure_->let_wait(std::move(one), turn.out);
      continue;
    }
    auto said = turn.out.size();
    take(one, turn);
    if (!one.left)
      continue;
    drop_answers(turn.out, said, one.exchange);
    lose(one.exchange, turn);
  }
}

void session::take(waiting_client& one, session_turn& turn) {
  if (auto post = std::get_if<waiting_post>(&one.wants))
    take_post(one.exchange, std::move(post->body), turn);
  else if (auto listen = std::get_if<waiting_listen>(&one.wants))
    take_listen(one.exchange, listen->last, turn);
  else
    take_end(one.exchange, turn);
}

// -- to another node -----------------------------------------------------------------------

effects session::depart(const std::string& why, time_point now) {
  auto turn = turn_at(now);
  if (life_.is_over() || departure_ || !dialogue_.record().is_kept())
    return {};
  departure_ = std::make_unique<departure>(why, limits_);
  end_when_drained(turn);
  return std::move(turn.out);
}

effects session::write_again(time_point now) {
  auto turn = turn_at(now);
  if (!life_.is_over())
    dialogue_.record().write_again(now, turn.out);
  return std::move(turn.out);
}

effects session::regained(time_point now) {
  auto turn = turn_at(now);
  if (life_.is_over() || !dialogue_.record().is_kept())
    return {};
  if (has_let_go())
    turn.out.push_back(hand_over{});
  else
    way_->keep_roles(turn.out);
  return std::move(turn.out);
}

effects session::let_wait_to_go(waiting_client one) {
  effects out;
  if (life_.is_over())
    out.push_back(reject{one.exchange, session_moves()});
  else
    departure_->let_wait(std::move(one), out);
  return out;
}

/// Ends the streams: listening clients reconnect, and resume where they were.
void session::let_go(session_turn& turn) {
  departure_->let_go();
  dialogue_.record().finish(turn.now, turn.out);
  way_->end(turn.now, turn.out);
  turn.out.push_back(hand_over{});
}

effects session::released(time_point now) {
  auto turn = turn_at(now);
  if (life_.is_over() || !has_let_go())
    return {};
  departure_->pass_on_all(turn.out);
  life_.end();
  turn.out.push_back(end_session{departure_->why(), true});
  return std::move(turn.out);
}

// -- time and end --------------------------------------------------------------------------

effects session::tick(time_point now) {
  auto turn = turn_at(now);
  if (life_.is_over() || has_let_go())
    return {};
  fail_late_calls(turn);
  if (life_.is_over() || has_let_go())
    return std::move(turn.out);
  dialogue_.fail_late_questions(turn);
  if (use().is_busy)
    life_.touch(now);
  let_streams_poll(turn);
  if (auto why = life_.expired(use(), limits_, now))
    end(std::move(*why), turn);
  else
    dialogue_.record().refresh(record_age::silent(limits_.idle), now, turn.out);
  return std::move(turn.out);
}

/// Counts a client as gone whose stream was closed for polling: it reconnects soon, or never.
void session::let_streams_poll(session_turn& turn) {
  auto was_live = way_->live();
  way_->tick(turn.now, turn.out);
  if (was_live && !way_->live())
    life_.abandon();
}

void session::fail_late_calls(session_turn& turn) {
  if (dialogue_.agreed().is_under_way()) {
    if (auto why = dialogue_.fail_late_initialize(turn))
      end(std::move(*why), turn);
  } else if (dialogue_.fail_late_calls(turn)) {
    life_.touch(turn.now);
    end_when_drained(turn);
  }
}

effects session::end_call(std::string_view id, const std::string& why, time_point now) {
  auto turn = turn_at(now);
  if (life_.is_over() || has_let_go() || dialogue_.agreed().is_under_way() || !dialogue_.end_call(id, why, turn))
    return {};
  life_.touch(now);
  end_when_drained(turn);
  return std::move(turn.out);
}

effects session::drain(const std::string& why, bool at_once, time_point now, bool for_good) {
  auto turn = turn_at(now);
  if (life_.is_over() || (departure_ && !at_once && !for_good))
    return {};
  life_.close(why, for_good);
  if (at_once)
    dialogue_.fail_calls("The call was cut off: " + why, failed_with(error_code::internal_error), turn);
  if (has_let_go())
    end(why, turn, !life_.is_for_good());
  end_when_drained(turn);
  return std::move(turn.out);
}

void session::end_when_drained(session_turn& turn) {
  if (life_.is_over() || has_let_go() || !dialogue_.calls().empty())
    return;
  if (life_.closing())
    end(*life_.closing(), turn, dialogue_.record().is_kept() && !life_.is_for_good());
  else if (departure_)
    let_go(turn);
}

void session::end(std::string why, session_turn& turn, bool survives) {
  if (survives)
    dialogue_.record().finish(turn.now, turn.out);
  life_.end();
  if (!has_let_go())
    way_->end(turn.now, turn.out);
  if (departure_)
    departure_->turn_away(turn.out);
  if (auto begun = std::exchange(restoration_, nullptr))
    begun->turn_away(survives ? std::optional{life_.closing().value_or(why)} : life_.closing(), turn.out);
  turn.out.push_back(end_session{std::move(why), survives});
}

session_lifetime::use session::use() const {
  return {dialogue_.agreed().is_fresh(), !dialogue_.calls().empty() || way_->live()};
}

std::optional<time_point> session::idle_since() const {
  return use().is_busy ? std::nullopt : std::optional{life_.touched()};
}

time_point session::deadline() const {
  if (life_.is_over() || has_let_go())
    return time_point::max();
  return std::min({dialogue_.deadline(limits_), way_->deadline(), life_.deadline(use(), limits_)});
}

} // namespace troupe::protocol
