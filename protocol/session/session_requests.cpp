#include "protocol/session/session_requests.hpp"

#include "protocol/message/same_id.hpp"
#include "protocol/rejection.hpp"
#include "protocol/session/session_transfer.hpp"

#include <algorithm>
#include <vector>

namespace troupe::protocol {

namespace {

rejection id_is_taken(std::string id) {
  return {400, error_code::invalid_request, "Bad Request: a request with this id is already in flight", std::move(id)};
}

rejection too_early(std::string id) {
  return {400, error_code::invalid_request, "Bad Request: initialize has not been answered yet", std::move(id)};
}

rejection too_many_calls(std::string id) {
  return too_many_requests("too many calls of this session are in flight", std::chrono::seconds{1}, std::move(id));
}

std::string late_text(std::chrono::milliseconds limit) {
  return "The MCP server did not answer within " + seconds_text(limit);
}

/// Answers a server's request with an error in the client's place; `id` is the server's.
void refuse_server_request(std::string_view id, int code, std::string_view why, session_turn& turn) {
  turn.to_server(gateway_message(error_text(id, code, why)));
}

/// Removes the requests past their deadline; returns them in the order of our ids.
template <class Table>
typename Table::numbered take_late_of(Table& table, time_point now) {
  auto result = table.extract_late(now);
  std::sort(result.begin(), result.end(), [](auto& a, auto& b) { return a.first < b.first; });
  return result;
}

} // namespace

std::optional<rejection> client_requests::refuse(const post_body& body, const agreement& agreed,
                                                 const std::optional<std::string>& closing, std::size_t most) const {
  std::vector<std::string_view> ids;
  auto begun = calls_.requested();
  for (auto& one : body.messages) {
    if (!is_request(one))
      continue;
    if (calls_.own_id_of(0, one.id) || std::ranges::any_of(ids, [&](auto id) { return same_id(id, one.id); }))
      return id_is_taken(one.id);
    if (body.batch)
      ids.push_back(one.id);
    if (one.is_method("ping"))
      continue;
    if (agreed.is_too_early(one))
      return too_early(one.id);
    if (closing)
      return unavailable(*closing, one.id);
    if (++begun > most)
      return too_many_calls(one.id);
  }
  return std::nullopt;
}

// -- new requests --------------------------------------------------------------------------

std::uint64_t client_requests::add(exchange_id exchange, message& request, const session_turn& turn) {
  auto& limits = turn.limits;
  return calls_.add({.exchange = exchange, .deadline = turn.now + limits.request, .cap = turn.now + limits.request_cap},
                    request);
}

void client_requests::initialize(exchange_id exchange, message hello, session_turn& turn) {
  auto until = turn.now + turn.limits.initialize;
  calls_.add({.exchange = exchange, .deadline = until, .cap = until}, hello);
  turn.to_server(std::move(hello));
}

void client_requests::initialize_again(message hello, session_turn& turn) {
  ask(std::move(hello), turn.limits.initialize, turn);
}

void client_requests::ask(std::string_view method, std::string_view name, std::string_view value, session_turn& turn) {
  ask(gateway_message(R"({"jsonrpc":"2.0","id":0,"method":")" + std::string{method} + R"(","params":{")" +
                      std::string{name} + "\":" + quoted(value) + "}}"),
      turn.limits.request, turn);
}

void client_requests::ask(message request, std::chrono::milliseconds limit, session_turn& turn) {
  auto until = turn.now + limit;
  auto own = std::to_string(calls_.add({.deadline = until, .cap = until}));
  turn.to_server(relayed(std::move(request), own, own));
}

// -- requests in flight --------------------------------------------------------------------

void client_requests::progressed(message&& from, session_turn& turn) {
  if (auto asked = calls_.progressed(from, turn.now + turn.limits.request))
    turn.to_client.progress(asked->exchange, std::move(from.text), turn.now, turn.out);
}

std::optional<std::uint64_t> client_requests::cancel(message&& from, session_turn& turn) {
  auto asked = calls_.cancelled(0, from);
  if (!asked)
    return std::nullopt;
  auto own = own_id(from.reference);
  turn.to_server(std::move(from));
  turn.finished(asked->exchange, asked->id, {call_outcome::kind::cancelled});
  turn.to_client.withdraw(asked->exchange, asked->id, turn.now, turn.out);
  return own;
}

void client_requests::fail(const call& asked, const std::string& why, session_turn& turn, call_outcome how) {
  turn.finished(asked.exchange, asked.id, how);
  turn.answer(asked.exchange, error_text(asked.id, error_code::internal_error, why));
}

/// The cause that prevents a start may pass soon.
void client_requests::refuse_for_now(const call& asked, std::string why, session_turn& turn) {
  turn.finished(asked.exchange, asked.id, failed_with(error_code::internal_error));
  turn.to_client.refused(asked.exchange, shortage(std::move(why), asked.id), turn.now, turn.out);
}

void client_requests::refuse_all(const std::string& why, session_turn& turn) {
  for (auto& [own, asked] : take_late_of(calls_, time_point::max()))
    if (asked.exchange != 0)
      refuse_for_now(asked, why, turn);
}

void client_requests::fail_all(const std::string& why, call_outcome how, session_turn& turn) {
  for (auto& [own, asked] : take_late_of(calls_, time_point::max()))
    fail(asked, why, turn, how);
}

void client_requests::give_up(const effects& held, const agreement& agreed, session_turn& turn) {
  auto is_held = [&](std::uint64_t own) {
    return std::ranges::any_of(held, [&](auto& one) {
      auto* sent = std::get_if<forward>(&one);
      return sent && is_request(sent->what) && protocol::own_id(sent->what.id) == own;
    });
  };
  for (auto& [own, asked] : take_late_of(calls_, time_point::max())) {
    if (asked.exchange == 0)
      continue;
    auto why = session_moves();
    why.id = asked.id;
    if (agreed.is_under_way() || is_held(own))
      turn.to_client.refused(asked.exchange, std::move(why), turn.now, turn.out);
    else
      fail(asked, answer_lost, turn, {call_outcome::kind::lost});
  }
}

void client_requests::abandon_all(const session_turn& turn) {
  for (auto& [own, asked] : take_late_of(calls_, time_point::max()))
    turn.finished(asked.exchange, asked.id, {call_outcome::kind::cancelled});
}

bool client_requests::fail_late(record_schedule& record, session_turn& turn) {
  auto late = take_late_of(calls_, turn.now);
  for (auto& [own, asked] : late) {
    auto limit = turn.now >= asked.cap ? turn.limits.request_cap : turn.limits.request;
    fail(asked, late_text(limit), turn);
    give_up(own, "timeout", record, turn);
  }
  return !late.empty();
}

bool client_requests::end(std::string_view id, const std::string& why, record_schedule& record, session_turn& turn) {
  auto own = calls_.own_id_of(0, id);
  if (!own)
    return false;
  fail(*calls_.extract(*own), why, turn);
  give_up(*own, "ended by an operator", record, turn);
  return true;
}

std::string_view client_requests::asked_as(std::string_view own) const {
  const auto* asked = calls_.find(own);
  return asked && asked->exchange != 0 ? std::string_view{asked->id} : std::string_view{};
}

/// Cancels a request at the server, so that it does not work in vain.
void client_requests::give_up(std::uint64_t own, std::string_view reason, record_schedule& record, session_turn& turn) {
  record.request_dropped(own);
  turn.to_server(cancellation_of(own, reason));
}

std::optional<std::string> client_requests::fail_late_initialize(session_turn& turn) {
  auto late = take_late_of(calls_, turn.now);
  if (late.empty())
    return std::nullopt;
  auto why = late_text(turn.limits.initialize);
  for (auto& [own, asked] : late)
    fail(asked, why, turn);
  return why;
}

// -- held messages -------------------------------------------------------------------------

void server_requests::hold(message&& from, session_turn& turn) {
  auto id = from.id;
  if (!held_.push(std::move(from)))
    refuse_server_request(id, error_code::internal_error, "Too much waits for the client to initialize", turn);
}

void server_requests::release_notifications(session_turn& turn) {
  for (auto& one : held_.extract_all()) {
    if (is_request(one))
      hold(std::move(one), turn);
    else
      turn.to_client.unrelated(std::move(one), turn.now, turn.out);
  }
}

void server_requests::release_all(const agreement& agreed, session_turn& turn) {
  for (auto& one : held_.extract_all())
    receive_request(std::move(one), agreed, turn);
}

// -- new requests --------------------------------------------------------------------------

void server_requests::receive_request(message&& from, const agreement& agreed, session_turn& turn) {
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
  auto id = from.id;
  auto own =
      questions_.add({.deadline = turn.now + turn.limits.question, .cap = turn.now + turn.limits.request_cap}, from);
  if (auto with = turn.to_client.related(std::move(from), turn.now, turn.out)) {
    questions_.find(own)->receiver = *with;
    return;
  }
  questions_.extract(own);
  refuse_server_request(id, error_code::internal_error, "The client has no stream open, and too much waits for one",
                        turn);
}

// -- requests in flight --------------------------------------------------------------------

void server_requests::withdraw(message&& from, session_turn& turn) {
  if (auto asked = questions_.cancelled(0, from))
    turn.to_client.follow(asked->receiver, std::move(from), turn.now, turn.out);
  else
    held_.withdraw(from.reference);
}

void server_requests::progressed(message&& from, session_turn& turn) {
  if (questions_.progressed(from, turn.now + turn.limits.question))
    turn.to_server(std::move(from));
}

void server_requests::answered(message&& from, session_turn& turn) {
  if (questions_.answered(from))
    turn.to_server(std::move(from));
}

void server_requests::fail_late(session_turn& turn) {
  for (auto& [own, asked] : take_late_of(questions_, turn.now)) {
    refuse_server_request(asked.id, error_code::internal_error, "The client did not answer in time", turn);
    turn.to_client.follow(asked.receiver, cancellation_of(own, "timeout"), turn.now, turn.out);
  }
}

} // namespace troupe::protocol
