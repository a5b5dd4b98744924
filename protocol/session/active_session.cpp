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

active_session::active_session(const session_limits& limits, std::unique_ptr<delivery> way, time_point now,
                               std::optional<session_record> keeps)
    : limits_{limits}, way_{std::move(way)}, life_{now}, dialogue_{limits, std::move(keeps)} {}

// -- the client ----------------------------------------------------------------------------

std::optional<rejection> active_session::refuse(const post_body& body) const {
  return life_.is_over() ? session_not_found() : dialogue_.refuse(body, life_.closing(), limits_);
}

void active_session::take_post(exchange_id exchange, post_body&& body, session_turn& turn) {
  if (auto why = refuse(body)) {
    turn.out.push_back(reject{exchange, std::move(*why)});
    return;
  }
  life_.note_use(turn.now);
  if (is_initialize(body.messages.front()))
    return dialogue_.begin(exchange, std::move(body.messages.front()), turn);
  dialogue_.record().refresh(record_age::spoken, turn.now, turn.out);
  way_->posted(exchange, body.batch, requests_of(body), turn.now, turn.out);
  for (auto& one : body.messages)
    if (!life_.is_over() && dialogue_.receive_from_client(exchange, std::move(one), turn))
      end_when_drained(turn);
}

void active_session::take_listen(exchange_id exchange, std::string_view last, session_turn& turn) {
  if (life_.is_over()) {
    turn.out.push_back(reject{exchange, session_not_found()});
    return;
  }
  life_.note_use(turn.now);
  dialogue_.record().refresh(record_age::spoken, turn.now, turn.out);
  way_->listens(exchange, last, turn.now, turn.out);
}

void active_session::take_end(exchange_id exchange, session_turn& turn) {
  if (life_.is_over()) {
    turn.out.push_back(reject{exchange, session_not_found()});
    return;
  }
  turn.out.push_back(confirm_end{exchange});
  end("its client ended it", turn);
}

void active_session::lose(exchange_id exchange, session_turn& turn) {
  if (life_.is_over())
    return;
  life_.touch(turn.now);
  if (life_.has_let_go())
    return;
  auto what = way_->lost(exchange, turn.now, turn.out);
  if (what == loss::session)
    end("its client left", turn);
  else if (what == loss::stream && !way_->live())
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

void active_session::begin_again(session_record before, session_turn& turn) {
  dialogue_.begin_again(std::move(before), turn);
}

void active_session::go_on(const std::vector<saved_event>& events, session_turn& turn) {
  dialogue_.go_on(events, turn);
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
    way_->keep_roles(turn.out);
}

/// Ends the streams: listening clients reconnect, and resume where they were.
void active_session::let_go(session_turn& turn) {
  life_.let_go();
  dialogue_.record().finish(turn.now, turn.out);
  way_->end(turn.now, turn.out);
  turn.out.push_back(hand_over{});
}

void active_session::released(std::string why, session_turn& turn) {
  life_.end();
  turn.end = end_session{std::move(why), true};
}

// -- time and end --------------------------------------------------------------------------

void active_session::tick(session_turn& turn) {
  if (!life_.is_served())
    return;
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
  auto was_live = way_->live();
  way_->tick(turn.now, turn.out);
  if (was_live && !way_->live())
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

void active_session::drain(const std::string& why, bool at_once, bool for_good, session_turn& turn) {
  if (life_.is_over() || (life_.departs() && !at_once && !for_good))
    return;
  life_.close(why, for_good);
  if (at_once)
    dialogue_.fail_calls("The call was cut off: " + why, failed_with(error_code::internal_error), turn);
  if (life_.has_let_go())
    end(why, turn, !life_.is_for_good());
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
    way_->end(turn.now, turn.out);
  turn.end = end_session{std::move(why), survives};
}

session_lifetime::use active_session::use() const {
  return {dialogue_.agreed().is_fresh(), !dialogue_.calls().empty() || way_->live()};
}

std::optional<time_point> active_session::idle_since() const {
  return use().is_busy ? std::nullopt : std::optional{life_.touched()};
}

time_point active_session::deadline() const {
  if (!life_.is_served())
    return time_point::max();
  return std::min({dialogue_.deadline(limits_), way_->deadline(), life_.deadline(use(), limits_)});
}

} // namespace troupe::protocol
