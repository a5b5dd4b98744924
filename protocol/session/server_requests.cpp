#include "protocol/session/server_requests.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace troupe::protocol {

namespace {

/// The gateway answers a request of the server in the client's place; `id` is the server's.
void refuse_server_request(std::string_view id, int code, std::string_view why, session_turn& turn) {
  turn.to_server(own_message(error_text(id, code, why)));
}

} // namespace

// -- what waits ----------------------------------------------------------------------------

void server_requests::hold(message&& from, session_turn& turn) {
  auto id = from.id;
  if (!held_.push(std::move(from)))
    refuse_server_request(id, error_code::internal_error, "Too much waits for the client to initialize", turn);
}

void server_requests::release_notifications(session_turn& turn) {
  for (auto& one : held_.take()) {
    if (is_request(one))
      hold(std::move(one), turn);
    else
      turn.way.unrelated(std::move(one), turn.now, turn.out);
  }
}

void server_requests::release_all(const agreement& agreed, session_turn& turn) {
  for (auto& one : held_.take())
    take(std::move(one), agreed, turn);
}

// -- new ones ------------------------------------------------------------------------------

void server_requests::take(message&& from, const agreement& agreed, session_turn& turn) {
  if (!agreed.allows(from.method))
    return refuse_server_request(from.id, error_code::method_not_found,
                                 "The client did not declare the capability for this", turn);
  if (agreed.must_wait(from))
    return hold(std::move(from), turn);
  if (questions_.size() == turn.limits.questions)
    return refuse_server_request(from.id, error_code::internal_error, "Too many requests wait for the client", turn);
  put(std::move(from), turn);
}

void server_requests::put(message&& from, session_turn& turn) {
  auto own =
      questions_.add({from.id, from.reference, 0, turn.now + turn.limits.question, turn.now + turn.limits.request_cap});
  auto id = std::to_string(own);
  auto with = turn.way.related(relayed(from, id, id), turn.now, turn.out);
  if (with)
    return questions_.go_with(own, *with);
  questions_.take(own);
  refuse_server_request(from.id, error_code::internal_error,
                        "The client has no stream open, and too much waits for one", turn);
}

// -- those under way -----------------------------------------------------------------------

void server_requests::withdraw(message&& from, session_turn& turn) {
  auto own = questions_.own_id_of(from.reference);
  if (!own)
    return held_.withdraw(from.reference);
  auto asked = *questions_.take(*own);
  turn.way.follow(asked.exchange, relayed(std::move(from), {}, std::to_string(*own)), turn.now, turn.out);
}

void server_requests::progressed(message&& from, session_turn& turn) {
  if (auto asked = questions_.progressed(from.reference, turn.now + turn.limits.question))
    turn.to_server(relayed(std::move(from), {}, asked->token));
}

void server_requests::answered(message&& from, session_turn& turn) {
  auto own = own_id(from.id);
  auto asked = own ? questions_.take(*own) : std::nullopt;
  if (asked)
    turn.to_server(relayed(std::move(from), asked->id, {}));
}

void server_requests::fail_late(session_turn& turn) {
  for (auto& [own, asked] : questions_.take_late(turn.now)) {
    refuse_server_request(asked.id, error_code::internal_error, "The client did not answer in time", turn);
    auto cancelled = own_message(cancelled_text(std::to_string(own), "timeout"));
    turn.way.follow(asked.exchange, std::move(cancelled), turn.now, turn.out);
  }
}

} // namespace troupe::protocol
