#include "protocol/session/session.hpp"

#include <algorithm>
#include <variant>

namespace troupe::protocol {

session::session(const session_limits& limits, std::unique_ptr<delivery> to_client, time_point now,
                 std::optional<session_record> keeps, request_observer observer)
    : local_{limits, std::move(to_client), now, std::move(keeps), std::move(observer)} {}

// -- the client ----------------------------------------------------------------------------

effects session::client_sent(exchange_id exchange, post_body&& body, time_point now) {
  return client_wants({exchange, waiting_post{std::move(body)}}, now);
}

effects session::client_listens(exchange_id exchange, std::string_view last, time_point now) {
  return client_wants({exchange, waiting_listen{std::string{last}}}, now);
}

effects session::client_ends(exchange_id exchange, time_point now) {
  return client_wants({exchange, waiting_end{}}, now);
}

effects session::client_wants(waiting_client one, time_point now) {
  return at(now, [&](auto& turn) {
    if (ending_)
      ending_->let_wait(std::move(one), turn.now, turn.out);
    else if (restoration_ && restoration_->holds(one))
      restoration_->let_wait(std::move(one), turn.out);
    else if (!waits_to_go(one))
      resume(one, turn);
    else if (local_.is_over())
      turn.out.push_back(reject{one.exchange, session_moves()});
    else
      departure_->let_wait(std::move(one), turn.out);
  });
}

bool session::waits_to_go(const waiting_client& one) const {
  auto post = std::get_if<waiting_post>(&one.wants);
  return local_.has_let_go() || (departure_ && post && departure_->holds(post->body));
}

effects session::client_lost(exchange_id exchange, time_point now) {
  return at(now, [&](auto& turn) { lose(exchange, turn); });
}

void session::lose(exchange_id exchange, session_turn& turn) {
  if (restoration_)
    restoration_->left(exchange);
  if (departure_)
    departure_->left(exchange);
  if (ending_)
    ending_->left(exchange);
  local_.lose(exchange, turn);
  end_if_over(turn);
}

effects session::close_streams(const std::vector<exchange_id>& streams, time_point now) {
  return at(now, [&](auto& turn) {
    for (auto exchange : streams) {
      turn.out.push_back(end_stream{exchange});
      lose(exchange, turn);
    }
  });
}

// -- the server ----------------------------------------------------------------------------

effects session::server_sent(message&& from, time_point now) {
  return at(now, [&](auto& turn) {
    if (!local_.server_sent(std::move(from), turn))
      return;
    if (restoration_)
      continue_restored(turn);
    local_.end_when_drained(turn);
  });
}

effects session::server_lost(const std::string& why, time_point now, bool is_shortage, call_outcome how) {
  return at(now, [&](auto& turn) { local_.server_lost(why, is_shortage, how, turn); });
}

// -- a restored session --------------------------------------------------------------------

effects session::restore(restored_session from, time_point now) {
  return at(now, [&](auto& turn) {
    restoration_ = std::make_unique<restoration>(std::move(from.events), turn.limits);
    local_.begin_again(std::move(from.record), from.offset, turn);
  });
}

/// The new server's first answer is that to `initialize`; the others are those to the settings, the only requests in
/// flight.
void session::continue_restored(session_turn& turn) {
  const auto is_first = !restoration_->is_initialized();
  if (is_first) {
    local_.continue_restored(restoration_->extract_events(), turn);
    restoration_->initialized(turn.now);
  }
  if (local_.dialogue_state().calls().empty())
    finish_restoration(turn);
  else if (is_first)
    let_in(restoration_->extract_clients(), turn);
}

void session::finish_restoration(session_turn& turn) {
  let_in(std::exchange(restoration_, nullptr)->extract_clients(), turn);
}

void session::let_in(std::vector<waiting_client> clients, session_turn& turn) {
  for (auto& one : clients)
    if (ending_)
      ending_->let_wait(std::move(one), turn.now, turn.out);
    else if (restoration_ && restoration_->holds(one))
      restoration_->let_wait(std::move(one), turn.out);
    else if (local_.has_let_go())
      departure_->let_wait(std::move(one), turn.out);
    else
      let_in(one, turn);
}

void session::let_in(waiting_client& one, session_turn& turn) {
  auto said = turn.out.size();
  resume(one, turn);
  if (!one.left)
    return;
  drop_answers(turn.out, said, one.exchange);
  lose(one.exchange, turn);
}

void session::resume(waiting_client& one, session_turn& turn) {
  if (auto post = std::get_if<waiting_post>(&one.wants))
    local_.receive_post(one.exchange, std::move(post->body), turn);
  else if (auto listen = std::get_if<waiting_listen>(&one.wants))
    local_.receive_listen(one.exchange, listen->last, turn);
  else
    return receive_end(one.exchange, turn);
  end_if_over(turn);
}

void session::receive_end(exchange_id exchange, session_turn& turn) {
  local_.receive_end(exchange, turn);
  end_if_over(turn);
  if (ending_)
    ending_->let_wait({exchange, waiting_end{}}, turn.now, turn.out);
}

// -- to another node -----------------------------------------------------------------------

effects session::depart(const std::string& why, time_point now) {
  if (ending_)
    return close({.why = why}, now);
  if (departure_ || !local_.can_depart())
    return {};
  return at(now, [&](auto& turn) {
    departure_ = std::make_unique<departure>(why, turn.limits);
    local_.depart(turn);
  });
}

effects session::write_again(time_point now) {
  return at(now, [&](auto& turn) { local_.write_again(turn); });
}

effects session::regained(time_point now) {
  return at(now, [&](auto& turn) { local_.regained(turn); });
}

/// A session that has ended before it could move may be another node's now.
effects session::released(time_point now) {
  if (ending_)
    return forgotten(false, now);
  if (local_.is_over() || !local_.has_let_go())
    return {};
  return at(now, [&](auto& turn) {
    departure_->pass_on_all(turn.out);
    local_.released(departure_->why(), turn);
  });
}

effects session::give_up(effects held, time_point now) {
  auto result = at(now, [&](auto& turn) {
    if (departure_)
      departure_->reject_all(turn.out);
    if (restoration_)
      restoration_->reject_all("the session moves to another node", turn.out);
    if (ending_)
      ending_->refuse_all(turn.out);
    local_.give_up(held, turn);
  });
  return answers_of_given_up(held, std::move(result));
}

// -- time and end --------------------------------------------------------------------------

effects session::forgotten(bool is_done, time_point now) {
  if (!ending_)
    return {};
  return at(now, [&](auto& turn) {
    is_done ? ending_->confirm_all(turn.out) : ending_->refuse_all(turn.out);
    end_now(turn);
  });
}

effects session::tick(time_point now) {
  return at(now, [&](auto& turn) {
    if (ending_ && now >= ending_->deadline())
      ending_->refuse_all(turn.out);
    local_.tick(turn);
    if (restoration_ && now >= restoration_->deadline() && !local_.is_over())
      finish_restoration(turn);
  });
}

time_point session::deadline() const {
  return std::min({local_.deadline(), restoration_ ? restoration_->deadline() : time_point::max(),
                   ending_ ? ending_->deadline() : time_point::max()});
}

effects session::end_call(std::string_view id, const std::string& why, time_point now) {
  return at(now, [&](auto& turn) { local_.end_call(id, why, turn); });
}

effects session::close(const session_closing& how, time_point now) {
  return at(now, [&](auto& turn) {
    if (!ending_)
      return local_.close(how, turn);
    ending_->close();
    if (how.at_once)
      ending_->refuse_all(turn.out);
  });
}

/// Turns away waiting requests if the session has ended by this fact. Those of a session that the store is to forget
/// wait for that.
void session::end_if_over(session_turn& turn) {
  if (!turn.end)
    return;
  auto end = std::exchange(turn.end, std::nullopt).value();
  if (departure_)
    departure_->reject_all(turn.out);
  if (!end.survives && local_.dialogue_state().record().is_stored())
    return begin_ending(turn, std::move(end.why));
  if (auto begun = std::exchange(restoration_, nullptr))
    begun->reject_all(local_.closing().value_or(end.why), turn.out);
  turn.out.push_back(std::move(end));
}

void session::begin_ending(session_turn& turn, std::string why) {
  ending_ = std::make_unique<pending_end>(std::move(why), turn.limits);
  if (local_.closing() || departure_)
    ending_->close();
  turn.out.push_back(forget_session{});
  if (auto begun = std::exchange(restoration_, nullptr))
    for (auto& one : begun->extract_clients())
      ending_->let_wait(std::move(one), turn.now, turn.out);
}

void session::end_now(session_turn& turn) { turn.out.push_back(end_session{std::exchange(ending_, nullptr)->why()}); }

template <class Fact>
effects session::at(time_point now, Fact fact) {
  auto turn = local_.turn_at(now);
  fact(turn);
  end_if_over(turn);
  if (ending_ && ending_->may_end())
    end_now(turn);
  return std::move(turn.out);
}

} // namespace troupe::protocol
