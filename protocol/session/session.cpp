#include "protocol/session/session.hpp"

#include <variant>

namespace troupe::protocol {

session::session(const session_limits& limits, std::unique_ptr<delivery> way, time_point now,
                 std::optional<session_record> keeps)
    : local_{limits, std::move(way), now, std::move(keeps)} {}

// -- the client ----------------------------------------------------------------------------

effects session::client_sent(exchange_id exchange, post_body body, time_point now) {
  if (restoration_)
    return let_wait({exchange, waiting_post{std::move(body)}});
  if (local_.has_let_go() || (departure_ && departure_->holds(body)))
    return let_wait_to_go({exchange, waiting_post{std::move(body)}});
  auto turn = local_.turn_at(now);
  local_.take_post(exchange, std::move(body), turn);
  return finish(turn);
}

effects session::client_listens(exchange_id exchange, std::string_view last, time_point now) {
  if (restoration_)
    return let_wait({exchange, waiting_listen{std::string{last}}});
  if (local_.has_let_go())
    return let_wait_to_go({exchange, waiting_listen{std::string{last}}});
  auto turn = local_.turn_at(now);
  local_.take_listen(exchange, last, turn);
  return finish(turn);
}

effects session::client_ends(exchange_id exchange, time_point now) {
  if (restoration_)
    return let_wait({exchange, waiting_end{}});
  if (local_.has_let_go())
    return let_wait_to_go({exchange, waiting_end{}});
  auto turn = local_.turn_at(now);
  local_.take_end(exchange, turn);
  return finish(turn);
}

effects session::client_lost(exchange_id exchange, time_point now) {
  auto turn = local_.turn_at(now);
  lose(exchange, turn);
  return finish(turn);
}

void session::lose(exchange_id exchange, session_turn& turn) {
  if (restoration_)
    restoration_->left(exchange);
  if (departure_)
    departure_->left(exchange);
  local_.lose(exchange, turn);
  turn_away_if_over(turn);
}

effects session::send_away(const std::vector<exchange_id>& streams, time_point now) {
  auto turn = local_.turn_at(now);
  for (auto exchange : streams) {
    turn.out.push_back(end_stream{exchange});
    lose(exchange, turn);
  }
  return finish(turn);
}

// -- the server ----------------------------------------------------------------------------

effects session::server_sent(message from, time_point now) {
  auto turn = local_.turn_at(now);
  if (local_.server_sent(std::move(from), turn)) {
    if (restoration_)
      go_on(turn);
    local_.end_when_drained(turn);
  }
  return finish(turn);
}

effects session::server_lost(const std::string& why, time_point now, bool is_shortage, call_outcome how) {
  auto turn = local_.turn_at(now);
  local_.server_lost(why, is_shortage, how, turn);
  return finish(turn);
}

// -- a restored session --------------------------------------------------------------------

effects session::restore(restored_session from, time_point now) {
  auto turn = local_.turn_at(now);
  restoration_ = std::make_unique<restoration>(std::move(from.events), turn.limits);
  local_.begin_again(std::move(from.record), turn);
  return finish(turn);
}

effects session::let_wait(waiting_client one) {
  effects out;
  restoration_->let_wait(std::move(one), out);
  return out;
}

void session::go_on(session_turn& turn) {
  auto before = std::exchange(restoration_, nullptr);
  local_.go_on(before->events(), turn);
  for (auto& one : before->take_clients()) {
    if (local_.has_let_go()) {
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
    local_.take_post(one.exchange, std::move(post->body), turn);
  else if (auto listen = std::get_if<waiting_listen>(&one.wants))
    local_.take_listen(one.exchange, listen->last, turn);
  else
    local_.take_end(one.exchange, turn);
  turn_away_if_over(turn);
}

// -- to another node -----------------------------------------------------------------------

effects session::depart(const std::string& why, time_point now) {
  if (departure_ || !local_.can_depart())
    return {};
  auto turn = local_.turn_at(now);
  departure_ = std::make_unique<departure>(why, turn.limits);
  local_.depart(turn);
  return finish(turn);
}

effects session::write_again(time_point now) {
  auto turn = local_.turn_at(now);
  local_.write_again(turn);
  return finish(turn);
}

effects session::regained(time_point now) {
  auto turn = local_.turn_at(now);
  local_.regained(turn);
  return finish(turn);
}

effects session::let_wait_to_go(waiting_client one) {
  effects out;
  if (local_.is_over())
    out.push_back(reject{one.exchange, session_moves()});
  else
    departure_->let_wait(std::move(one), out);
  return out;
}

effects session::released(time_point now) {
  if (local_.is_over() || !local_.has_let_go())
    return {};
  auto turn = local_.turn_at(now);
  departure_->pass_on_all(turn.out);
  local_.released(departure_->why(), turn);
  return finish(turn);
}

// -- time and end --------------------------------------------------------------------------

effects session::tick(time_point now) {
  auto turn = local_.turn_at(now);
  local_.tick(turn);
  return finish(turn);
}

effects session::end_call(std::string_view id, const std::string& why, time_point now) {
  auto turn = local_.turn_at(now);
  local_.end_call(id, why, turn);
  return finish(turn);
}

effects session::drain(const std::string& why, bool at_once, time_point now, bool for_good) {
  auto turn = local_.turn_at(now);
  local_.drain(why, at_once, for_good, turn);
  return finish(turn);
}

/// Turns away waiting requests if the session has ended by this fact.
void session::turn_away_if_over(session_turn& turn) {
  if (!turn.end)
    return;
  auto end = std::exchange(turn.end, std::nullopt).value();
  if (departure_)
    departure_->reject_all(turn.out);
  if (auto begun = std::exchange(restoration_, nullptr))
    begun->reject_all(end.survives ? std::optional{local_.closing().value_or(end.why)} : local_.closing(), turn.out);
  turn.out.push_back(std::move(end));
}

effects session::finish(session_turn& turn) {
  turn_away_if_over(turn);
  return std::move(turn.out);
}

} // namespace troupe::protocol
